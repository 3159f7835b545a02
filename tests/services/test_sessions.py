"""Sessions: whose they are, and one turn at a time."""

import asyncio
from datetime import timedelta

import pytest

from service_house import AGENT, House, turn
from wellkept.model.errors import (
    Conflict,
    InvalidCursor,
    InvalidInput,
    NotFound,
    SessionBusy,
    SessionUserMismatch,
    SessionVersionMismatch,
    StoreUnavailable,
)
from wellkept.model.ids import DEFAULT_TENANT, SessionId
from wellkept.model.sessions import SessionKey, SessionMessage
from wellkept.services import session_turns
from wellkept.services.sessions import Sessions
from wellkept.stores.inproc import InprocStore

KEY = SessionKey(DEFAULT_TENANT, AGENT, SessionId("s"))


class TestWhose:
    async def test_the_first_turn_owns_the_session(self, house: House) -> None:
        opened = await house.sessions.open(turn("maya", "s"))
        house.clock.advance(1)
        assert await house.sessions.open(turn("maya", "s")) == opened
        for other in (turn("sam", "s"), turn(None, "s"), turn("Maya", "s")):
            with pytest.raises(SessionUserMismatch):
                await house.sessions.open(other)
            with pytest.raises(SessionUserMismatch):
                await house.sessions.check(other)
        assert await house.sessions.get(KEY) == opened

    async def test_a_session_that_is_not_there_is_nobodys(self, house: House) -> None:
        assert await house.sessions.check(turn("maya", "s")) is None
        assert await house.sessions.check(turn("maya")) is None
        with pytest.raises(NotFound):
            await house.sessions.get(KEY)
        with pytest.raises(NotFound):
            await house.sessions.messages(KEY)
        with pytest.raises(NotFound):
            await house.sessions.delete(KEY)
        with pytest.raises(InvalidInput):
            await house.sessions.open(turn("maya"))

    async def test_a_pin_does_not_move(self, house: House) -> None:
        assert (await house.sessions.open(turn(session="s"), version=2)).version == 2
        assert (await house.sessions.open(turn(session="s"))).version == 2
        assert (await house.sessions.open(turn(session="s", version=2))).version == 2
        with pytest.raises(SessionVersionMismatch):
            await house.sessions.open(turn(session="s"), version=1)
        with pytest.raises(SessionVersionMismatch):
            await house.sessions.check(turn(session="s", version=3))

    async def test_a_session_without_a_pin_takes_any_version(self, house: House) -> None:
        await house.sessions.open(turn(session="s"))
        assert (await house.sessions.open(turn(session="s"), version=3)).version is None

    async def test_messages_go_on_from_one_another(self, house: House) -> None:
        await house.sessions.open(turn(session="s"))
        said = [SessionMessage(number=n, role="user", text=str(n), at=house.clock.now()) for n in (1, 2, 3)]
        assert (await house.sessions.append(KEY, said)).length == 3
        assert await house.sessions.messages(KEY, after=1, limit=1) == said[1:2]
        assert await house.sessions.messages(KEY, limit=None) == said
        with pytest.raises(Conflict):
            await house.sessions.append(KEY, said[2:])
        await house.sessions.delete(KEY)
        assert await house.sessions.check(turn("sam", "s")) is None

    async def test_lists_are_of_a_user_or_of_all(self, house: House) -> None:
        for user, session in [("maya", "a"), (None, "b"), ("sam", "c")]:
            house.clock.advance(1)
            await house.sessions.open(turn(user, session))
        everybodys = await house.sessions.list(DEFAULT_TENANT, AGENT, limit=2)
        assert [row.key.session for row in everybodys.data] == ["c", "b"]
        rest = await house.sessions.list(DEFAULT_TENANT, AGENT, limit=2, cursor=everybodys.next_cursor)
        assert [row.key.session for row in rest.data] == ["a"]
        assert [row.key.session for row in (await house.sessions.list(DEFAULT_TENANT, AGENT, user_id="maya")).data] == [
            "a"
        ]
        with pytest.raises(InvalidCursor):
            await house.sessions.list(DEFAULT_TENANT, AGENT, user_id="maya", cursor=everybodys.next_cursor)


