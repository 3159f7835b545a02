"""Folders and files under a root, reached step by step through descriptors, so that no symbolic link leads outside."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from wellkept.model.errors import StoreCorrupt
from wellkept.stores.files.contents import MOST_BYTES

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
# Without O_NONBLOCK, opening a FIFO waits for its other end for ever.
_READ: Final = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_CLOEXEC", 0)

BESIDE: Final = ".new-"
"""How the name of a file begins that is being written beside another. No key's and no id's name begins with a dot."""

SUPPORTED: Final = {
    os.open,
    os.mkdir,
    os.unlink,
    os.stat,
    os.rename,
} <= os.supports_dir_fd and os.listdir in os.supports_fd
"""Whether this platform can do what this module does. Windows cannot."""


class Written(NamedTuple):
    """A file's bytes, when it was written last, and which file it was."""

    data: bytes
    at: datetime
    identity: tuple[int, int, int, int]


@contextmanager
def folder(root: Path, steps: Sequence[str], *, create: bool = False) -> Generator[int]:
    """Open the folder that lies `steps` below the root; with `create`, make what is missing, for its owner alone.

    The root itself may be reached over a link; that is for who chose it.

    Raises:
        OSError: Nothing is there, or something else than a folder, such as a link.
    """
    if create:
        make(root)
    here = os.open(root, _FOLDER)
    try:
        for step in steps:
            below = _step(here, step, create=create)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def make(path: Path) -> None:
    """Make a folder and what is missing above it, lastingly, for its owner alone."""
    new = not path.is_dir()
    if not new and _holds_something(path):
        return
    if new:
        make(path.parent)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            pass  # Somebody was faster; or it is no folder, which is seen on opening it.
    try:
        above = os.open(path.parent, _FOLDER)
    except PermissionError:
        if new:
            raise
        return  # Whoever made our folder there was somebody else, and not just now.
    try:
        os.fsync(above)
    finally:
        os.close(above)


def _step(here: int, name: str, *, create: bool) -> int:
    if create:
        try:
            os.mkdir(name, mode=0o700, dir_fd=here)
        except FileExistsError:
            pass  # The usual case; whether it is a folder is seen on opening it.
    below = os.open(name, _FOLDER | _NO_LINK, dir_fd=here)
    try:
        if create and not _holds_something(below):
            os.fsync(here)
    except BaseException:
        os.close(below)
        raise
    return below


def _holds_something(folder: int | Path) -> bool:
    """Say whether a folder's own name is sure to last: who puts the first thing into a folder has synced that before.

    An empty one may have been made a moment ago, by somebody who has not synced it yet, or was killed before.
    """
    with os.scandir(folder) as inside:
        return next(inside, None) is not None


def read(here: int, name: str) -> Written | None:
    """Read a regular file; None when there is none. Of one that is larger than any block, only the beginning.

    Raises:
        StoreCorrupt: There is something else of that name.
        OSError: It cannot be read.
    """
    try:
        file = os.open(name, _READ, dir_fd=here)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise StoreCorrupt(file=name, problem="not a regular file")
        data = opened.read(MOST_BYTES + 1)
    return Written(data, _instant(found.st_mtime_ns), _identity(found))


def write(here: int, name: str, data: bytes, *, at: datetime, replacing: Callable[[], bool]) -> datetime | None:
    """Put `data` in the place of a file, whole or not at all, and lasting; answer with the time that the disk keeps.

    The new file is written beside the old one and made to last first. Then, at
    the last moment, `replacing` says whether what lies there is still what was
    meant to be replaced; if not, nothing is done and the answer is None.

    Raises:
        OSError: It cannot be written; what lay there still does.
    """
    beside = f"{BESIDE}{secrets.token_hex(8)}"
    file = os.open(beside, _NEW, 0o600, dir_fd=here)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            nanoseconds = (at - _EPOCH) // _MICROSECOND * 1000
            os.utime(file, ns=(nanoseconds, nanoseconds))
            os.fsync(file)
            kept = _instant(os.fstat(file).st_mtime_ns)
        if not replacing():
            os.unlink(beside, dir_fd=here)
            return None
        os.replace(beside, name, src_dir_fd=here, dst_dir_fd=here)
    except BaseException:
        _discard(here, beside)
        raise
    os.fsync(here)
    return kept


def is_still(here: int, name: str, seen: Written | None) -> bool:
    """Say whether a file is the one that was read: same file, size and times."""
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return seen is None
    return seen is not None and _identity(found) == seen.identity


def is_folder(here: int, name: str) -> bool:
    """Say whether something is a folder; a link to one is none."""
    return stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)


def remove(here: int, name: str) -> None:
    """Take a file (or a link, not what it leads to) out of its folder, lastingly."""
    os.unlink(name, dir_fd=here)
    os.fsync(here)


def remove_folder(root: Path, steps: Sequence[str]) -> None:
    """Take an empty folder out of the one above it, lastingly. One that is not empty (any more) stays."""
    with folder(root, steps[:-1]) as above:
        try:
            os.rmdir(steps[-1], dir_fd=above)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        os.fsync(above)


def _discard(here: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=here)
    except FileNotFoundError:
        pass  # It was renamed, or unlinked, before what went wrong went wrong.


def _identity(found: os.stat_result) -> tuple[int, int, int, int]:
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _instant(nanoseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:  # A time beyond the year 9999, which some disks can keep and `touch -d` can set.
        return _LATEST
