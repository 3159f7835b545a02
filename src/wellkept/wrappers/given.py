"""What a wrapper was given."""

from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import Misconfigured


def a_store(value: object, *, wrapper: str, argument: str) -> BlockStore:
    """Return `value` if it keeps blocks.

    Raises:
        Misconfigured: It is something else.
    """
    if not isinstance(value, BlockStore):
        problem = f"must be a BlockStore, not {type(value).__name__}"
        do = "open a URL with wellkept.compose.stores.open_block_store first" if isinstance(value, str) else None
        raise Misconfigured(wrapper=wrapper, argument=argument, problem=problem, **({"do": do} if do else {}))
    return value
