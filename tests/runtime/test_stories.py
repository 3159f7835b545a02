"""The main job, told as stories: with the offline model, through the tools and the rendered prompt."""

from pathlib import Path

import pytest

from wellkept.compose.assemble import Services
from wellkept.compose.stores import Stores
from wellkept.model.blocks import BlockSpec, MissingUser
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.keys import BlockKey
from wellkept.model.review import HeldBlockEdit
from wellkept.model.sessions import SessionKey
from wellkept.model.turns import Turn
from wellkept.runtime.agent import Agent, Memories, WorkingMemory
from wellkept.runtime.events import TurnResult
from wellkept.runtime.runtime import Runtime
from wellkept.stores.files import FileStore

KNOWN = "what do you know about me?"


async def test_call_me_sam(runtime: Runtime) -> None:
    result = await runtime.run("call me Sam", session_id="s1", user_id="user-42")
    assert "Sam" in result.text
    assert [(c.kind, c.action, c.id, c.state) for c in result.memory_changes] == [("block", "add", "user/USER", "done")]
    assert "Sam" in (await runtime.run(KNOWN, session_id="s2", user_id="user-42")).text
    assert "Sam" not in (await runtime.run(KNOWN, session_id="s3", user_id="user-43")).text


async def test_another_name_takes_the_place_of_the_first(runtime: Runtime) -> None:
    await runtime.run("call me Sam", session_id="s1", user_id="u1")
    result = await runtime.run("my name is Max", session_id="s2", user_id="u1")
    assert [change.action for change in result.memory_changes] == ["replace"]
    known = (await runtime.run(KNOWN, user_id="u1")).text
    assert "Max" in known
    assert "Sam" not in known


async def test_two_turns_of_a_session_see_memory_as_it_is_now(runtime: Runtime) -> None:
    await runtime.run("my plan is free", session_id="s1", user_id="u1")
    await runtime.run("my plan is gold", session_id="s2", user_id="u1")
    assert "gold" in (await runtime.run("which plan am I on?", session_id="s1", user_id="u1")).text


async def test_remember_and_forget(runtime: Runtime) -> None:
    saved = await runtime.run("remember that I prefer heliotrope accents.", session_id="s1", user_id="u1")
    assert [(change.kind, change.action) for change in saved.memory_changes] == [("memory", "save")]
    assert "heliotrope" in (await runtime.run("which accents do I prefer?", session_id="s2", user_id="u1")).text
    assert "heliotrope" not in (await runtime.run(KNOWN, session_id="s3", user_id="u2")).text
    gone = await runtime.run("forget heliotrope", session_id="s2", user_id="u1")
    assert [(c.action, c.id) for c in gone.memory_changes] == [("delete", saved.memory_changes[0].id)]
    assert "heliotrope" not in (await runtime.run(KNOWN, session_id="s4", user_id="u1")).text


async def test_a_receipt_is_the_composers(runtime: Runtime, services: Services, agent: Agent) -> None:
    await services.agents.create(TenantId("default"), agent.config, id="support")  # for the eyes of `services` alone
    await runtime.run("call me Sam", session_id="s1", user_id="u1")
    result = await runtime.run("hello", session_id="s1", user_id="u1")
    turn = Turn(tenant=TenantId("default"), agent=AgentId("support"), user=UserId("u1"), session=SessionId("s1"))
    assert result.receipt == (await services.memory.context(turn)).receipt
    assert [piece.id for piece in result.receipt.pieces] == ["user/USER", "agent/MEMORY"]


@pytest.mark.parametrize("way", ["withhold", "session"])
async def test_turns_without_a_user_share_nothing(stores: Stores, way: MissingUser) -> None:
    """Two visitors without a name: what one says, the next is not told."""
    agent = Agent("support", model="offline", working_memory=WorkingMemory(on_missing_user=way))
    async with Runtime([agent], store=stores) as runtime:
        await runtime.run("call me Sam", session_id="s1")
        assert "Sam" not in (await runtime.run(KNOWN, session_id="s2")).text
        assert not await stores.blocks.blocks(TenantId("default"), "user", "anonymous")


async def test_a_session_may_own_the_blocks_of_a_visitor(stores: Stores) -> None:
    agent = Agent("support", model="offline", working_memory=WorkingMemory(on_missing_user="session"))
    async with Runtime([agent], store=stores) as runtime:
        await runtime.run("call me Sam", session_id="s1")
        assert "Sam" in (await runtime.run(KNOWN, session_id="s1")).text


