"""A text, in a person's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from wellkept.model.errors import InvalidInput, InvalidSetting


def edited(text: str, *, editor: str) -> str:
    """Give what `text` became in the editor, byte by byte.

    Raises:
        InvalidSetting: The editor cannot be run, or says that it failed.
        InvalidInput: What was saved is not UTF-8.
    """
    path = kept(text)
    try:
        _run(editor, path)
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(param="text", problem="must be UTF-8") from error
    finally:
        path.unlink(missing_ok=True)


def kept(text: str) -> Path:
    """Write `text` into a new file that only this user can read; say where it is."""
    handle, name = tempfile.mkstemp(prefix="wellkept-", suffix=".md")
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8"))
    return Path(name)


def _run(editor: str, path: Path) -> None:
    command = shlex.split(editor)
    try:
        ended = subprocess.run([*command, str(path)], check=False)  # noqa: S603  the user's own choice of a program
    except OSError as error:
        raise InvalidSetting(
            setting=f"the editor {editor}",
            problem="cannot be run",
            do="set EDITOR to another, or use `wellkept blocks set`",
        ) from error
    if ended.returncode:
        raise InvalidSetting(
            setting=f"the editor {editor}", problem=f"failed with code {ended.returncode}; nothing was changed"
        )
