"""A provider over a real socket: what it is asked, what it answers, and all the ways in which it fails."""

import json
import logging
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from openai_peer import Peer, Reply, peer
from wellkept.compose.stores import Stores
from wellkept.model.errors import ModelFailed
from wellkept.runtime.agent import Agent, Memories, WorkingMemory
from wellkept.runtime.events import Done, TextDelta, ToolCall, TurnEvent
from wellkept.runtime.limits import TurnLimits
from wellkept.runtime.runtime import Runtime

ADD = json.dumps({"action": "add", "block": "USER", "content": "Name: Sam"})
SECRET = "my code is 4711-heliotrope"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    with peer() as played:
        monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
        monkeypatch.setenv("OPENAI_BASE_URL", played.url)
        yield played


@pytest.fixture
def agent() -> Agent:
    return Agent(
        "support",
        model="openai-chat:peer",
        instructions="You are a helpful support agent.",
        working_memory=WorkingMemory(),
        memories=Memories(inject=True),
    )


def impatient(url: str, *, timeout: float = 5.0) -> OpenAIChatModel:
    """A model whose client does not try again, so that a failure takes no time."""
    client = AsyncOpenAI(base_url=url, api_key="no-key-at-all", max_retries=0, timeout=timeout)
    return OpenAIChatModel("peer", provider=OpenAIProvider(openai_client=client))


async def take_a_turn(runtime: Runtime, said: str, *, streamed: bool) -> list[TurnEvent]:
    """Run a turn whole, or read a stream to its end."""
    if streamed:
        return [event async for event in runtime.stream(said, session_id="s1", user_id="u1")]
    return [Done(result=await runtime.run(said, session_id="s1", user_id="u1"))]


@pytest.fixture
async def failing(provider: Peer, stores: Stores) -> AsyncIterator[Runtime]:
    agent = Agent("support", model=impatient(provider.url), working_memory=WorkingMemory(), memories=Memories())
    async with Runtime([agent], store=stores) as opened:
        yield opened


async def test_a_turn_goes_through_the_tools(provider: Peer, runtime: Runtime) -> None:
    provider.plays(Reply(calls=[("memory_block", ADD)]), Reply(text="Hello Sam."))
    result = await runtime.run("call me Sam", session_id="s1", user_id="u1")
    assert result.text == "Hello Sam."
    assert [(change.action, change.id) for change in result.memory_changes] == [("add", "user/USER")]
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (2, 22, 14)

    provider.plays(Reply(text="You are Sam."))
    await runtime.run("who am I?", session_id="s2", user_id="u1")
    assert "| Name: Sam" in provider.system()
    offered = {tool["function"]["name"] for tool in provider.requests[-1]["tools"]}
    assert {"memory_block", "save_memory", "search_memories"} <= offered


async def test_memory_stands_after_the_instructions(provider: Peer, runtime: Runtime) -> None:
    provider.plays(Reply(text="Hello."))
    await runtime.run("hi", user_id="u1")
    assert provider.system().startswith("You are a helpful support agent.\n\n## Working memory\n")


async def test_a_streamed_turn_says_and_does_the_same(provider: Peer, runtime: Runtime) -> None:
    provider.plays(Reply(text="One moment.", calls=[("memory_block", ADD)]), Reply(text="Hello Sam, well met."))
    events = [event async for event in runtime.stream("call me Sam", session_id="s1", user_id="u1")]
    done = events[-1]
    assert isinstance(done, Done)
    spoken = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert spoken == done.result.text == "One moment.\n\nHello Sam, well met."
    assert [event.arguments["content"] for event in events if isinstance(event, ToolCall)] == ["Name: Sam"]
    assert done.result.memory_changes


async def test_several_tools_at_once(provider: Peer, runtime: Runtime) -> None:
    saves = [("save_memory", json.dumps({"text": f"Fact {number}."})) for number in range(5)]
    provider.plays(Reply(calls=saves), Reply(text="Saved."))
    result = await runtime.run("remember five facts", user_id="u1")
    assert len({change.id for change in result.memory_changes}) == 5


@pytest.mark.parametrize(
    "arguments",
    ["not JSON", "[1, 2]", '"text"', "{}", '{"action": "add"}', '{"action": "burn", "block": "USER"}', '{"block": 5}'],
)
async def test_bad_arguments_are_told_to_the_model(provider: Peer, runtime: Runtime, arguments: str) -> None:
    provider.plays(Reply(calls=[("memory_block", arguments)]), Reply(text="Sorry."))
    result = await runtime.run("call me Sam", user_id="u1")
    assert (result.text, result.memory_changes) == ("Sorry.", ())
    told = provider.requests[-1]["messages"][-1]
    assert told["role"] == "tool"
    assert told["content"]


