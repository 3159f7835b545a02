"""What the prompt shows of memory, as notes: the entries of blocks, and memories."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wellkept.rules.entries import entries
from wellkept.rules.render import parse_rendered


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the block with this key, or else the memory with this id.

    `of_agent`: it stands in one of the agent's own blocks, which is no place for facts about a user.
    """

    text: str
    block: str = ""
    memory: str = ""
    of_agent: bool = False


def notes(prompt: str) -> list[Note]:
    """Read the notes of a prompt, in order. A template is none: it is what an empty block looks like."""
    found: list[Note] = []
    for piece in parse_rendered(prompt):
        if piece.kind == "memory":
            found.append(Note(text=piece.text, memory=piece.id))
        elif piece.kind == "block" and not piece.template:
            scope, _, key = piece.id.partition("/")
            found += [Note(text=entry, block=key, of_agent=scope == "agent") for entry in entries(piece.text)]
    return found


def value_of(label: str, shown: Iterable[Note]) -> str:
    """Give what the notes say of a fact about the user (`Name: Sam`), "" when nothing."""
    note = note_of(label, shown)
    return "" if note is None else next(_values(label, note.text))


def note_of(label: str, shown: Iterable[Note]) -> Note | None:
    """Give the note that says a fact about the user."""
    return next((note for note in shown if not note.of_agent and any(_values(label, note.text))), None)


def fact(label: str, value: str) -> str:
    """Write a fact as a note."""
    return f"{label.capitalize()}: {value}"


def with_value(label: str, value: str, text: str) -> str:
    """Write another value (or none) into the line of a note that says a fact, and leave its other lines alone."""
    return _line(label).sub(lambda found: f"{found['before']} {value}".rstrip(), text, count=1)


def mentioning(text: str, shown: Iterable[Note]) -> list[Note]:
    """Give the notes that hold `text`, in capitals or not."""
    wanted = text.casefold()
    return [note for note in shown if wanted in note.text.casefold()]


def about(words: Sequence[str], shown: Iterable[Note]) -> list[Note]:
    """Give the notes that hold one of these words."""
    return [note for note in shown if any(word in note.text.casefold() for word in words)]


def lines(shown: Iterable[Note]) -> list[str]:
    """List what the notes say, a line each; a form's line that nobody filled in says nothing."""
    every = (line.strip() for note in shown for line in note.text.split("\n"))
    return [line.removeprefix("- ") for line in every if line and not re.fullmatch(r"(?:[-*] ?)?[^:]*:", line)]


def _values(label: str, text: str) -> Iterator[str]:
    return (found["value"] for found in _line(label).finditer(text) if found["value"])


def _line(label: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<before>[ \t]*(?:[-*][ \t]*)?{re.escape(label)}:)[ \t]*(?P<value>.*?)[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )
