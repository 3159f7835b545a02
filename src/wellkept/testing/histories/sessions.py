"""Histories of sessions."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from wellkept.contract.session_store import SessionStore
from wellkept.model.ids import AgentId
from wellkept.model.memories import Pool
from wellkept.model.pages import Position
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, a_pool, a_session, a_session_key, at

T = TypeVar("T")

POOLS = (a_pool("ag_a"), a_pool("ag_A"), a_pool("ag_a", tenant=OTHER_TENANT))


def _place(pool: Pool, session: str) -> SessionKey:
    return a_session_key(session, agent=pool.agent, tenant=pool.tenant)


pools = st.sampled_from(POOLS)
sessions = st.sampled_from(["s1", "S1", "s/1"])
places = st.builds(_place, pools, sessions)
users = st.sampled_from([None, "maya", "Maya"])
holders = st.sampled_from(["one", "other"])
times = st.integers(0, 5)


class SessionHistory(Twins):
    """Sessions are opened, grow, are claimed and given back, and are deleted."""

    contract = SessionStore

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[SessionKey] = set()

    def ask_sessions(self, work: Callable[[SessionStore], Awaitable[T]]) -> T | Refused:
        return self.ask(SessionStore, work)

    @rule(key=places, user=users, when=times)
    def open(self, key: SessionKey, user: str | None, when: int) -> None:
        self.keys.add(key)
        session = a_session(key.session, agent=key.agent, tenant=key.tenant, user=user, when=when)
        self.ask_sessions(lambda store: store.open(session))

    @rule(key=places, count=st.integers(0, 3), off=st.sampled_from([0, 0, 0, 0, 1, -1]), gap=st.booleans(), when=times)
    def append(self, key: SessionKey, count: int, off: int, gap: bool, when: int) -> None:
        stored = self.compare(SessionStore, lambda store: store.session(key))
        begin = (stored.length if isinstance(stored, Session) else 0) + 1 + off
        numbers = [begin + step + (1 if gap and step == 2 else 0) for step in range(count)]
        messages = [SessionMessage(number=n, role="user", text=f"{n}\r\n", at=at(when), payload="{}") for n in numbers]
        now = at(self.tick())
        self.ask_sessions(lambda store: store.append(key, messages, at=now))

    @rule(key=places, after=st.integers(0, 4), limit=st.sampled_from([None, 1, 2]))
    def read(self, key: SessionKey, after: int, limit: int | None) -> None:
        self.ask_sessions(lambda store: store.messages(key, after=after, limit=limit))

    @rule(key=places, holder=holders, when=times, long=st.integers(0, 3))
    def claim(self, key: SessionKey, holder: str, when: int, long: int) -> None:
        self.ask_sessions(lambda store: store.claim(key, holder, at=at(when), until=at(when + long)))

    @rule(key=places, holder=holders)
    def release(self, key: SessionKey, holder: str) -> None:
        self.ask_sessions(lambda store: store.release(key, holder))

    @rule(key=places)
    def delete(self, key: SessionKey) -> None:
        self.ask_sessions(lambda store: store.delete_session(key))

    @rule(place=places, limit=st.integers(1, 3), when=st.none() | times, user=users)
    def page(self, place: SessionKey, limit: int, when: int | None, user: str | None) -> None:
        after = None if when is None else Position(at(when), place.session)
        agent = AgentId(place.agent)
        self.ask_sessions(lambda store: store.sessions(place.tenant, agent, limit=limit, after=after, user=user))

    @invariant()
    def they_keep_the_same(self) -> None:
        keys = sorted(self.keys)
        self.compare(SessionStore, lambda store: _all_of(store, keys))


async def _all_of(store: SessionStore, keys: list[SessionKey]) -> list[object]:
    listed = [await store.sessions(pool.tenant, pool.agent, limit=99) for pool in POOLS]
    return [*listed, *[(await store.session(key), await store.messages(key)) for key in keys]]
