"""From a setting to an embedder. Its module is named after the first word."""

from wellkept.contract.embedder import Embedder


def open_embedder(named: str | None = None) -> Embedder | None:
    """Give the embedder that `named`, else `WELLKEPT_EMBEDDER`, names; None: recall does with words alone."""
    return None
