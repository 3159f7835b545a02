"""The audit log: every change that took effect, by whom, and no text."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
import pytest

from service_house import AGENT, NAMES, NOTES, POOL, House, key, turn
from wellkept.model.agents import AgentConfig
from wellkept.model.audit import SYSTEM, Actor, AuditEntry, AuditFilter
from wellkept.model.edits import Add
from wellkept.model.errors import Conflict, InvalidCursor, NotFound, StoreFull, WellkeptError
from wellkept.model.ids import DEFAULT_TENANT, AgentId, MemoryId, SessionId
from wellkept.model.memories import Memory, MemorySettings, Partitions, Pool
from wellkept.model.passages import Selection
from wellkept.model.sessions import SessionKey
from wellkept.model.text import etag_of
from wellkept.services.acting import acting_as
from wellkept.stores.inproc import InprocStore
from wellkept.testing.recall_stage import said
from wellkept.testing.samples import a_block, a_change, an_owner, becomes

T = DEFAULT_TENANT
ADMIN = Actor(role="admin_key", key_id="key_1")
MAYA = Actor(role="user_turn", user_id="maya")
S1 = SessionId("s1")
NOTE = key("MEMORY", "agent", AGENT)
SECRET = "heliotrope"


async def told(house: House, which: AuditFilter = AuditFilter()) -> list[AuditEntry]:  # noqa: B008  immutable
    """What the log has, oldest first."""
    return list((await house.audit.list(T, which=which, limit=100)).data)[::-1]


async def since(house: House, before: Sequence[AuditEntry]) -> list[AuditEntry]:
    return [entry for entry in await told(house) if entry not in before]


def facts(entry: AuditEntry) -> dict[str, Any]:
    """What an entry says beyond who and when."""
    said = msgspec.to_builtins(entry)
    return {name: value for name, value in said.items() if name not in ("id", "tenant", "at", "actor")}


class Log(House):
    """A house with an agent, whose clock goes on before each thing that is done."""

    async def after(self, work: Any) -> list[AuditEntry]:
        before = await told(self)
        self.clock.advance(1)
        await work
        return await since(self, before)

    async def only(self, work: Any) -> AuditEntry:
        (entry,) = await self.after(work)
        assert entry.at == self.clock.now()
        return entry


@pytest.fixture
async def log() -> Log:
    made = Log()
    await made.agent(NAMES, NOTES)
    return made


class TestAdministrators:
    async def test_agents(self, log: Log) -> None:
        with acting_as(ADMIN):
            config = AgentConfig(name=SECRET, instructions=SECRET)
            made = await log.only(log.agents.create(T, config, id="a2", user_id="max"))
            assert made.actor == ADMIN
            whose = {"agentId": "a2", "userId": "max"}
            assert facts(made) == {"action": "agent.created", **whose, "version": 1}
            id = AgentId("a2")
            said = await log.only(log.agents.update(T, id, becomes(config)))
            assert facts(said) == {"action": "agent.updated", **whose, "version": 2}
            said = await log.only(log.agents.disable(T, id))
            assert facts(said) == {"action": "agent.disabled", **whose, "version": 2}
            assert await log.after(log.agents.disable(T, id)) == []
            said = await log.only(log.agents.enable(T, id))
            assert facts(said) == {"action": "agent.enabled", **whose, "version": 2}
            assert facts(await log.only(log.agents.delete(T, id))) == {"action": "agent.deleted", **whose}

    async def test_keys(self, log: Log) -> None:
        made = await log.only(log.keys.create(T, SECRET, user_id="maya"))
        (key,) = await log.keys.list(T)
        assert facts(made) == {"action": "key.created", "userId": "maya", "target": key.id}
        assert made.actor == SYSTEM
        assert facts(await log.only(log.keys.revoke(T, key.id))) == {"action": "key.revoked", "target": key.id}

    async def test_memories(self, log: Log) -> None:
        with acting_as(ADMIN):
            made = await log.only(log.memories.create(POOL, user_id="maya", text="one"))
            (row,) = (await log.memories.list(POOL)).data
            of = {"agentId": AGENT, "userId": "maya", "target": row.id}
            assert facts(made) == {"action": "memory.created", **of, "etagAfter": etag_of("one")}
            said = await log.only(log.memories.update(POOL, row.id, text="two", expect=row.etag))
            assert facts(said) == {
                "action": "memory.updated",
                **of,
                "etagBefore": etag_of("one"),
                "etagAfter": etag_of("two"),
            }
            pinned = await log.only(log.memories.update(POOL, row.id, pinned=True))
            assert (pinned.etag_before, pinned.etag_after) == (etag_of("two"), etag_of("two"))
            said = await log.only(log.memories.delete(POOL, row.id))
            assert facts(said) == {"action": "memory.deleted", **of, "etagBefore": etag_of("two")}
            assert said.actor == ADMIN

    async def test_a_general_memory_is_nobodys(self, log: Log) -> None:
        assert (await log.only(log.memories.create(POOL, user_id="", text="one"))).user_id is None

    async def test_who_was_evicted(self, log: Log) -> None:
        rows = [(await log.memories.create(POOL, user_id="maya", text=str(number))).memory.id for number in range(3)]
        new = log.memories.create(POOL, user_id="", text="new", settings=MemorySettings(pool_cap=2))
        created, evicted = sorted(await log.after(new), key=lambda entry: entry.action, reverse=True)
        assert created.action == "memory.created"
        assert facts(evicted) == {
            "action": "memories.evicted",
            "agentId": AGENT,
            "count": 2,
            "memories": tuple(sorted(rows)[:2]),
        }

    async def test_blocks(self, log: Log) -> None:
        with acting_as(ADMIN):
            said = await log.only(log.blocks.put(key(), "one"))
            of = {"userId": "maya", "target": "USER", "scope": "user", "owner": "maya"}
            assert facts(said) == {"action": "block.written", **of, "etagAfter": etag_of("one")}
            said = await log.only(log.blocks.edit(key(), Add("two")))
            both = etag_of("one\n\u00a7\ntwo")
            etags = {"etagBefore": etag_of("one"), "etagAfter": both}
            assert facts(said) == {"action": "block.written", **of, **etags}
            said = await log.only(log.blocks.restore(key(), 1))
            etags = {"etagBefore": both, "etagAfter": etag_of("one")}
            assert facts(said) == {"action": "block.restored", **of, **etags}
            said = await log.only(log.blocks.delete(key()))
            assert facts(said) == {"action": "block.deleted", **of, "etagBefore": etag_of("one")}

    async def test_a_block_of_an_agent_is_found_by_the_agent(self, log: Log) -> None:
        said = await log.only(log.blocks.put(NOTE, "one"))
        assert (said.agent_id, said.user_id) == (AGENT, None)

    async def test_passages(self, log: Log) -> None:
        maya, spoken = an_owner(agent=AGENT), [said("My sister keeps bees."), said("Four hives.", 2)]
        with acting_as(ADMIN):
            entry = await log.only(log.recall.ingest(maya, S1, spoken))
        assert (entry.action, entry.actor, entry.count) == ("passages.stored", ADMIN, 2)
        assert (entry.agent_id, entry.user_id, entry.session_id) == (AGENT, "maya", "s1")
        assert await log.after(log.recall.ingest(maya, S1, spoken)) == []
        (one, *_) = await log.store.passage_ids(maya)
        entry = await log.only(log.recall.delete(Selection(tenant=T, agent=AGENT, user=maya.user, ids=(one,))))
        assert (entry.action, entry.target, entry.count) == ("passages.deleted", one, 1)
        entry = await log.only(log.recall.purge_user(T, maya.user))
        assert (entry.action, entry.user_id, entry.agent_id, entry.count) == ("passages.deleted", "maya", None, 1)
        assert await log.after(log.recall.purge_user(T, maya.user)) == []

    async def test_sessions(self, log: Log) -> None:
        of = {"agentId": AGENT, "userId": "maya", "sessionId": "s"}
        opened = await log.only(log.sessions.open(turn(session="s")))
        assert (opened.actor, facts(opened)) == (MAYA, {"action": "session.opened", **of})
        log.clock.advance(1)
        assert await log.after(log.sessions.open(turn(session="s"))) == []
        with acting_as(ADMIN):
            gone = await log.only(log.sessions.delete(SessionKey(T, AGENT, SessionId("s"))))
        assert (gone.actor, facts(gone)) == (ADMIN, {"action": "session.deleted", **of})


class TestTurns:
    async def test_what_a_turn_changes(self, log: Log) -> None:
        mine = turn(session="s")
        written = await log.only(log.memory.edit_block(mine, "USER", Add("one")))
        assert (written.actor, written.session_id, written.action) == (MAYA, "s", "block.written")
        saved = await log.only(log.memory.save_memory(mine, "one"))
        assert saved.target is not None
        updated = await log.only(log.memory.update_memory(mine, MemoryId(saved.target), "two"))
        deleted = await log.only(log.memory.delete_memory(mine, MemoryId(saved.target)))
        assert [entry.action for entry in (saved, updated, deleted)] == [
            *("memory.created", "memory.updated", "memory.deleted")
        ]
        for entry in (saved, updated, deleted):
            assert (entry.actor, entry.user_id, entry.session_id, entry.agent_id) == (MAYA, "maya", "s", AGENT)

    async def test_a_turn_without_a_user_is_the_agents(self, log: Log) -> None:
        written = await log.only(log.memory.edit_block(turn(None), "MEMORY", Add("one")))
        assert (written.actor, written.user_id, written.session_id) == (Actor(role="agent_turn"), None, None)

    async def test_a_turn_names_the_key_it_came_with(self, log: Log) -> None:
        with acting_as(Actor(role="limited_key", key_id="key_9", user_id="maya")):
            saved = await log.only(log.memory.save_memory(turn(), "one"))
        assert saved.actor == Actor(role="user_turn", key_id="key_9", user_id="maya")

    async def test_what_is_held_and_what_becomes_of_it(self, log: Log) -> None:
        mine = turn(session="s")
        held = [await log.only(log.memory.edit_block(mine, "MEMORY", Add(text))) for text in ("one", "two")]
        of = {"agentId": AGENT, "userId": "maya", "sessionId": "s"}
        ids = [str(entry.target) for entry in held]
        assert facts(held[0]) == {"action": "review.held", **of, "target": ids[0]}
        assert held[0].actor == MAYA
        with acting_as(ADMIN):
            done = await log.after(log.review.approve(T, ids[0]))
            rejected = await log.only(log.review.reject(T, ids[1]))
        assert {entry.action for entry in done} == {"block.written", "review.approved"}
        assert {(entry.actor, entry.session_id) for entry in done} == {(ADMIN, "s")}
        assert facts(rejected) == {"action": "review.rejected", **of, "target": ids[1]}


async def everything(house: House) -> None:
    """Change something of every kind, with a text that is looked for."""
    mine = turn(session="s")
    await house.agents.create(T, AgentConfig(name=SECRET, instructions=SECRET), id="a2")
    await house.agents.update(T, AgentId("a2"), becomes(AgentConfig(name=SECRET)))
    await house.agents.delete(T, AgentId("a2"))
    _, secret = await house.keys.create(T, SECRET)
    assert secret
    await house.sessions.open(mine)
    saved = (await house.memory.save_memory(mine, SECRET)).memory
    assert saved is not None
    await house.memory.update_memory(mine, saved.id, f"{SECRET} 2")
    await house.memories.create(POOL, user_id="", text=f"{SECRET} 3", settings=MemorySettings(pool_cap=1))
    await house.blocks.put(key(), SECRET)
    await house.blocks.put(key(), f"{SECRET} 2")
    await house.blocks.restore(key(), 1)
    await house.blocks.delete(key())
    await house.memory.edit_block(mine, "MEMORY", Add(SECRET))
    (held,) = (await house.review.list(T)).data
    await house.review.approve(T, held.id)


async def test_no_entry_holds_a_text(log: Log) -> None:
    await everything(log)
    entries = await told(log)
    assert len({entry.action for entry in entries}) > 11
    assert SECRET.encode() not in msgspec.json.encode(entries)


async def test_reading_and_what_changes_nothing_leave_no_entry(log: Log) -> None:
    row = (await log.memories.create(POOL, user_id="maya", text="one")).memory
    await log.blocks.put(key(), "one")
    before = await told(log)
    mine = turn()
    await log.memory.context(mine)
    await log.memory.search_memories(mine, "one")
    await log.memory.get_memory(mine, row.id)
    await log.memory.save_memory(mine, "one")
    await log.memory.update_memory(mine, row.id, "one")
    await log.memories.update(POOL, row.id, text="one", pinned=False)
    await log.memories.flush()
    await log.blocks.put(key(), "one")
    await log.blocks.history(key())
    await log.audit.list(T)
    assert await since(log, before) == []


@pytest.mark.parametrize(
    "refused",
    [
        lambda house, row: house.memories.delete(POOL, row.id, expect="0" * 64),
        lambda house, row: house.memories.update(POOL, row.id, text="two", expect="0" * 64),
        lambda house, row: house.memories.delete(POOL, row.id, partitions=("max",)),
        lambda house, row: house.blocks.delete(key(), expect="0" * 64),
        lambda house, row: house.blocks.delete(key("NONE")),
        lambda house, row: house.blocks.put(key(), "two", expect="0" * 64),
        lambda house, row: house.agents.delete(T, AgentId("none")),
        lambda house, row: house.keys.revoke(T, "key_none"),
        lambda house, row: house.review.approve(T, "hold_none"),
        lambda house, row: house.sessions.delete(SessionKey(T, AGENT, SessionId("none"))),
    ],
)
async def test_what_was_refused_leaves_no_entry(log: Log, refused: Callable[[House, Memory], Any]) -> None:
    row = (await log.memories.create(POOL, user_id="maya", text="one")).memory
    await log.blocks.put(key(), "one")
    before = await told(log)
    with pytest.raises((NotFound, Conflict)):
        await refused(log, row)
    assert await since(log, before) == []
    assert (await log.memories.get(POOL, row.id)).text == "one"


class Full(InprocStore):
    """Takes everything but audit entries."""

    async def note(self, entries: Sequence[AuditEntry]) -> None:
        raise StoreFull


async def test_a_log_that_fails_is_counted_and_logged_and_undoes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    house = House(store=Full())
    await house.agent()
    house.events.clear()
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        saved = await house.memory.save_memory(turn(), SECRET)
    assert saved.state == "done"
    assert await house.memories.get(POOL, saved.memory.id if saved.memory else MemoryId(""))
    assert house.kinds() == ["memory_created", "audit_failed"]
    assert [record.getMessage() for record in caplog.records] == ["the audit log missed memory.created: store_full"]


async def test_who_leaves_does_not_take_the_note_along() -> None:
    class Slow(InprocStore):
        begun, go = asyncio.Event(), asyncio.Event()

        async def note(self, entries: Sequence[AuditEntry]) -> None:
            self.begun.set()
            await self.go.wait()
            await super().note(entries)

    house = House(store=Slow())
    work = asyncio.create_task(house.memories.create(POOL, user_id="", text="one"))
    await Slow.begun.wait()
    work.cancel()
    await asyncio.wait([work])
    Slow.go.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert [entry.action for entry in await told(house)] == ["memory.created"]


async def test_the_etag_before_is_of_the_text_that_was_replaced() -> None:
    """Somebody changes the row, and the block, between the reading and the writing."""

    class Busy(InprocStore):
        others = 2

        async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
            found = await super().memory(pool, memory, partitions=partitions)
            if self.others:
                self.others -= 1
                text = f"theirs {self.others}"
                await super().update(pool, memory, partitions=None, at=house.clock.now(), text=text)
            return found

    house = House(store=Busy())
    store = house.store
    assert isinstance(store, Busy)
    row = (await house.memories.create(POOL, user_id="", text="one")).memory
    await house.memories.update(POOL, row.id, text="mine")
    assert store.others == 0
    updated = (await told(house, AuditFilter(action="memory.updated")))[0]
    assert updated.etag_before == etag_of("theirs 0")
    store.others = 2
    await house.memories.delete(POOL, row.id)
    deleted = (await told(house, AuditFilter(action="memory.deleted")))[0]
    assert deleted.etag_before == etag_of("theirs 0")


async def test_the_etag_of_a_deleted_block_is_of_the_text_that_went() -> None:
    class Busy(InprocStore):
        others = 1

        async def get(self, key: Any) -> Any:
            found = await super().get(key)
            if self.others and found:
                self.others -= 1
                await super().put(a_block("theirs", key=key), expect=found.etag, change=a_change())
            return found

    house = House(store=Busy())
    await house.blocks.put(key(), "one")
    await house.blocks.delete(key())
    deleted = (await told(house, AuditFilter(action="block.deleted")))[0]
    assert deleted.etag_before == etag_of("theirs")


async def test_pages_and_their_cursors(log: Log) -> None:
    for number in range(3):
        log.clock.advance(1)
        await log.memories.create(POOL, user_id="maya", text=str(number))
    which = AuditFilter(user_id="maya")
    first = await log.audit.list(T, which=which, limit=2)
    rest = await log.audit.list(T, which=which, limit=2, cursor=first.next_cursor)
    assert (len(first.data), len(rest.data), rest.next_cursor) == (2, 1, None)
    assert sorted((*first.data, *rest.data), key=lambda entry: entry.at) == await told(log, which)
    for other in (AuditFilter(), AuditFilter(user_id="max"), AuditFilter(user_id="maya", since=log.clock.now())):
        with pytest.raises(InvalidCursor):
            await log.audit.list(T, which=other, cursor=first.next_cursor)


def test_an_instant_needs_a_time_zone() -> None:
    with pytest.raises(WellkeptError):
        AuditFilter(since=datetime(2026, 1, 1))