class TestOneTurn:
    async def test_turns_of_a_session_do_not_overlap(self, house: House) -> None:
        running = 0

        async def take_a_turn() -> None:
            nonlocal running
            async with house.sessions.one_turn(KEY):
                running += 1
                assert running == 1
                await asyncio.sleep(0.001)
                running -= 1

        await asyncio.gather(*(take_a_turn() for _ in range(10)))

    async def test_who_will_not_wait_is_told_at_once(self, house: House) -> None:
        async with house.sessions.one_turn(KEY):
            with pytest.raises(SessionBusy):
                async with house.sessions.one_turn(KEY, wait=0):
                    pass
            with pytest.raises(SessionBusy):
                async with house.sessions.one_turn(KEY, wait=0.02):
                    pass
        async with house.sessions.one_turn(KEY, wait=0):
            pass

    async def test_another_process_is_kept_out_too(self, house: House) -> None:
        other = Sessions(house.store, clock=house.clock, passages=house.store)
        async with house.sessions.one_turn(KEY):
            for wait in (0, 0.05):
                with pytest.raises(SessionBusy):
                    async with other.one_turn(KEY, wait=wait):
                        pass
            waiting = asyncio.create_task(_one_turn(other))
            await asyncio.sleep(0.01)
            assert not waiting.done()
        await asyncio.wait_for(waiting, 5)

    async def test_the_claim_of_a_process_that_died_runs_out(self, house: House) -> None:
        at = house.clock.now()
        await house.store.claim(KEY, "the dead", at=at, until=at + timedelta(seconds=60))
        with pytest.raises(SessionBusy):
            await _one_turn(house.sessions)
        house.clock.advance(61)
        await _one_turn(house.sessions)

    async def test_a_long_turn_keeps_its_claim(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session_turns, "RENEW_SECONDS", 0.01)
        other = Sessions(house.store, clock=house.clock, passages=house.store)
        async with house.sessions.one_turn(KEY):
            for _ in range(4):
                house.clock.advance(30)
                await asyncio.sleep(0.05)
            with pytest.raises(SessionBusy):
                await _one_turn(other)
        await _one_turn(other)

    @pytest.mark.parametrize("how", ["an error", "a cancellation"])
    async def test_a_turn_that_breaks_off_gives_the_session_back(self, house: House, how: str) -> None:
        started = asyncio.Event()

        async def break_off() -> None:
            async with house.sessions.one_turn(KEY):
                started.set()
                if how == "an error":
                    raise StoreUnavailable
                await asyncio.sleep(60)

        task = asyncio.create_task(break_off())
        await started.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        other = Sessions(house.store, clock=house.clock, passages=house.store)
        async with house.sessions.one_turn(KEY, wait=0):
            pass
        await _one_turn(other)

    async def test_who_gives_up_waiting_blocks_nobody(self, house: House) -> None:
        async with house.sessions.one_turn(KEY):
            waiting = [asyncio.create_task(_one_turn(house.sessions, wait=30)) for _ in range(3)]
            await asyncio.sleep(0.01)
            waiting[0].cancel()
            waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await _one_turn(house.sessions)

    async def test_no_lock_is_kept_for_a_session_that_rests(self, house: House) -> None:
        turns = session_turns.SessionTurns(house.store, clock=house.clock)
        for number in range(3):
            async with turns.one(SessionKey(DEFAULT_TENANT, AGENT, SessionId(str(number))), wait=0):
                assert len(turns._locks) == 1
        assert turns._locks == {}

    async def test_sessions_run_beside_each_other(self, house: House) -> None:
        other = SessionKey(DEFAULT_TENANT, AGENT, SessionId("t"))
        async with house.sessions.one_turn(KEY, wait=0), house.sessions.one_turn(other, wait=0):
            pass

    async def test_a_store_that_fails_at_the_end_does_not_undo_the_turn(self, house: House) -> None:
        class Failing(InprocStore):
            async def release(self, key: SessionKey, holder: str) -> None:
                raise StoreUnavailable

        sessions = Sessions(Failing(), clock=house.clock, passages=house.store)
        async with sessions.one_turn(KEY, wait=0):
            pass


async def _one_turn(sessions: Sessions, wait: float = 0.2) -> None:
    async with sessions.one_turn(KEY, wait=wait):
        pass
