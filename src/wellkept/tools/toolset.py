"""The tools of one turn."""

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.outcomes import Declared
from wellkept.model.turns import Turn
from wellkept.tools.memories import memory_tools
from wellkept.tools.memory_block import memory_block
from wellkept.tools.past_conversations import past_conversations
from wellkept.tools.tool import Tool


def toolset(memory: MemoryApi, turn: Turn, declared: Declared) -> list[Tool]:
    """Give what the model may call in this turn.

    `memory_block` where there are blocks, then the memory tools, then `search_past_conversations`.
    """
    blocks = [memory_block(memory, turn, declared.blocks)] if declared.blocks else []
    past = [past_conversations(memory, turn)] if declared.recall_tool else []
    return [*blocks, *memory_tools(memory, turn, declared.memory_tools), *past]
