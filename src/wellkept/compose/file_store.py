"""The file store as a library's user makes it: `FileBlockStore()`."""

from pathlib import Path

from wellkept.compose.settings import memory_dir
from wellkept.stores.files import FileStore


class FileBlockStore(FileStore):
    """Keeps each block in a Markdown file that a person may edit.

    The root is the argument, else `WELLKEPT_MEMORY_DIR`, else `~/.wellkept/memories`.
    Importing this makes it the store of runtimes that were given no other.
    """

    def __init__(self, root: str | Path | None = None) -> None:
        """Use the files below `root`; nothing is created before something is written."""
        super().__init__(memory_dir() if root is None else root)