async def test_a_tool_that_there_is_not_ends_no_turn(provider: Peer, runtime: Runtime) -> None:
    provider.plays(Reply(calls=[("drop_all", "{}")]), Reply(text="Sorry."))
    assert (await runtime.run("hi", user_id="u1")).text == "Sorry."


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_error_of_the_provider_is_ours(
    provider: Peer, failing: Runtime, status: int, streamed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    provider.plays(Reply(status=status))
    caplog.set_level(logging.DEBUG, logger="wellkept")
    with pytest.raises(ModelFailed) as caught:
        await take_a_turn(failing, SECRET, streamed=streamed)
    assert caught.value.facts == {"model": "peer", "reason": "http", "status": status}
    assert caught.value.__cause__ is not None
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "reasons"),
    [
        (Reply(raw=b"<html>502 Bad Gateway</html>"), {"unexpected", "unreachable"}),
        (Reply(raw=b"{}"), {"unexpected"}),
        (Reply(raw=b'{"choices": 5}'), {"unexpected"}),
        (Reply(raw=b""), {"unexpected", "unreachable"}),
    ],
    ids=["a page", "an empty object", "another shape", "nothing"],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_garbage_of_the_provider_is_our_error(
    provider: Peer, failing: Runtime, reply: Reply, reasons: set[str], streamed: bool
) -> None:
    provider.plays(*[reply] * 4)
    with pytest.raises(ModelFailed) as caught:
        await take_a_turn(failing, "hi", streamed=streamed)
    assert caught.value.facts["reason"] in reasons


async def test_a_stream_that_is_cut_is_our_error(provider: Peer, failing: Runtime) -> None:
    provider.plays(Reply(text="Hello Sam, well met.", cut=True))
    stream = failing.stream("hi", session_id="s1", user_id="u1")
    assert isinstance(await anext(stream), TextDelta)
    with pytest.raises(ModelFailed):
        await anext(stream)


async def test_a_provider_that_is_not_there(provider: Peer, stores: Stores) -> None:
    agent = Agent("support", model=impatient("http://127.0.0.1:9/v1"))
    async with Runtime([agent], store=stores) as runtime:
        with pytest.raises(ModelFailed) as caught:
            await runtime.run("hi")
    assert caught.value.facts["reason"] == "unreachable"


async def test_a_provider_that_is_too_slow(provider: Peer, stores: Stores) -> None:
    silence = threading.Event()
    provider.plays(Reply(hang=silence, text="late"))
    agent = Agent("support", model=impatient(provider.url, timeout=0.2))
    try:
        async with Runtime([agent], store=stores) as runtime:
            with pytest.raises(ModelFailed) as caught:
                await runtime.run("hi")
    finally:
        silence.set()
    assert caught.value.facts["reason"] == "timeout"


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_turn_has_a_deadline(provider: Peer, stores: Stores, agent: Agent, streamed: bool) -> None:
    silence = threading.Event()
    provider.plays(Reply(hang=silence, text="late"), Reply(text="Hello."))
    try:
        async with Runtime([agent], store=stores, limits=TurnLimits(seconds=0.2, wait=0)) as runtime:
            with pytest.raises(ModelFailed) as caught:
                await take_a_turn(runtime, "hi", streamed=streamed)
            assert caught.value.facts["reason"] == "deadline"
        async with Runtime([agent], store=stores) as runtime:
            assert (await runtime.run("hi", session_id="s1", user_id="u1")).text == "Hello."
    finally:
        silence.set()


async def test_a_model_that_never_comes_to_an_end(provider: Peer, agent: Agent, stores: Stores) -> None:
    provider.plays(*[Reply(calls=[("memory_block", json.dumps({"action": "view", "block": "USER"}))])] * 9)
    async with Runtime([agent], store=stores, limits=TurnLimits(requests=5)) as runtime:
        with pytest.raises(ModelFailed) as caught:
            await runtime.run("hi", user_id="u1")
    assert caught.value.facts["reason"] == "limit"
    assert len(provider.requests) == 5


async def test_what_a_failed_turn_saved_stays_saved(provider: Peer, failing: Runtime) -> None:
    provider.plays(Reply(calls=[("memory_block", ADD)]), Reply(status=500))
    with pytest.raises(ModelFailed):
        await failing.run("call me Sam", session_id="s1", user_id="u1")
    provider.plays(Reply(text="You are Sam."))
    result = await failing.run("who am I?", session_id="s1", user_id="u1")
    assert result.text == "You are Sam."
    assert "| Name: Sam" in provider.system()
    roles = [message["role"] for message in provider.requests[-1]["messages"]]
    assert roles == ["system", "user"], "the failed turn added nothing to the history"


async def test_history_goes_to_the_provider_and_old_memory_does_not(provider: Peer, runtime: Runtime) -> None:
    provider.plays(Reply(calls=[("memory_block", ADD)]), Reply(text="Hello Sam."), Reply(text="Fine."))
    await runtime.run("call me Sam", session_id="s1", user_id="u1")
    await runtime.run("how are you?", session_id="s1", user_id="u1")
    messages = provider.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert not [message for message in messages[1:] if "## Working memory" in (message["content"] or "")]
    assert "| Name: Sam" in messages[0]["content"]
