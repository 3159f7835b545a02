"""The in-process store, `inproc://`: everything in maps, gone with the process. The yardstick of the others."""

import threading
from typing import ClassVar, Final
from urllib.parse import urlsplit

from wellkept.contract.capability import Capability
from wellkept.stores.inproc.audit import InprocAudit
from wellkept.stores.inproc.blocks import InprocBlocks
from wellkept.stores.inproc.data import Data
from wellkept.stores.inproc.directory import InprocDirectory
from wellkept.stores.inproc.memories import InprocMemories
from wellkept.stores.inproc.passages import InprocPassages
from wellkept.stores.inproc.review import InprocReview
from wellkept.stores.inproc.sessions import InprocSessions

__all__ = ["InprocStore", "open"]

_shared: Final[dict[str, Data]] = {}
_sharing: Final = threading.Lock()


class InprocStore(
    InprocBlocks, InprocMemories, InprocDirectory, InprocSessions, InprocReview, InprocPassages, InprocAudit
):
    """Keeps everything in maps. Threads may share one; a process that ends takes all with it."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.HISTORY})

    def __init__(self, data: Data | None = None) -> None:
        """Begin empty, or keep on with the `data` of another store of this process."""
        self._data = data or Data()

    async def close(self) -> None:
        """Let go of nothing: the data lives as long as somebody holds the store, or its name."""


async def open(url: str) -> InprocStore:
    """Open `inproc://`, a store of its own each time, or `inproc://name`, the one of that name in this process."""
    name = urlsplit(url).netloc
    if not name:
        return InprocStore()
    with _sharing:
        return InprocStore(_shared.setdefault(name, Data()))
