"""The tool `search_past_conversations`: what was said before, in other sessions of the user."""

from typing import Final

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.recall import PassageFound, RecallQuery
from wellkept.model.turns import Turn
from wellkept.rules.directive import DATA_NOTE
from wellkept.rules.escape import as_data
from wellkept.tools.arguments import Arguments, Schema, object_schema
from wellkept.tools.tool import Tool

NAME: Final = "search_past_conversations"
MOST_FOUND: Final = 20
DEFAULT_FOUND: Final = 10

_DESCRIPTION: Final = (
    "Find what was said in earlier conversations with this user, best match first: their words and yours, with date "
    "and speaker. Use it when the user refers to something that is not in this conversation. Ask in a whole sentence."
)


def past_conversations(memory: MemoryApi, turn: Turn) -> Tool:
    """Give the tool for a turn with a user."""

    async def work(arguments: Arguments) -> dict[str, object]:
        limit = arguments.whole("limit", default=DEFAULT_FOUND, low=1, high=MOST_FOUND)
        asked = RecallQuery(text=arguments.text("query"), limit=limit)
        recalled = await memory.search_past(turn, asked.text, limit=asked.limit)
        told: dict[str, object] = {
            "changed": False,
            "note": DATA_NOTE,
            "passages": [_told(found) for found in recalled.data],
        }
        return told | ({"degraded": list(recalled.degraded)} if recalled.degraded else {})

    parameters: dict[str, Schema] = {
        "query": {"type": "string", "description": "What to look for."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": DEFAULT_FOUND},
    }
    return Tool(
        name=NAME,
        description=_DESCRIPTION,
        parameters=object_schema(parameters, required=("query",)),
        kind="memory",
        known=tuple(parameters),
        work=work,
    )


def _told(found: PassageFound) -> dict[str, object]:
    """Say a passage to a model: what was said, and by whom, in lines of data, as in the prompt."""
    passage = found.passage
    return {
        "id": passage.id,
        "said_at": passage.at.isoformat(),
        "text": as_data(f"{passage.speaker}:\n{passage.text}"),
        "kind": passage.kind,
    }
