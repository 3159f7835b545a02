"""Both clients and the server: one story through every subject."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from house import House, open_house
from memory_callers import serving
from wellkept.client.async_client import AsyncClient
from wellkept.client.client import Client
from wellkept.model import errors
from wellkept.wire.events import ChatDoneEvent, DoneEvent, TextEvent, ToolCallEvent


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as made:
        yield made


class Through:
    """Calls either client from a test's loop: the blocking one in a thread, for the server needs the loop."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def __call__(self, path: str, *args: Any, on: Any = None, **kwargs: Any) -> Any:
        method = on or self.client
        for name in path.split("."):
            method = getattr(method, name)
        if isinstance(self.client, Client):
            return await asyncio.to_thread(lambda: self._whole(method(*args, **kwargs)))
        found = method(*args, **kwargs)
        return [each async for each in found] if hasattr(found, "__aiter__") else await found

    @staticmethod
    def _whole(found: Any) -> Any:
        return list(found) if hasattr(found, "__next__") else found


@pytest.fixture(params=["asynchronous", "blocking"])
async def api(request: pytest.FixtureRequest, house: House) -> AsyncIterator[Through]:
    if request.param == "asynchronous":
        transport = httpx2.ASGITransport(house.app)
        async with AsyncClient(api_key=house.key, base_url="http://wellkept.test", transport=transport) as client:
            yield Through(client)
    else:
        async with serving(house.app) as address:
            with Client(api_key=house.key, base_url=address) as client:
                yield Through(client)


async def test_agents(api: Through) -> None:
    agent = await api("agents.create", name="Support", tools=["memory"], idempotency_key="k1")
    assert await api("agents.create", name="Support", tools=["memory"], idempotency_key="k1") == agent
    assert (await api("agents.update", agent.id, instructions="Be kind.")).version == 2
    assert [version.version for version in await api("agents.iter_versions", agent.id, limit=1)] == [2, 1]
    assert (await api("agents.version", agent.id, 1)).instructions == ""
    assert [each.id for each in await api("agents.iter")] == [agent.id]
    assert (await api("agents.disable", agent.id)).status == "disabled"
    assert (await api("agents.enable", agent.id)).status == "active"
    assert await api("agents.delete", agent.id) is None
    with pytest.raises(errors.NotFound) as caught:
        await api("agents.get", agent.id)
    assert caught.value.status == 404
    assert caught.value.request_id
    assert caught.value.request_id.startswith("req_")


async def test_memories(api: Through) -> None:
    agent = await api("agents.create", name="Support Agent", tools=["memory"], memory_injection_enabled=True)
    created = await api(
        "memories.create", agent.id, user_id="customer-42", text="Prefers heliotrope accents in generated reports."
    )
    page = await api("memories.list", agent.id, user_id="customer-42", search="heliotrope")
    assert page.data[0].id == created.memory.id
    assert (await api("memories.list", agent.id, user_id="customer-43", search="heliotrope")).data == ()
    texts = ["a&b", "c+d", "é"]
    for text in texts:
        await api("memories.create", agent.id, text=text)
    general = await api("memories.iter", agent.id, user_id="", limit=2)
    assert [memory.text for memory in general] == texts[::-1]
    row = created.memory
    with pytest.raises(errors.PreconditionFailed):
        await api("memories.update", agent.id, row.id, text="x", if_match="0" * 64)
    updated = (await api("memories.update", agent.id, row.id, text="x", pinned=True, if_match=row.etag)).memory
    assert (updated.text, updated.pinned) == ("x", True)
    await api("memories.delete", agent.id, row.id, if_match=updated.etag)
    with pytest.raises(errors.NotFound):
        await api("memories.get", agent.id, row.id)


async def test_blocks(api: Through) -> None:
    owner = {"owner": "a/b 用户"}
    put = await api("blocks.put", "user", "USER", text="- name: Sam", only_new=True, **owner)
    with pytest.raises(errors.PreconditionFailed):
        await api("blocks.put", "user", "USER", text="other", only_new=True, **owner)
    assert (await api("blocks.add", "user", "USER", content="tea", if_match=put.block.etag, **owner)).changed
    await api("blocks.add", "user", "USER", content="teal", **owner)
    with pytest.raises(errors.EntryAmbiguous) as caught:
        await api("blocks.remove", "user", "USER", match="te", **owner)
    assert caught.value.candidates == ("tea", "teal")
    with pytest.raises(errors.OverLimit) as over:
        await api("blocks.replace", "user", "USER", content="x" * 30, limit=25, **owner)
    assert (over.value.facts["used"], over.value.facts["limit"]) == (30, 25)
    history = await api("blocks.iter_history", "user", "USER", limit=1, **owner)
    assert [revision.number for revision in history] == [
        3,
        2,
        1,
    ]
    assert "+tea" in (await api("blocks.diff", "user", "USER", old=1, new=2, **owner)).diff
    assert (await api("blocks.restore", "user", "USER", number=1, **owner)).block.text == "- name: Sam"
    assert [block.key for block in (await api("blocks.list", "user", **owner)).data] == ["USER"]
    await api("blocks.delete", "user", "USER", **owner)
    with pytest.raises(errors.NotFound):
        await api("blocks.get", "user", "USER", **owner)


