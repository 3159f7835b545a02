"""From an address to an endpoint, by the raw segments of its path.

A server unquotes the path before anyone can tell `a/b` from `a%2Fb`. Here the raw path is parted at its slashes first,
and each parameter is unquoted by itself: an id that holds a slash reaches its own endpoint and no other.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from wellkept.server.head import unquoted

T = TypeVar("T")


class Route(msgspec.Struct, Generic[T], frozen=True):
    """A method and path, and what they lead to. Parameters of the path stand in braces."""

    method: str
    path: str
    target: T


class Found(msgspec.Struct, Generic[T], frozen=True):
    """What stands at an address: its methods, and the raw parameters of its path."""

    template: str
    methods: Mapping[str, T]
    raw: Mapping[str, bytes]

    def parameters(self) -> Mapping[str, str]:
        """Give the path's parameters.

        Raises:
            InvalidInput: One is not percent-encoded UTF-8.
        """
        return {name: unquoted(value, param=name) for name, value in self.raw.items()}

    @property
    def allowed(self) -> str:
        """Name the methods, as the header `Allow` does."""
        return ", ".join(sorted({*self.methods, *(["HEAD"] if "GET" in self.methods else [])}))


class RouteTable(Generic[T]):
    """All routes. No two of them fit one address."""

    def __init__(self, routes: Sequence[Route[T]]) -> None:
        by_path: defaultdict[str, dict[str, T]] = defaultdict(dict)
        for route in routes:
            by_path[route.path][route.method] = route.target
        self._by_length: defaultdict[int, list[tuple[str, list[_Step], Mapping[str, T]]]] = defaultdict(list)
        for path, methods in by_path.items():
            steps = [_step(segment) for segment in path.split("/")]
            self._by_length[len(steps)].append((path, steps, methods))

    def find(self, raw_path: bytes) -> Found[T] | None:
        """Give what stands at an address; None: nothing does."""
        segments = raw_path.split(b"/")
        for path, steps, methods in self._by_length.get(len(segments), ()):
            raw: dict[str, bytes] = {}
            if all(step(segment, raw) for step, segment in zip(steps, segments, strict=True)):
                return Found(path, methods, raw)
        return None


_Step = Callable[[bytes, dict[str, bytes]], bool]


def _step(segment: str) -> _Step:
    if not segment.startswith("{"):
        wanted = segment.encode()
        return lambda found, _: found == wanted
    name = segment[1:-1]

    def take(found: bytes, raw: dict[str, bytes]) -> bool:
        raw[name] = found
        return bool(found)

    return take
