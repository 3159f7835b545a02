"""Sessions: whose they are, one turn at a time, and what of them the model sees again."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from wellkept.compose.assemble import Services
from wellkept.compose.stores import Stores
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import WorkingMemorySpec
from wellkept.model.errors import (
    AgentDisabled,
    AgentVersionNotFound,
    InvalidInput,
    ModelFailed,
    NotFound,
    SessionBusy,
    SessionUserMismatch,
    SessionVersionMismatch,
    StoreUnavailable,
)
from wellkept.model.ids import AgentId, SessionId, TenantId
from wellkept.model.sessions import SessionKey, SessionMessage
from wellkept.runtime.agent import Agent, Memories
from wellkept.runtime.limits import TurnLimits
from wellkept.runtime.runtime import Runtime
from wellkept.testing.samples import becomes

TENANT = TenantId("default")
KEY = SessionKey(TENANT, AgentId("support"), SessionId("s1"))


class Scripted:
    """A model that waits when told to, fails when told to, and keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[list[ModelMessage]] = []
        self.gate: asyncio.Event | None = None
        self.entered = asyncio.Semaphore(0)
        self.running = 0
        self.most = 0
        self.model = FunctionModel(self._answer, stream_function=self._stream, model_name="scripted")

    async def _enter(self, messages: list[ModelMessage]) -> str:
        self.seen.append(list(messages))
        self.running += 1
        self.most = max(self.most, self.running)
        self.entered.release()
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0.005))
        finally:
            self.running -= 1
        return f"Answer {len(self.seen)}."

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(await self._enter(messages))])

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "So: "
        yield await self._enter(messages)


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
async def talking(scripted: Scripted, stores: Stores) -> AsyncIterator[Runtime]:
    async with Runtime([Agent("support", model=scripted.model)], store=stores) as opened:
        yield opened


def users_said(messages: list[ModelMessage]) -> list[str]:
    return [
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]


async def test_a_session_goes_on_where_it_was(talking: Runtime, scripted: Scripted, services: Services) -> None:
    await talking.run("first", session_id="s1", user_id="u1")
    await talking.run("second", session_id="s1", user_id="u1")
    assert users_said(scripted.seen[-1]) == ["first", "second"]
    rows = await services.sessions.messages(KEY, limit=None)
    assert [(row.number, row.role, row.text) for row in rows] == [
        (1, "user", "first"),
        (2, "assistant", "Answer 1."),
        (3, "user", "second"),
        (4, "assistant", "Answer 2."),
    ]


async def test_another_users_turn_is_refused(talking: Runtime, scripted: Scripted) -> None:
    await talking.run("first", session_id="s1", user_id="u1")
    for user in ("u2", None):
        with pytest.raises(SessionUserMismatch):
            await talking.run("second", session_id="s1", user_id=user)
        with pytest.raises(SessionUserMismatch):
            [event async for event in talking.stream("second", session_id="s1", user_id=user)]
    assert len(scripted.seen) == 1


async def test_a_session_is_an_agents_own(stores: Stores, scripted: Scripted) -> None:
    agents = [Agent("one", model=scripted.model), Agent("two", model=scripted.model)]
    async with Runtime(agents, store=stores) as runtime:
        await runtime.run("first", session_id="s1", user_id="u1", agent_id="one")
        await runtime.run("second", session_id="s1", user_id="u2", agent_id="two")
        with pytest.raises(InvalidInput):
            await runtime.run("third", session_id="s1")
    assert users_said(scripted.seen[-1]) == ["second"]


async def test_tenants_are_strangers(talking: Runtime, scripted: Scripted) -> None:
    await talking.run("first", session_id="s1", user_id="u1", tenant="acme")
    await talking.run("second", session_id="s1", user_id="u2", tenant="other")
    assert users_said(scripted.seen[-1]) == ["second"]


