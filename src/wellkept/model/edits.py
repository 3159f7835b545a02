"""Edits of a block: what one wants done, as values."""

from typing import Annotated, Final

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.text import checked_text, has_visible

ENTRY_MARK: Final = "§"
"""A line that holds only this parts two entries."""


class Add(msgspec.Struct, frozen=True, tag_field="action", tag="add", forbid_unknown_fields=True):
    """Append an entry; one that is there already changes nothing."""

    content: str

    def __post_init__(self) -> None:
        checked_entry(self.content)


class Replace(msgspec.Struct, frozen=True, tag_field="action", tag="replace", forbid_unknown_fields=True):
    """Put `content` in place of the one entry that contains `match`, or of the whole block without a match."""

    content: str
    match: str | None = None

    def __post_init__(self) -> None:
        checked_entry(self.content)
        if self.match is not None:
            checked_match(self.match)


class Remove(msgspec.Struct, frozen=True, tag_field="action", tag="remove", forbid_unknown_fields=True):
    """Delete the one entry that contains `match`."""

    match: str

    def __post_init__(self) -> None:
        checked_match(self.match)


class Write(msgspec.Struct, frozen=True, tag_field="action", tag="write", forbid_unknown_fields=True):
    """Make `text` the whole text, entry marks and all: what an administrator does."""

    text: str

    def __post_init__(self) -> None:
        checked_text(self.text, param="text")


Edit = Annotated[Add | Replace | Remove | Write, "an edit of a block"]


def checked_entry(value: object, *, param: str = "content") -> str:
    """Return `value` if it can be an entry: visible text without a line that holds only `§`.

    Raises:
        InvalidInput: It is blank, unstorable, or would part into several entries.
    """
    text = checked_text(value, param=param)
    if not has_visible(text):
        raise InvalidInput(param=param, problem="must hold something visible")
    if any(line.strip() == ENTRY_MARK for line in text.split("\n")):
        raise InvalidInput(param=param, problem=f"must not hold a line of {ENTRY_MARK} alone, which parts entries")
    return text


def checked_match(value: object, *, param: str = "match") -> str:
    """Return `value` if it can pick an entry.

    Raises:
        InvalidInput: It is empty or unstorable.
    """
    text = checked_text(value, param=param)
    if not text:
        raise InvalidInput(param=param, problem="must not be empty; give a piece of the entry's text")
    return text