async def test_turns(api: Through, house: House) -> None:
    agent = (await api("agents.create", name="x")).id
    session = "a/b"
    for message in ("one", "two"):
        answer = await api("turns.run", agent, message, session_id=session, user_id="u")
        assert (answer.text, answer.session_id) == (f"you said {message}", session)
    events = await api("turns.stream", agent, "three", session_id=session, user_id="u")
    assert isinstance(events[0], TextEvent)
    assert isinstance(events[-1], DoneEvent)
    assert not any(isinstance(event, ToolCallEvent) for event in events)
    assert any(isinstance(each, ToolCallEvent) for each in await api("turns.stream", agent, "x", internal=True))
    assert [turn.session for turn, _ in house.turns.turns[:3]] == [session] * 3
    assert [each.id for each in await api("turns.iter_sessions", agent, user_id="u")] == [session]
    messages = await api("turns.iter_messages", agent, session, limit=2)
    assert [message.text for message in messages][::2] == ["one", "two", "three"]
    assert (await api("turns.generate", agent, "hi")).session_id is None
    house.turns.after = errors.ModelFailed()
    with pytest.raises(errors.ModelFailed):
        await api("turns.stream", agent, "hi")
    await api("turns.delete_session", agent, session)
    with pytest.raises(errors.NotFound):
        await api("turns.session", agent, session)


async def test_chat(api: Through) -> None:
    agent = (await api("agents.create", name="x")).id
    reply = await api("chat.send", "hi", agent_id=agent, user_id="u")
    assert reply.response == "you said hi"
    events = await api("chat.stream", "ho", agent_id=agent, user_id="u", session_id=reply.session_id)
    assert isinstance(events[-1], ChatDoneEvent)
    told = await api("chat.session", reply.session_id, agent_id=agent, user_id="u")
    assert told.messages[0].text == "hi"
    await api("chat.delete_session", reply.session_id, agent_id=agent, user_id="u")


async def test_keys_review_and_the_server(api: Through) -> None:
    created = await api("keys.create", name="ci")
    assert created.key.id in [key.id for key in (await api("keys.list")).data]
    await api("keys.revoke", created.key.id)
    assert await api("review.iter") == []
    with pytest.raises(errors.NotFound):
        await api("review.approve", "hold_0000000000000000")
    assert (await api("system.live")).status
    assert (await api("system.ready")).version


async def test_what_a_turn_asks_waits_for_approval(api: Through) -> None:
    agent = (await api("agents.create", name="x", tools=["memory"], memory_injection_enabled=True)).id
    row = (await api("memories.create", agent, text="Open at 9.")).memory.id
    held = (await api("turns.update_memory", agent, row, "Open at 8.", user_id="u")).held
    assert (await api("review.get", held)).action.text == "Open at 8."
    assert [each.id for each in await api("review.iter")] == [held]
    await api("review.approve", held)
    assert "Open at 8." in (await api("context.render", agent, user_id="u")).text


async def test_a_view_sees_its_user_alone(api: Through) -> None:
    agent = (await api("agents.create", name="x", tools=["memory"])).id
    for user in ("u", "v"):
        await api("memories.create", agent, user_id=user, text=f"of {user}")
    view = api.client.for_user("u")
    assert [row.text for row in await api("memories.iter", agent, on=view)] == ["of u"]
    with pytest.raises(errors.UserMismatch):
        await api("memories.list", agent, user_id="v", on=view)
    with pytest.raises(errors.Forbidden):
        await api("keys.list", on=view)
    assert len(await api("memories.iter", agent)) == 2


async def test_a_key_that_is_not_known(house: House) -> None:
    transport = httpx2.ASGITransport(house.app)
    async with AsyncClient(api_key="wk_unknown", base_url="http://x.test", transport=transport) as client:
        with pytest.raises(errors.Unauthorized) as caught:
            await client.agents.list()
    assert caught.value.status == 401


async def test_nobody_listens() -> None:
    async with AsyncClient(api_key="k", base_url="http://127.0.0.1:9") as client:
        with pytest.raises(errors.ServerUnreachable):
            await client.turns.run("ag", "hi")
