"""Arguments that several commands take."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from wellkept.model.errors import InvalidInput
from wellkept.model.pages import DEFAULT_LIMIT, MAX_LIMIT

Agent = Annotated[str, typer.Option("--agent", "-a", metavar="ID", help="The agent")]
User = Annotated[str | None, typer.Option("--user", "-u", metavar="ID", help="The user")]
Session = Annotated[str | None, typer.Option("--session", "-s", metavar="ID", help="The session")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=MAX_LIMIT, help="Rows of a page")]
Cursor = Annotated[str | None, typer.Option("--cursor", help="Where the page begins: nextCursor of the one before")]
All = Annotated[bool, typer.Option("--all", help="All pages, from here on")]
IfMatch = Annotated[
    str | None, typer.Option("--if-match", metavar="ETAG", help="Only in place of the text that has this etag")
]
TextOption = Annotated[str | None, typer.Option("--text", "-t", help="The text; - reads standard input")]
FileOption = Annotated[Path | None, typer.Option("--file", "-f", help="A file that holds the text", dir_okay=False)]

PAGE = DEFAULT_LIMIT


def given_text(text: str | None, file: Path | None) -> str | None:
    """Give the text that a command was given, exactly as it is: as an argument, on standard input or in a file.

    Raises:
        InvalidInput: It was given twice, is not UTF-8, or the file cannot be read.
    """
    if text is not None and file is not None:
        raise InvalidInput(param="--file", problem="cannot go with --text")
    if file is not None:
        try:
            return _decoded(file.read_bytes())
        except OSError as error:
            raise InvalidInput(param="--file", problem=f"cannot be read: {error.strerror}") from error
    return _decoded(sys.stdin.buffer.read()) if text == "-" else text


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(param="text", problem="must be UTF-8") from error