@pytest.mark.parametrize("user", ["", " ", "\t", "\x00", " u1", "u1 ", "\u200b", "x" * 257, 5])
async def test_no_user_is_none_and_never_an_empty_name(runtime: Runtime, stores: Stores, user: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await runtime.run("call me Sam", session_id="s1", user_id=user)
    assert caught.value.param == "userId"
    with pytest.raises(InvalidInput):
        await anext(runtime.stream("call me Sam", session_id="s1", user_id=user))
    assert not await stores.blocks.blocks(TenantId("default"), "user", str(user).strip("\x00") or "anonymous")


@pytest.mark.parametrize(
    "user",
    ["maya+test@example.com", "google-oauth2|123", "tenant:user", "a/b", "用户1", "Ann", "ann", "anonymous", "u" * 256],
)
async def test_who_writes_is_who_reads(runtime: Runtime, stores: Stores, user: str) -> None:
    """One identity for saving and for rendering, by tool and by the administrator's view alike."""
    await runtime.run("call me Sam", session_id="s1", user_id=user)
    assert "Sam" in (await runtime.run(KNOWN, session_id="s2", user_id=user)).text
    block = await stores.blocks.get(BlockKey(tenant=TenantId("default"), scope="user", owner=user, key="USER"))
    assert block is not None
    assert block.text == "Name: Sam"
    assert "Sam" not in (await runtime.run(KNOWN, session_id="s3", user_id=user[:-1] + "_")).text


async def test_rendered_memory_never_comes_back_as_something_that_was_said(
    runtime: Runtime, services: Services
) -> None:
    """Nothing may read injected memory as a user's statement: it is not in the transcript, in no field of it."""
    for said in ("call me Sam", "remember that I like heliotrope", "hello", KNOWN):
        await runtime.run(said, session_id="s1", user_id="u1")
    key = SessionKey(TenantId("default"), AgentId("support"), SessionId("s1"))
    rows = await services.sessions.messages(key, limit=None)
    assert [row.text for row in rows if row.role == "user"][:2] == ["call me Sam", "remember that I like heliotrope"]
    stored = "\n".join(row.text + row.payload for row in rows)
    for trace in ("## Working memory", "## Memories", "| Name: Sam", "helpful support agent"):
        assert trace not in stored


async def test_memory_outlives_the_process(tmp_path: Path, agent: Agent) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    async with Runtime([agent], store=url) as first:
        await first.run("call me Sam", session_id="s1", user_id="u1")
    async with Runtime([agent], store=url) as second:
        assert "Sam" in (await second.run(KNOWN, session_id="s1", user_id="u1")).text


async def test_the_example_of_the_design(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    spec = BlockSpec("user", "USER", template="- name:\n- plan:")
    agent = Agent(
        id="support",
        model="offline",
        instructions="You are a helpful support agent.",
        working_memory=WorkingMemory(store=store, auto_load=[spec]),
        memories=Memories(inject=True, tools=True),
    )
    async with Runtime(agents=[agent]) as runtime:
        result = await runtime.run("call me Sam", session_id="s1", user_id="user-42")
        assert isinstance(result, TurnResult)
        block = await store.get(BlockKey(tenant=TenantId("default"), scope="user", owner="user-42", key="USER"))
        assert block is not None
        assert block.text == "- name:\n- plan:\n§\nName: Sam"
        assert (await runtime.run(KNOWN, user_id="user-42")).text == "Here is what I know:\n- Name: Sam"


async def test_a_users_turn_does_not_change_what_everybody_is_told(stores: Stores, services: Services) -> None:
    memory = WorkingMemory(auto_load=[BlockSpec("agent", "MEMORY")])
    async with Runtime([Agent("support", model="offline", working_memory=memory)], store=stores) as runtime:
        result = await runtime.run("remember that we open at nine", user_id="u1")
        assert [(c.action, c.id, c.state) for c in result.memory_changes] == [("add", "agent/MEMORY", "held")]
        assert "approves" in result.text
        assert "nine" not in (await runtime.run(KNOWN, user_id="u2")).text
        held = (await services.review.list(TenantId("default"))).data
        assert [write.action.key.key for write in held if isinstance(write.action, HeldBlockEdit)] == ["MEMORY"]
