"""Our tools as pydantic-ai takes them, with a note of what they change."""

from collections.abc import Sequence
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.toolsets.abstract import SchemaValidatorProt

from wellkept.model.turns import Turn
from wellkept.tools.answers import UNAVAILABLE
from wellkept.tools.tool import Tool
from wellkept.wire.turns import MemoryChange

# What is right about the arguments, each tool says in its answer; here they only have to be an object.
_ANY_OBJECT: Final = cast(SchemaValidatorProt, TypeAdapter(dict[str, object]).validator)

_BAD_CALLS: Final = 3
"""Calls in a row whose arguments are no JSON object that a turn survives, for each tool."""


class MemoryToolset(AbstractToolset[Turn]):
    """The memory tools of one turn. `changes` are what they changed, in order; `degraded` what could not be reached."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Offer `tools`."""
        self.changes: list[MemoryChange] = []
        self.degraded: set[str] = set()
        self._tools = {tool.name: tool for tool in tools}

    @property
    def id(self) -> str:
        """Name the toolset."""
        return "wellkept"

    async def get_tools(self, ctx: RunContext[Turn]) -> dict[str, ToolsetTool[Turn]]:
        """Give the tools as the agent loop knows them."""
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=name, description=tool.description, parameters_json_schema=dict(tool.parameters)
                ),
                max_retries=_BAD_CALLS,
                args_validator=_ANY_OBJECT,
            )
            for name, tool in self._tools.items()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],  # Any: pydantic-ai's signature
        ctx: RunContext[Turn],
        tool: ToolsetTool[Turn],
    ) -> dict[str, object]:
        """Call a tool, and note what came of it."""
        called = self._tools[name]
        answer = await called.call(tool_args)
        held = answer.get("held") is True
        if answer.get("changed") is True or held:
            self.changes.append(
                MemoryChange(
                    kind=called.kind,
                    action=str(answer["action"]),
                    id=str(answer["id"]),
                    state="held" if held else "done",
                )
            )
        error = answer.get("error")
        if isinstance(error, dict) and cast(dict[str, object], error).get("code") == UNAVAILABLE:
            self.degraded.add("memory")
        return answer
