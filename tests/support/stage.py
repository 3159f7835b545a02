"""A server with an agent that remembers, and the doors that users have: REST, SDK, a turn's tools, the runtime."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from house import OURS, House, open_house
from wellkept.client.async_client import AsyncClient
from wellkept.compose.defaults import ASSISTANT, ASSISTANT_CONFIG
from wellkept.contract.embedder import Embedder
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.ids import AgentId, SessionId, UserId
from wellkept.model.memories import Pool
from wellkept.model.turns import Turn
from wellkept.runtime.runtime import Runtime
from wellkept.tools.tool import Tool
from wellkept.tools.toolset import toolset

CONFIG = AgentConfig(
    name="Support",
    tools=("memory",),
    memory_injection_enabled=True,
    working_memory=WorkingMemorySpec(auto_load=(BlockSpec("user", "USER"), BlockSpec("agent", "MEMORY"))),
)
Call = tuple[str, Mapping[str, object]]


@dataclass
class Stage:
    """One server. `agent` has a block of the user's, one of its own, the memory tools and rendered memories."""

    house: House
    http: httpx2.AsyncClient
    client: AsyncClient
    agent: str

    @property
    def path(self) -> str:
        """The address of the agent."""
        return f"/v1/agents/{self.agent}"

    @property
    def pool(self) -> Pool:
        return Pool(OURS, AgentId(self.agent))

    def turn(self, user: str | None = "maya", session: str | None = None) -> Turn:
        """A turn of the agent."""
        return Turn(
            tenant=OURS,
            agent=AgentId(self.agent),
            user=None if user is None else UserId(user),
            session=None if session is None else SessionId(session),
        )

    async def tool(self, name: str, user: str | None = "maya", **arguments: object) -> dict[str, Any]:
        """What a tool answers a model in a turn of that user."""
        return await (await self.tools(user))[name].call(arguments)

    async def tools(self, user: str | None = "maya") -> dict[str, Tool]:
        memory, turn = self.house.services.memory, self.turn(user)
        return {tool.name: tool for tool in toolset(memory, turn, await memory.declared(turn))}

    async def save(self, text: str, user: str = "maya") -> str:
        """Make a memory, and give its id."""
        return (await self.client.memories.create(self.agent, text=text, user_id=user)).memory.id

    async def texts(self, **query: Any) -> list[str]:
        """What an administrator's list holds."""
        return [row.text async for row in self.client.memories.iter(self.agent, **query)]

    async def found(self, query: str, user: str | None = "maya") -> list[str]:
        """What the turn's search finds, best first."""
        found = await self.client.turns.search_memories(self.agent, query, user_id=user, limit=20)
        return [each.memory.text for each in found.data]

    async def prompt(self, user: str | None = "maya") -> str:
        """The memory part of the prompt."""
        return (await self.client.context.render(self.agent, user_id=user)).text

    def runtime(self, *turns: list[Call]) -> "tuple[Runtime, Played]":
        """A runtime over the same services, whose model makes these calls, turn by turn of its own loop."""
        played = Played(list(turns))
        model = FunctionModel(played.answer)
        return Runtime(services=self.house.services, default_model=model, tenant=OURS), played


@dataclass
class Played:
    """A model that calls tools as it is told to, and keeps what it was shown."""

    script: list[list[Call]]
    seen: list[ModelMessage] | None = None

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen = messages
        if not self.script:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, dict(arguments)) for name, arguments in self.script.pop(0)])

    @property
    def told(self) -> list[Any]:
        """What its calls were answered with."""
        parts = [part for message in self.seen or [] for part in message.parts if part.part_kind == "tool-return"]
        return [json.loads(part.content) if isinstance(part.content, str) else part.content for part in parts]


@asynccontextmanager
async def open_stage(
    url: str, blocks_url: str | None = None, *, embedder: Embedder | None = None
) -> AsyncIterator[Stage]:
    async with open_house(url, blocks_url=blocks_url, embedder=embedder) as house, house.client() as http:
        transport = httpx2.ASGITransport(house.app)
        async with AsyncClient(api_key=house.key, base_url="http://wellkept.test", transport=transport) as client:
            await house.services.agents.create(OURS, ASSISTANT_CONFIG, id=ASSISTANT)
            yield Stage(house, http, client, await house.agent(config=CONFIG))


def code(answer: httpx2.Response) -> tuple[int, str]:
    """How a request was refused."""
    return answer.status_code, answer.json()["error"]["code"]


INVALID = (400, "validation_failed")
