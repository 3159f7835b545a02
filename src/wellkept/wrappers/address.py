"""The URL of a wrapper: other stores' URLs, percent-encoded, as its options."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import Misconfigured

OpenStore = Callable[[str], Awaitable[BlockStore]]
"""Opens the store that a URL names."""


def options(url: str, *, known: Sequence[str], example: str) -> Mapping[str, str]:
    """Read what stands behind the `?`.

    Raises:
        Misconfigured: Something else stands in the URL, or an option that is not known, empty or there twice.
    """
    parts = urlsplit(url)
    if parts.netloc or parts.path or parts.fragment:
        problem = "only options may follow ://?, with the URLs in them percent-encoded"
        raise Misconfigured(store=parts.scheme, problem=problem, do=f"write {example}")
    found: dict[str, str] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            problem = f"the options are {', '.join(known)}; a & inside an inner URL is written %26"
        elif name in found:
            problem = "it is there twice"
        elif not value:
            problem = "it is empty"
        else:
            found[name] = value
            continue
        raise Misconfigured(store=parts.scheme, option=name, problem=problem, do=f"write {example}")
    return found