async def test_turns_of_a_session_run_one_at_a_time(talking: Runtime, scripted: Scripted, services: Services) -> None:
    await asyncio.gather(*(talking.run(f"turn {n}", session_id="s1", user_id="u1") for n in range(6)))
    assert scripted.most == 1
    assert users_said(scripted.seen[-1])[:5] == users_said(scripted.seen[-2])
    assert (await services.sessions.get(KEY)).length == 12


async def test_turns_of_several_sessions_run_together(talking: Runtime, scripted: Scripted) -> None:
    scripted.gate = asyncio.Event()
    running = [asyncio.create_task(talking.run("hi", session_id=f"s{n}")) for n in range(4)]
    for _ in running:
        await scripted.entered.acquire()
    scripted.gate.set()
    await asyncio.gather(*running)


async def test_who_does_not_wait_is_told_that_the_session_is_busy(stores: Stores, scripted: Scripted) -> None:
    scripted.gate = asyncio.Event()
    agent = Agent("support", model=scripted.model)
    async with Runtime([agent], store=stores, limits=TurnLimits(wait=0)) as runtime:
        first = asyncio.create_task(runtime.run("first", session_id="s1"))
        await scripted.entered.acquire()
        with pytest.raises(SessionBusy):
            await runtime.run("second", session_id="s1")
        scripted.gate.set()
        await first
        await runtime.run("third", session_id="s1")


async def test_a_cancelled_turn_adds_nothing_and_frees_the_session(
    talking: Runtime, scripted: Scripted, services: Services
) -> None:
    scripted.gate = asyncio.Event()
    turn = asyncio.create_task(talking.run("first", session_id="s1", user_id="u1"))
    await scripted.entered.acquire()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    scripted.gate = None
    await talking.run("second", session_id="s1", user_id="u1")
    assert users_said(scripted.seen[-1]) == ["second"]
    assert (await services.sessions.get(KEY)).length == 2


async def test_a_failed_turn_adds_nothing(stores: Stores, services: Services) -> None:
    def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise TimeoutError("the provider's own")

    async with Runtime([Agent("support", model=FunctionModel(fails))], store=stores) as runtime:
        with pytest.raises(ModelFailed) as caught:
            await runtime.run("first", session_id="s1")
    assert caught.value.facts["reason"] == "unexpected"
    assert not await services.sessions.messages(KEY)


async def test_without_a_session_one_begins(talking: Runtime, scripted: Scripted) -> None:
    first, other = await talking.run("first"), await talking.run("other")
    assert first.session_id
    assert first.session_id != other.session_id
    await talking.run("second", session_id=first.session_id)
    assert users_said(scripted.seen[-1]) == ["first", "second"]


async def test_a_turn_that_is_not_kept(talking: Runtime, services: Services) -> None:
    result = await talking.run("first", user_id="u1", keep=False)
    assert (result.text, result.session_id) == ("Answer 1.", None)
    assert not (await services.sessions.list(TENANT, AgentId("support"))).data
    with pytest.raises(InvalidInput):
        await talking.run("second", session_id="s1", keep=False)


@pytest.mark.parametrize(
    ("most", "expected"), [(0, []), (1, []), (2, ["3"]), (3, ["3"]), (4, ["2", "3"]), (99, ["1", "2", "3"])]
)
async def test_a_long_history_is_cut_at_a_users_message(
    stores: Stores, scripted: Scripted, most: int, expected: list[str]
) -> None:
    agent = Agent("support", model=scripted.model)
    async with Runtime([agent], store=stores, limits=TurnLimits(history=most)) as runtime:
        for said in ("1", "2", "3", "now"):
            await runtime.run(said, session_id="s1")
    assert users_said(scripted.seen[-1]) == [*expected, "now"]
    assert isinstance(scripted.seen[-1][0], ModelRequest)


async def test_rows_of_other_programs_are_history_too(talking: Runtime, scripted: Scripted, services: Services) -> None:
    await talking.run("first", session_id="s1")
    at = services.clock.now()
    rows = [
        SessionMessage(number=3, role="user", text="said elsewhere", at=at),
        SessionMessage(number=4, role="assistant", text="answered elsewhere", at=at),
    ]
    await services.sessions.append(KEY, rows)
    await talking.run("second", session_id="s1")
    assert users_said(scripted.seen[-1]) == ["first", "said elsewhere", "second"]


