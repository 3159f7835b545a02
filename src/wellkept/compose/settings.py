"""What the environment says: the only place that reads it.

What a library needs is read here, when it is asked for. The settings of a
server and its command line stand in `wellkept.compose.server_settings`.
"""

import os
from pathlib import Path
from typing import Final

DEFAULT_BASE_URL: Final = "http://127.0.0.1:8787"
"""Where a server listens unless told otherwise."""


def home() -> Path:
    """Give the folder for data: `WELLKEPT_HOME`, else `~/.wellkept`."""
    return _folder("WELLKEPT_HOME") or Path.home() / ".wellkept"


def memory_dir() -> Path:
    """Give the root of the file store: `WELLKEPT_MEMORY_DIR`, else `memories` in the home."""
    return _folder("WELLKEPT_MEMORY_DIR") or home() / "memories"


def api_key() -> str | None:
    """Give the key for a server: `WELLKEPT_API_KEY`."""
    return os.environ.get("WELLKEPT_API_KEY") or None


def base_url() -> str:
    """Give a server's address: `WELLKEPT_BASE_URL`, else `http://127.0.0.1:8787`."""
    return os.environ.get("WELLKEPT_BASE_URL") or DEFAULT_BASE_URL


def embedder() -> str | None:
    """Give the name of recall's embedder: `WELLKEPT_EMBEDDER`."""
    return os.environ.get("WELLKEPT_EMBEDDER") or None


def embedder_key() -> str | None:
    """Give the key for a remote embedder: `WELLKEPT_EMBEDDER_KEY`, else `OPENAI_API_KEY`."""
    return os.environ.get("WELLKEPT_EMBEDDER_KEY") or os.environ.get("OPENAI_API_KEY") or None


def editor() -> str:
    """Give the command of the person's editor: `VISUAL`, else `EDITOR`, else `vi`."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"


def _folder(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else None
