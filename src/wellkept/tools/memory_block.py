"""The tool `memory_block`: reading and editing the blocks that stand in the prompt."""

from typing import Final

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.errors import InvalidInput
from wellkept.model.outcomes import BlockView, BlockWritten, DeclaredBlock
from wellkept.model.turns import Turn
from wellkept.tools.answers import written
from wellkept.tools.arguments import Arguments, Schema, object_schema
from wellkept.tools.tool import Tool

NAME: Final = "memory_block"
ACTIONS: Final = ("view", "add", "replace", "remove")
_KNOWN: Final = ("action", "block", "content", "match")


def memory_block(memory: MemoryApi, turn: Turn, blocks: tuple[DeclaredBlock, ...]) -> Tool:
    """Give the tool for a turn that has these blocks (at least one): the model can name no other."""
    keys = tuple(block.key for block in blocks)

    async def work(arguments: Arguments) -> dict[str, object]:
        action = _one_of("action", arguments.text("action"), ACTIONS)
        block = _one_of("block", arguments.text("block"), keys)
        if action == "view":
            for name in ("content", "match"):
                arguments.refuse(name, because="is not for view, which changes nothing")
            return _seen(await memory.view_block(turn, block))
        return _written(action, await memory.edit_block(turn, block, _edit(action, arguments)))

    return Tool(
        name=NAME,
        description=_description(blocks),
        parameters=_parameters(keys),
        kind="block",
        known=_KNOWN,
        work=work,
    )


def _edit(action: str, arguments: Arguments) -> Add | Replace | Remove:
    match action:
        case "add":
            arguments.refuse("match", because="is not for add, which appends; use replace to change an entry")
            return Add(arguments.text("content"))
        case "replace":
            return Replace(arguments.text("content"), arguments.text_or_none("match"))
        case _:
            arguments.refuse("content", because="is not for remove; name the entry by match")
            return Remove(arguments.text("match"))


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InvalidInput(param=name, problem=f"must be one of {', '.join(choices)}")
    return value


def _seen(view: BlockView) -> dict[str, object]:
    return {
        "changed": False,
        "block": view.key,
        "scope": view.scope,
        "content": view.text,
        "empty": view.empty,
        "chars": view.chars,
        "limit": view.limit,
    }


def _written(action: str, outcome: BlockWritten) -> dict[str, object]:
    id = f"{outcome.scope}/{outcome.key}"
    return written(outcome.state, action=action, id=id, already="The block says that already.") | {
        "block": outcome.key,
        "scope": outcome.scope,
        "chars": outcome.chars,
        "limit": outcome.limit,
    }


def _description(blocks: tuple[DeclaredBlock, ...]) -> str:
    lines = [
        "Read or edit the notes that stand in the working memory section of the prompt, every turn. "
        "view reads a block as it is now; add appends an entry; replace puts content in place of the one entry "
        "that contains match, or of the whole block without match; remove deletes the one entry that contains match.",
        "Blocks:",
    ]
    for block in blocks:
        closed = "" if block.writable else ", read only"
        about = f": {block.description}" if block.description else ""
        lines.append(f"- {block.key} ({block.scope}, at most {block.limit} characters{closed}){about}")
    return "\n".join(lines)


def _parameters(keys: tuple[str, ...]) -> Schema:
    return object_schema(
        {
            "action": {"type": "string", "enum": list(ACTIONS)},
            "block": {"type": "string", "enum": list(keys), "description": "Which block."},
            "content": {"type": "string", "description": "For add and replace: the entry's text."},
            "match": {
                "type": "string",
                "description": "For remove and replace: a piece of text that exactly one entry contains.",
            },
        },
        required=("action", "block"),
    )