@pytest.fixture
async def versioned(stores: Stores, services: Services, scripted: Scripted) -> AsyncIterator[Runtime]:
    """An agent of the directory, with two versions."""
    await services.agents.create(TENANT, AgentConfig(name="A", instructions="Be brief."), id="support")
    await services.agents.update(TENANT, AgentId("support"), becomes(AgentConfig(name="A", instructions="Be long.")))
    async with Runtime(store=stores, default_model=scripted.model) as opened:
        yield opened


async def test_the_version_is_resolved_at_every_turn(
    versioned: Runtime, services: Services, scripted: Scripted
) -> None:
    assert (await versioned.run("hi", session_id="s1", agent_id="support")).version == 2
    await services.agents.update(TENANT, AgentId("support"), becomes(AgentConfig(name="A", instructions="Be kind.")))
    assert (await versioned.run("hi", session_id="s1", agent_id="support")).version == 3
    request = scripted.seen[-1][-1]
    assert isinstance(request, ModelRequest)
    assert request.instructions == "Be kind."


async def test_a_session_keeps_the_version_it_was_pinned_to(versioned: Runtime, scripted: Scripted) -> None:
    assert (await versioned.run("hi", session_id="s1", agent_id="support", version=1)).version == 1
    assert (await versioned.run("hi", session_id="s1", agent_id="support")).version == 1
    request = scripted.seen[-1][-1]
    assert isinstance(request, ModelRequest)
    assert request.instructions == "Be brief."
    with pytest.raises(SessionVersionMismatch):
        await versioned.run("hi", session_id="s1", agent_id="support", version=2)


async def test_an_update_does_not_split_a_running_turn(stores: Stores, services: Services) -> None:
    """What the prompt showed, the tools still do: the turn keeps the version that it began with."""
    await services.agents.create(TENANT, AgentConfig(name="A", working_memory=WorkingMemorySpec()), id="support")

    async def update_and_save(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("Hello Sam.")])
        await services.agents.update(TENANT, AgentId("support"), becomes(AgentConfig(name="A")))
        call = {"action": "add", "block": "USER", "content": "Name: Sam"}
        return ModelResponse(parts=[ToolCallPart("memory_block", call)])

    async with Runtime(store=stores, default_model=FunctionModel(update_and_save)) as runtime:
        result = await runtime.run("call me Sam", session_id="s1", user_id="u1", agent_id="support")
    assert (result.version, [change.action for change in result.memory_changes]) == (1, ["add"])


async def test_a_store_that_fails_in_a_tool_is_told_to_the_model_and_in_the_result(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreUnavailable(store="test")

    async with Runtime([Agent("support", model="offline", memories=Memories())], store=stores) as runtime:
        monkeypatch.setattr(stores.memories, "create", fails)
        result = await runtime.run("remember that I like tea", user_id="u1")
    assert (result.degraded, result.memory_changes) == (("memory",), ())


async def test_agents_and_versions_that_there_are_not(versioned: Runtime, services: Services) -> None:
    with pytest.raises(NotFound):
        await versioned.run("hi", session_id="s1", agent_id="nobody")
    with pytest.raises(AgentVersionNotFound):
        await versioned.run("hi", session_id="s1", agent_id="support", version=9)
    await services.agents.disable(TENANT, AgentId("support"))
    with pytest.raises(AgentDisabled):
        await versioned.run("hi", session_id="s1", agent_id="support")
    assert not (await services.sessions.list(TENANT, AgentId("support"))).data, "a refused turn makes no session"


@pytest.mark.parametrize("said", ["", " ", "\n\t", "\x00", "hi \ud800", "\u200b"])
async def test_bad_input_is_refused(talking: Runtime, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await talking.run(said, session_id="s1")
    assert caught.value.param == "input"
