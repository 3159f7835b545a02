"""What the operating system refuses, in wellkept's own errors."""

import errno
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from wellkept.model.errors import StoreCorrupt, StoreFull, StoreReadOnly, StoreUnavailable

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
# A link or a file where a folder should be, a folder or a socket where a file should be.
_FOREIGN: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO})


@contextmanager
def translated(*, writing: bool) -> Generator[None]:
    """Raise what the operating system refuses as an error of the store, with its cause.

    Raises:
        StoreFull: The disk, or what one may have of it, is full.
        StoreReadOnly: The folder may not be written.
        StoreCorrupt: Something lies there that the store did not put there, and it is not followed.
        StoreUnavailable: Anything else.
    """
    try:
        yield
    except OSError as error:
        problem = errno.errorcode.get(error.errno or 0, "unknown")
        if error.errno in _FULL:
            raise StoreFull(store="files", problem=problem) from error
        if error.errno in _READ_ONLY and writing:
            raise StoreReadOnly(store="files", problem=problem) from error
        if error.errno in _FOREIGN:
            raise StoreCorrupt(store="files", problem=problem) from error
        raise StoreUnavailable(store="files", problem=problem) from error
