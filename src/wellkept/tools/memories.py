"""The five memory tools: saving, reading, finding, changing and deleting memories."""

from typing import Final

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.ids import GENERAL, MemoryId, memory_id
from wellkept.model.memories import MAX_MEMORY_BYTES, Memory, checked_memory_text
from wellkept.model.outcomes import MemoryWritten
from wellkept.model.turns import Turn
from wellkept.tools.answers import written
from wellkept.tools.arguments import Arguments, Schema, object_schema
from wellkept.tools.tool import Tool, Work

MOST_FOUND: Final = 20
DEFAULT_FOUND: Final = 10

_ID: Final[Schema] = {"type": "string", "description": "The memory's id: mem_ and 16 letters or digits."}
_TEXT: Final[Schema] = {
    "type": "string",
    "description": f"What to remember, in words that can be understood on their own; at most {MAX_MEMORY_BYTES} bytes.",
}


def memory_tools(memory: MemoryApi, turn: Turn, names: tuple[str, ...]) -> list[Tool]:
    """Give those of the five tools that are named, in a fixed order."""
    return [tool for tool in _all(memory, turn) if tool.name in names]


def _all(memory: MemoryApi, turn: Turn) -> tuple[Tool, ...]:
    async def save(arguments: Arguments) -> dict[str, object]:
        return _written("save", await memory.save_memory(turn, checked_memory_text(arguments.text("text"))))

    async def get(arguments: Arguments) -> dict[str, object]:
        return {"changed": False, "memory": _told(await memory.get_memory(turn, _id(arguments)))}

    async def search(arguments: Arguments) -> dict[str, object]:
        query = arguments.text("query")
        limit = arguments.whole("limit", default=DEFAULT_FOUND, low=1, high=MOST_FOUND)
        found = await memory.search_memories(turn, query, limit=limit)
        return {"changed": False, "memories": [_told(each.memory) for each in found]}

    async def update(arguments: Arguments) -> dict[str, object]:
        row, text = _id(arguments), checked_memory_text(arguments.text("text"))
        return _written("update", await memory.update_memory(turn, row, text), of=row)

    async def delete(arguments: Arguments) -> dict[str, object]:
        row = _id(arguments)
        return _written("delete", await memory.delete_memory(turn, row), of=row)

    return (
        _tool(
            "save_memory",
            save,
            "Remember something for later turns and sessions: one durable fact or preference per memory.",
            text=_TEXT,
        ),
        _tool("get_memory", get, "Read one memory by its id.", memory_id=_ID),
        _tool(
            "search_memories",
            search,
            "Find memories by words in them, best first. Use the distinctive words, names or numbers.",
            query={"type": "string", "description": "What to look for."},
            limit={"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": DEFAULT_FOUND},
        ),
        _tool(
            "update_memory",
            update,
            "Replace the whole text of a memory, when what it says has changed.",
            memory_id=_ID,
            text=_TEXT,
        ),
        _tool(
            "delete_memory",
            delete,
            "Delete a memory for good, when it is wrong or someone asks to forget it.",
            memory_id=_ID,
        ),
    )


def _tool(name: str, work: Work, description: str, **parameters: Schema) -> Tool:
    """Put a tool together; a parameter with a default may be left out."""
    required = tuple(parameter for parameter, schema in parameters.items() if "default" not in schema)
    return Tool(
        name=name,
        description=description,
        parameters=object_schema(parameters, required=required),
        kind="memory",
        known=tuple(parameters),
        work=work,
    )


def _id(arguments: Arguments) -> MemoryId:
    return memory_id(arguments.text("memory_id"), param="memory_id")


def _told(memory: Memory) -> dict[str, object]:
    """Say a memory to a model. `about` tells the user's own rows from the general ones; ids of users are not told."""
    return {
        "id": memory.id,
        "text": memory.text,
        "about": "everyone" if memory.user_id == GENERAL else "user",
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }


def _written(action: str, outcome: MemoryWritten, *, of: MemoryId | None = None) -> dict[str, object]:
    row = outcome.memory
    id = of or (row.id if row else outcome.held) or ""
    told = written(outcome.state, action=action, id=id, already="That is remembered already.")
    return told if row is None else told | {"memory": _told(row)}
