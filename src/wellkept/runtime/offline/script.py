"""What the scripted model does next: call tools, or speak. A pure function of what it was shown."""

from collections.abc import Sequence
from typing import Final

import msgspec

from wellkept.runtime.offline import notes as memory
from wellkept.runtime.offline.notes import Note
from wellkept.runtime.offline.wishes import Ask, AskAll, Chat, Forget, Remember, Tell, Wish, wishes


class Call(msgspec.Struct, frozen=True):
    """Call a tool."""

    tool: str
    arguments: dict[str, object]


class FoundMemory(msgspec.Struct, frozen=True):
    """A memory that a search found."""

    id: str
    text: str


class Trouble(msgspec.Struct, frozen=True):
    """Why a tool did not do what it was asked for."""

    message: str = "the tool failed"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the script reads of a tool's answer."""

    held: bool = False
    memories: tuple[FoundMemory, ...] = ()
    error: Trouble | None = None


class Answered(msgspec.Struct, frozen=True):
    """A tool that was called in this turn, and its answer."""

    tool: str
    answer: Answer


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What the model sees: the user's message, the notes in the prompt, what it may call, and what its calls gave.

    `blocks` are the keys that the tool `memory_block` takes, none: there is no
    such tool; `own_blocks` those among them that belong to the user.
    """

    said: str
    notes: Sequence[Note]
    blocks: Sequence[str] = ()
    own_blocks: Sequence[str] = ()
    tools: frozenset[str] = frozenset()
    answered: Sequence[Answered] = ()


Step = Sequence[Call] | str
"""Calls to make at once, or what to say at last."""

_CANNOT: Final = "I have no memory to write to here, so I will not know it next time."
_NOTHING: Final = "I do not know anything about you yet."


def step(scene: Scene) -> Step:
    """Decide."""
    wanted = wishes(scene.said)
    calls = _calls(wanted, scene)
    if calls:
        return calls
    replies = [*(_reply(wish, scene) for wish in wanted), _trouble(scene.answered)]
    return " ".join(reply for reply in replies if reply)


def _calls(wanted: Sequence[Wish], scene: Scene) -> list[Call]:
    if scene.answered:
        return _second_calls(wanted, scene)
    return [call for wish in wanted for call in _first_calls(wish, scene)]


def _first_calls(wish: Wish, scene: Scene) -> list[Call]:
    match wish:
        case Tell(label, value) if memory.value_of(label, scene.notes) != value:
            return _write(label, value, scene)
        case Remember(text) if not _is_noted(text, scene):
            return _save(text, scene)
        case Forget(text, label):
            fitting = _fitting(text, label, scene)
            if len(fitting) == 1:
                return _forget(fitting[0], label, scene)
            if not fitting and not label and {"search_memories", "delete_memory"} <= scene.tools:
                return [Call("search_memories", {"query": text})]
            return []
        case _:
            return []


def _second_calls(wanted: Sequence[Wish], scene: Scene) -> list[Call]:
    """After a search for what to forget: delete it, if it is one memory."""
    if [done.tool for done in scene.answered] != ["search_memories"]:
        return []
    found = _found(wanted, scene)
    return [Call("delete_memory", {"memory_id": found[0].memory})] if len(found) == 1 else []


def _found(wanted: Sequence[Wish], scene: Scene) -> list[Note]:
    """Give the memories that a search found and that hold what is to be forgotten."""
    rows = (row for done in scene.answered for row in done.answer.memories)
    found = [Note(text=row.text, memory=row.id) for row in rows]
    return [note for wish in wanted if isinstance(wish, Forget) for note in memory.mentioning(wish.text, found)]


def _write(label: str, value: str, scene: Scene) -> list[Call]:
    """Note a fact about the user, in place of what the notes say of it: in a block of the user's, or nowhere.

    The agent's blocks, and memories in a turn without a user, are for everybody to read.
    """
    old = memory.note_of(label, scene.notes)
    if old is not None and old.block in scene.own_blocks:
        return [_replace(old, memory.with_value(label, value, old.text))]
    return [_add(memory.fact(label, value), scene.own_blocks)] if scene.own_blocks else []


def _save(text: str, scene: Scene) -> list[Call]:
    if "save_memory" in scene.tools:
        return [Call("save_memory", {"text": text})]
    blocks = scene.own_blocks or scene.blocks
    return [_add(text, blocks)] if blocks else []


def _add(text: str, blocks: Sequence[str]) -> Call:
    block = "USER" if "USER" in blocks else blocks[0]
    return Call("memory_block", {"action": "add", "block": block, "content": text})


def _forget(note: Note, label: str, scene: Scene) -> list[Call]:
    if note.block:
        if note.block not in scene.blocks:
            return []
        if label and "\n" in note.text:
            return [_replace(note, memory.with_value(label, "", note.text))]
        return [Call("memory_block", {"action": "remove", "block": note.block, "match": note.text})]
    return [Call("delete_memory", {"memory_id": note.memory})] if "delete_memory" in scene.tools else []


def _replace(note: Note, text: str) -> Call:
    return Call("memory_block", {"action": "replace", "block": note.block, "match": note.text, "content": text})


def _fitting(text: str, label: str, scene: Scene) -> list[Note]:
    if label:
        note = memory.note_of(label, scene.notes)
        return [] if note is None else [note]
    return memory.mentioning(text, scene.notes)


def _is_noted(text: str, scene: Scene) -> bool:
    return any(note.text == text for note in scene.notes)


def _reply(wish: Wish, scene: Scene) -> str:
    match wish:
        case Tell("name", value):
            return _told(f"Nice to meet you, {value}.", scene, noted=memory.value_of("name", scene.notes) == value)
        case Tell(label, value):
            noted = memory.value_of(label, scene.notes) == value
            return _told(f"Understood: your {label} is {value}.", scene, noted=noted)
        case Remember(text):
            return _told(f"I will remember: {text}.", scene, noted=_is_noted(text, scene))
        case Forget():
            return _forgotten(wish, scene)
        case AskAll():
            known = memory.lines(scene.notes)
            return "\n".join(["Here is what I know:", *(f"- {line}" for line in known)]) if known else _NOTHING
        case Ask(label):
            value = memory.value_of(label, scene.notes)
            return f"Your {label} is {value}." if value else f"I do not know your {label} yet."
        case Chat(words):
            return _small_talk(words, scene)


def _told(reply: str, scene: Scene, *, noted: bool) -> str:
    """Give a reply, and say so when nothing could be noted."""
    return reply if noted or scene.answered else f"{reply} {_CANNOT}"


def _forgotten(wish: Forget, scene: Scene) -> str:
    if any(done.tool != "search_memories" for done in scene.answered):
        return "" if _trouble(scene.answered) else "Forgotten."
    fitting = _fitting(wish.text, wish.label, scene) or _found([wish], scene)
    if len(fitting) > 1:
        return "\n".join(["Which of these should I forget?", *(f"- {note.text}" for note in fitting)])
    return f"I cannot change what I know here: {fitting[0].text}" if fitting else "I know nothing of that."


def _trouble(answered: Sequence[Answered]) -> str:
    """Say what did not work; "" when all did."""
    for done in answered:
        if done.answer.held:
            return "It waits until someone approves it."
        if done.answer.error is not None:
            return f"That did not work: {done.answer.error.message}"
    return ""


def _small_talk(words: Sequence[str], scene: Scene) -> str:
    known = memory.lines(memory.about(words, scene.notes))
    if known:
        return "\n".join(["From what I know:", *(f"- {line}" for line in known)])
    name = memory.value_of("name", scene.notes)
    greeting = f"Hello, {name}." if name else "Hello."
    return f"{greeting} I am the offline model: tell me your name, or ask me what I know about you."
