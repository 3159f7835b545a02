"""A write that waits, for the person who decides about it."""

from collections.abc import Sequence
from typing import Final

from wellkept.cli.backend import Backend
from wellkept.cli.times import moment
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory
from wellkept.model.review import HeldAction, HeldBlockEdit, HeldMemoryDelete, HeldMemorySave, HeldMemoryUpdate
from wellkept.rules.diff import unified
from wellkept.rules.edit import apply
from wellkept.wire.admin import HeldWriteAnswer

_WHOLE: Final = 1_000_000
"""Lines of context that no text has: who approves sees all that would stand there."""


def what(action: HeldAction) -> str:
    """Say what would be done, and to what, without the texts."""
    match action:
        case HeldBlockEdit(key, edit):
            return f"{_verb(edit)} {key.scope}/{key.key} of {key.owner}"
        case HeldMemorySave(_, user):
            return f"save a memory of {user}" if user else "save a general memory"
        case HeldMemoryUpdate(memory):
            return f"change {memory}"
        case HeldMemoryDelete(memory):
            return f"forget {memory}"


def texts(action: HeldAction) -> dict[str, str]:
    """Give the texts of a write: `match` names the entry that it is about, `text` would be stored."""
    match action:
        case HeldBlockEdit(_, edit):
            return _texts(edit)
        case HeldMemorySave(text, _) | HeldMemoryUpdate(_, text):
            return {"text": text}
        case HeldMemoryDelete():
            return {}


def _texts(edit: Add | Replace | Remove | Write) -> dict[str, str]:
    match edit:
        case Remove(match):
            return {"match": match}
        case Replace(content, match) if match is not None:
            return {"match": match, "text": content}
        case Add(text) | Replace(text) | Write(text):
            return {"text": text}


def told(held: HeldWriteAnswer) -> Sequence[tuple[str, str]]:
    """Give all there is to know about a write but its texts."""
    return (
        ("id", held.id),
        ("what", what(held.action)),
        ("why", ": ".join((held.reason, ", ".join(held.findings))) if held.findings else held.reason),
        ("asked", moment(held.created_at)),
        ("agent", held.agent_id),
        ("user", held.user_id or "none"),
        ("session", held.session_id or "none"),
    )


async def difference(on: Backend, held: HeldWriteAnswer) -> str:
    """Show what would change if the write were approved now, within the whole text that is stored.

    Raises:
        WellkeptError: It could not be done now; the class says why, as it would at the approval.
    """
    before, after = await _both(on, held)
    return unified(before, after, names=("now", "approved"), context=_WHOLE)


async def _both(on: Backend, held: HeldWriteAnswer) -> tuple[str, str]:
    match held.action:
        case HeldBlockEdit(key, edit, limit, template):
            try:
                before = (await on.get_block(key.scope, key.owner, key.key)).text
            except NotFound:
                before = ""
            return before, apply(edit, before, limit=limit, template=template)
        case HeldMemorySave(text):
            return "", text
        case HeldMemoryUpdate(memory, text, etag):
            return (await _meant(on, held.agent_id, memory, etag)).text, text
        case HeldMemoryDelete(memory, etag):
            return (await _meant(on, held.agent_id, memory, etag)).text, ""


async def _meant(on: Backend, agent: str, memory: MemoryId, etag: str) -> Memory:
    """Read the memory that a write is about, if it still is what the write was meant for."""
    stored = (await on.get_memory(agent, memory)).memory
    if stored.etag != etag:
        raise Conflict(memory=memory)
    return stored


def _verb(edit: Add | Replace | Remove | Write) -> str:
    match edit:
        case Add():
            return "add to"
        case Replace(_, None):
            return "replace all of"
        case Replace():
            return "replace an entry of"
        case Remove():
            return "remove an entry of"
        case Write():
            return "write"
