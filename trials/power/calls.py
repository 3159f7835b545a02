"""The system calls that change a disk, as the file store makes them, recorded in their order.

The recorder stands in for functions of the module `os` while it is on, does what they do, and notes what they did to
what lies under a folder. It can also end the store at a call, as SIGKILL would: that call, and all that the store would
do to tidy up, are not done.
"""

import io
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

T = TypeVar("T")

Node = int
"""A file or a folder, as long as it lives: inodes are used again, and these are not."""


class Made(NamedTuple):
    """A file or a folder got a name."""

    folder: Node
    name: str
    node: Node
    is_folder: bool


class Wrote(NamedTuple):
    """Bytes were appended to a file."""

    node: Node
    data: bytes


class Stamped(NamedTuple):
    """A file got the time of its last change."""

    node: Node
    nanoseconds: int


class Synced(NamedTuple):
    """A file, or the names in a folder, were made to last."""

    node: Node


class Renamed(NamedTuple):
    """A name took the place of another."""

    folder: Node
    old: str
    new: str
    node: Node


class Removed(NamedTuple):
    """A name was taken away."""

    folder: Node
    name: str


class Began(NamedTuple):
    """An operation was asked for."""

    operation: int


class Answered(NamedTuple):
    """An operation was acknowledged."""

    operation: int


Call = Made | Wrote | Stamped | Synced | Renamed | Removed
Event = Call | Began | Answered


class Killed(BaseException):
    """The process that made the calls is gone."""


class Recorder:
    """Records what happens under `base`, which is there, and will be after a power cut."""

    def __init__(self, base: Path) -> None:
        self.events: list[Event] = []
        self.left: int | None = None
        """How many calls are made before the store is killed; None: it is not."""
        self._lock = threading.RLock()
        found = base.stat()
        self._nodes: dict[tuple[int, int], Node] = {(found.st_dev, found.st_ino): 0}
        self._count = 0
        self._open, self._fdopen, self._fsync = os.open, os.fdopen, os.fsync
        self._mkdir, self._rmdir, self._unlink = os.mkdir, os.rmdir, os.unlink
        self._replace, self._utime = os.replace, os.utime

    @contextmanager
    def on(self) -> Iterator[None]:
        """Record while the body runs."""
        ours = {
            name: getattr(self, name)
            for name in ("open", "fdopen", "fsync", "mkdir", "rmdir", "unlink", "replace", "utime")
        }
        theirs = {name: getattr(os, name) for name in ours}
        for name, function in ours.items():
            setattr(os, name, function)
        try:
            yield
        finally:
            for name, function in theirs.items():
                setattr(os, name, function)

    def note(self, event: Event) -> None:
        """Record something that happened beside the calls."""
        with self._lock:
            self.events.append(event)

    def open(self, path: str | Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        """Do as `os.open`."""
        with self._lock:
            new = bool(flags & os.O_CREAT) and not _is_there(path, dir_fd)
            if not new:
                return self._open(path, flags, mode, dir_fd=dir_fd)
            file = self._call(lambda: self._open(path, flags, mode, dir_fd=dir_fd))
            self._born(path, dir_fd, os.fstat(file), is_folder=False)
            return file

    def mkdir(self, path: str | Path, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        """Do as `os.mkdir`."""
        with self._lock:
            self._call(lambda: self._mkdir(path, mode, dir_fd=dir_fd), unless=_is_there(path, dir_fd))
            self._born(path, dir_fd, os.stat(path, dir_fd=dir_fd), is_folder=True)

    def fdopen(self, file: int, mode: str) -> "io.BufferedReader | io.BufferedWriter":
        """Do as `os.fdopen`; what is written shows when it leaves the buffer."""
        if mode == "wb":
            return io.BufferedWriter(_Written(file, self))
        return self._fdopen(file, "rb")

    def wrote(self, file: int, data: bytes, write: Callable[[], T]) -> T:
        """Write, and record what."""
        with self._lock:
            done = self._call(write)
            if (node := self._node(os.fstat(file))) is not None:
                self.events.append(Wrote(node, data))
            return done

    def utime(self, file: int, *, ns: tuple[int, int]) -> None:
        """Do as `os.utime`."""
        with self._lock:
            self._call(lambda: self._utime(file, ns=ns))
            if (node := self._node(os.fstat(file))) is not None:
                self.events.append(Stamped(node, ns[1]))

    def fsync(self, file: int) -> None:
        """Do as `os.fsync`, on a disk that we only imagine."""
        with self._lock:
            self._call(lambda: None)
            if (node := self._node(os.fstat(file))) is not None:
                self.events.append(Synced(node))

    def replace(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        """Do as `os.replace`, inside one folder."""
        assert src_dir_fd == dst_dir_fd, "the model knows no move between folders"
        with self._lock:
            folder, node = self._node(os.fstat(src_dir_fd)), self._node(os.stat(old, dir_fd=src_dir_fd))
            self._call(lambda: self._replace(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd))
            if folder is not None and node is not None:
                self.events.append(Renamed(folder, old, new, node))

    def unlink(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        """Do as `os.unlink`."""
        self._remove(self._unlink, path, dir_fd)

    def rmdir(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        """Do as `os.rmdir`."""
        self._remove(self._rmdir, path, dir_fd)

    def _remove(self, remove: Callable[..., None], path: str | Path, dir_fd: int | None) -> None:
        with self._lock:
            folder = self._node(_folder_of(path, dir_fd))
            self._call(lambda: remove(path, dir_fd=dir_fd))
            if folder is not None:
                self.events.append(Removed(folder, Path(path).name))

    def _call(self, work: Callable[[], T], *, unless: bool = False) -> T:
        """Make a call that changes something, if the store still lives; `unless` it will change nothing."""
        if self.left is not None and not unless:
            if self.left <= 0:
                raise Killed
            self.left -= 1
        return work()

    def _born(self, path: str | Path, dir_fd: int | None, found: os.stat_result, *, is_folder: bool) -> None:
        folder = self._node(_folder_of(path, dir_fd))
        if folder is not None:
            self._count += 1
            self._nodes[found.st_dev, found.st_ino] = self._count
            self.events.append(Made(folder, Path(path).name, self._count, is_folder))

    def _node(self, found: os.stat_result) -> Node | None:
        """Name a file or a folder; None: it does not lie under `base`."""
        return self._nodes.get((found.st_dev, found.st_ino))


class _Written(io.FileIO):
    def __init__(self, file: int, recorder: Recorder) -> None:
        super().__init__(file, "wb")
        self._recorder = recorder

    def write(self, data: "Buffer", /) -> int:
        return self._recorder.wrote(self.fileno(), bytes(memoryview(data)), lambda: super(_Written, self).write(data))


def _is_there(path: str | Path, dir_fd: int | None) -> bool:
    try:
        os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _folder_of(path: str | Path, dir_fd: int | None) -> os.stat_result:
    """Look at the folder that a path's last name lies in."""
    found = os.stat(Path(path).parent, dir_fd=dir_fd) if Path(path).parent != Path() or dir_fd is None else None
    found = found or os.fstat(dir_fd if dir_fd is not None else 0)
    assert stat.S_ISDIR(found.st_mode)
    return found
