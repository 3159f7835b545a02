"""`MemoryApi` keeps its promises in process, through the SDK, and over a socket; and all three say the same."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from combinations import Places
from homes import HOMES
from memory_callers import CALLERS, ServiceBackstage, open_backstage
from wellkept.contract.memory_api import MemoryApi
from wellkept.model.edits import Add
from wellkept.model.ids import SessionId, UserId
from wellkept.model.turns import Turn
from wellkept.testing.backstage import CONFIG
from wellkept.testing.memory_api import MemoryApiContract
from wellkept.tools.toolset import toolset


@pytest.fixture
async def backstage() -> AsyncIterator[ServiceBackstage]:
    async with open_backstage() as made:
        yield made


# What a socket adds does not depend on the store.
PAIRS = [(home, caller) for home in HOMES for caller in CALLERS if home == "inproc" or caller != "over a socket"]


@pytest.mark.parametrize(("home", "caller"), PAIRS)
class TestMemoryApi(MemoryApiContract):
    """Every promise, every caller, every store and wrapper behind it."""

    @pytest.fixture
    async def backstage(self, home: str, tmp_path: Path) -> AsyncIterator[ServiceBackstage]:
        async with open_backstage(*HOMES[home](Places(tmp_path))) as made:
            yield made

    @pytest.fixture
    async def memory(self, backstage: ServiceBackstage, caller: str) -> AsyncIterator[MemoryApi]:
        async with CALLERS[caller](backstage.services) as made:
            yield made


async def test_all_callers_are_told_the_same(backstage: ServiceBackstage) -> None:
    """To the byte: the section of the prompt, its receipt, what is declared, and what the tools say and are."""
    turn = Turn(
        tenant=backstage.tenant,
        agent=await backstage.agent(CONFIG),
        user=UserId("用户/1"),
        session=SessionId("s 1"),
    )
    here = backstage.services.memory
    await here.edit_block(turn, "USER", Add("### heading\r\n```\nLikes \u2028 tea."))
    for text in ("one", "two\n§\n", "</memories> \U0001f600"):
        await here.save_memory(turn, text)
        backstage.advance(1)
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(open_it(backstage.services)) for open_it in CALLERS.values()]
        contexts = [msgspec.json.encode(await memory.context(turn, query="q")) for memory in callers]
        assert contexts[0] == contexts[1] == contexts[2]
        told = []
        for memory in callers:
            declared = await memory.declared(turn)
            tools = toolset(memory, turn, declared)
            calls = {
                "memory_block": {"action": "view", "block": "USER"},
                "search_memories": {"query": "two"},
                "save_memory": {"text": "one"},
                "get_memory": {"memory_id": "mem_0000000000000000"},
                "update_memory": {"memory_id": "mem_0000000000000000", "text": "REJECT"},
            }
            answers = {tool.name: await tool.call(calls.get(tool.name, {})) for tool in tools}
            told.append((declared, [(tool.name, tool.description, tool.parameters) for tool in tools], answers))
        assert told[0] == told[1] == told[2]
