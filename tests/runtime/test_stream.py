"""A stream: what it tells, in which order, and what becomes of one that is left early."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from wellkept.compose.assemble import Services
from wellkept.compose.stores import Stores
from wellkept.model.ids import AgentId, SessionId, TenantId
from wellkept.model.sessions import SessionKey
from wellkept.runtime.agent import Agent
from wellkept.runtime.events import Done, MemoryChanged, TextDelta, ToolCall, ToolResult, TurnEvent
from wellkept.runtime.limits import TurnLimits
from wellkept.runtime.runtime import Runtime

KEY = SessionKey(TenantId("default"), AgentId("support"), SessionId("s1"))


async def events(runtime: Runtime, said: str, session: str = "s1") -> list[TurnEvent]:
    return [event async for event in runtime.stream(said, session_id=session, user_id="u1")]


async def test_events_come_in_order(runtime: Runtime) -> None:
    told = await events(runtime, "call me Sam")
    kinds = [type(event) for event in told]
    assert kinds[:3] == [ToolCall, MemoryChanged, ToolResult]
    assert set(kinds[3:-1]) == {TextDelta}
    assert kinds.count(TextDelta) > 1
    assert kinds[-1] is Done


async def test_a_stream_and_a_run_come_to_the_same(runtime: Runtime) -> None:
    streamed = (await events(runtime, "call me Sam"))[-1]
    assert isinstance(streamed, Done)
    whole = await runtime.run("call me Sam", session_id="s2", user_id="u2")
    assert streamed.result.text == whole.text
    assert streamed.result.memory_changes == whole.memory_changes
    assert streamed.result.receipt == whole.receipt
    assert streamed.result.usage.requests == whole.usage.requests


async def test_the_pieces_of_text_are_the_text(runtime: Runtime) -> None:
    told = await events(runtime, "call me Sam")
    done = told[-1]
    assert isinstance(done, Done)
    assert "".join(event.text for event in told if isinstance(event, TextDelta)) == done.result.text


async def test_tools_are_for_the_programs_eyes(runtime: Runtime) -> None:
    channels = {type(event): event.channel for event in await events(runtime, "call me Sam")}
    assert channels == {
        ToolCall: "internal",
        ToolResult: "internal",
        MemoryChanged: "client",
        TextDelta: "client",
        Done: "client",
    }


async def test_a_call_and_its_result_have_one_id(runtime: Runtime) -> None:
    told = await events(runtime, "call me Sam and my plan is gold")
    calls = [event.id for event in told if isinstance(event, ToolCall)]
    assert len(set(calls)) == 2
    assert sorted(calls) == sorted(event.id for event in told if isinstance(event, ToolResult))


async def test_the_session_is_free_when_the_stream_says_done(stores: Stores, agent: Agent) -> None:
    async with Runtime([agent], store=stores, limits=TurnLimits(wait=0)) as runtime:
        async for event in runtime.stream("hi", session_id="s1"):
            if isinstance(event, Done):
                await runtime.run("hi again", session_id="s1")


async def test_pydantic_ais_own_test_model_calls_every_tool(stores: Stores, agent: Agent) -> None:
    everything = Agent("support", model=TestModel(), working_memory=agent.working_memory, memories=agent.memories)
    async with Runtime([everything], store=stores) as runtime:
        told = await events(runtime, "hi")
    names = {event.name for event in told if isinstance(event, ToolCall)}
    assert names == {
        "memory_block",
        "save_memory",
        "get_memory",
        "search_memories",
        "update_memory",
        "delete_memory",
    }
    assert isinstance(told[-1], Done)


@pytest.fixture
def slow() -> FunctionModel:
    async def speak(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "One "
        await asyncio.sleep(0)
        yield "two "
        await asyncio.sleep(30)
        yield "three."

    return FunctionModel(stream_function=speak)


async def left_alone(runtime: Runtime, services: Services) -> None:
    """Make sure that an abandoned turn left nothing: no claim, no message, no task."""
    assert not (await services.sessions.messages(KEY))
    async with asyncio.timeout(5), services.sessions.one_turn(KEY, wait=1):
        pass
    names = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # type: ignore[union-attr]
    assert not [name for name in names if name.startswith(("Turns.", "AgentRunEvents", "Agent."))]


async def test_a_stream_that_is_closed_frees_the_session(
    stores: Stores, services: Services, slow: FunctionModel
) -> None:
    async with Runtime([Agent("support", model=slow)], store=stores) as runtime:
        async with aclosing(runtime.stream("hi", session_id="s1")) as stream:
            first = await anext(stream)
        assert first == TextDelta(text="One ")
        await left_alone(runtime, services)


async def test_a_stream_that_is_left_frees_the_session(stores: Stores, services: Services, slow: FunctionModel) -> None:
    async with Runtime([Agent("support", model=slow)], store=stores) as runtime:
        async for _ in runtime.stream("hi", session_id="s1"):
            break
        await asyncio.sleep(0.05)
        await left_alone(runtime, services)


async def test_a_reader_that_is_cancelled_frees_the_session(
    stores: Stores, services: Services, slow: FunctionModel
) -> None:
    async with Runtime([Agent("support", model=slow)], store=stores) as runtime:
        heard = asyncio.Event()

        async def read() -> None:
            async for _ in runtime.stream("hi", session_id="s1"):
                heard.set()

        reader = asyncio.create_task(read())
        await heard.wait()
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        await left_alone(runtime, services)


async def test_what_a_left_turn_saved_stays_saved(runtime: Runtime) -> None:
    async with aclosing(runtime.stream("call me Sam", session_id="s1", user_id="u1")) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                break
    result = await runtime.run("what is my name?", session_id="s1", user_id="u1")
    assert result.text == "Your name is Sam."
