"""The file store, `files://[root]`: each block a Markdown file that a person may read and edit."""

from wellkept.stores.files.store import FileStore, open

__all__ = ["FileStore", "open"]
