"""Recall by itself, without agents and turns: `async with SqliteRecall("recall.db") as recall`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import quote

from wellkept.compose.embedder import open_embedder
from wellkept.compose.stores import keeps, open_store
from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Listener, unheard
from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import Closed, NotSupported
from wellkept.model.ids import (
    DEFAULT_TENANT,
    AgentId,
    PassageId,
    SessionId,
    UserId,
    agent_id,
    passage_id,
    session_id,
    tenant_id,
    user_id,
)
from wellkept.model.passages import PassageCounts, PassageOwner, PassagesPut, Said, Selection
from wellkept.model.recall import Recalled, RecallFilter, RecallQuery
from wellkept.services import recall


class RecallDoor:
    """Conversations in one store: what was said is kept, and found again.

    Every door finds the same in the same order; they differ in where they keep
    it. The store is opened when it is first needed, and closed by `close` or
    at the end of `async with`.

    `embedder` is an `Embedder`, or named as the variable `WELLKEPT_EMBEDDER`
    names it (`static`, `none`, …); None asks that variable.
    """

    def __init__(
        self,
        url: str,
        *,
        embedder: Embedder | str | None = None,
        tenant: str = DEFAULT_TENANT,
        listener: Listener = unheard,
    ) -> None:
        """Take what it says; nothing is opened yet.

        Raises:
            InvalidInput: The tenant's id is not valid.
        """
        self._url = url
        self._embedder = embedder
        self._tenant = tenant_id(tenant, param="tenant")
        self._listener = listener
        self._opening = asyncio.Lock()
        self._store: PassageStore | None = None
        self._recall: recall.Recall | None = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Say whether its store is open."""
        return self._recall is not None

    async def service(self) -> recall.Recall:
        """Give the service behind the door, opened now if it was not.

        Raises:
            Closed: The door was closed.
            WellkeptError: The store cannot be opened, or the embedder.
        """
        async with self._opening:
            if self._closed:
                raise Closed(what="recall")
            if self._recall is None:
                self._recall = await self._open()
            return self._recall

    async def _open(self) -> recall.Recall:
        embedder = open_embedder(self._embedder)
        store = await open_store(self._url)
        try:
            self._store = keeps(store, PassageStore, url=self._url)
        except NotSupported:
            await store.close()
            raise
        return recall.Recall(self._store, embedder=embedder, listener=self._listener)

    async def ingest(self, messages: Sequence[Said], *, agent: str, user_id: str, session_id: str) -> PassagesPut:
        """Keep messages of a session, each once however often it comes; one with another text replaces the old.

        Raises:
            InvalidInput: An id is not valid.
        """
        owner = self._owner(agent, user_id)
        return await (await self.service()).ingest(owner, SessionId(session_id), messages)

    async def search(
        self,
        query: str,
        *,
        agent: str,
        user_id: str,
        limit: int = 10,
        filter: RecallFilter = RecallFilter(),  # noqa: B008 - immutable
    ) -> Recalled:
        """Find what this user and this agent said to each other: best first, ties by id.

        Raises:
            InvalidInput: The query is blank, the limit out of range, or an id not valid.
        """
        asked = RecallQuery(text=query, limit=limit, filter=filter)
        return await (await self.service()).search(self._owner(agent, user_id), asked)

    async def delete(
        self,
        *,
        agent: str,
        user_id: str | None = None,
        session_id: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> int:
        """Forget an agent's passages: all, or those of a user, of a session, or with these ids; say how many.

        Raises:
            InvalidInput: An id is not valid.
        """
        chosen = Selection(
            tenant=self._tenant,
            agent=agent_id(agent, param="agent"),
            user=None if user_id is None else _user(user_id),
            session=None if session_id is None else _session(session_id),
            ids=None if ids is None else tuple(_passage(id) for id in ids),
        )
        return await (await self.service()).delete(chosen)

    async def erase_user(self, user_id: str) -> int:
        """Forget all passages of a user, with every agent; say how many there were.

        Raises:
            InvalidInput: The id is not valid.
        """
        return await (await self.service()).purge_user(self._tenant, _user(user_id))

    async def stats(self, *, agent: str | None = None) -> PassageCounts:
        """Count the passages, all or one agent's, and the vectors of each model.

        Raises:
            InvalidInput: The id is not valid.
        """
        chosen = None if agent is None else agent_id(agent, param="agent")
        return await (await self.service()).stats(self._tenant, chosen)

    async def settled(self) -> bool:
        """Embed now what could not be embedded when it was stored; say whether all of it could be."""
        return await (await self.service()).settled()

    async def close(self) -> None:
        """Close what was opened. A second time does nothing."""
        self._closed = True
        opened, self._recall = self._recall, None
        store, self._store = self._store, None
        try:
            if opened is not None:
                await opened.close()
        finally:
            if store is not None:
                await store.close()

    async def __aenter__(self) -> Self:
        await self.service()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _owner(self, agent: str, user: str) -> PassageOwner:
        return PassageOwner(self._tenant, AgentId(agent), UserId(user))


class InProcessRecall(RecallDoor):
    """Conversations in the memory of this process, gone with it."""

    def __init__(
        self,
        name: str = "",
        *,
        embedder: Embedder | str | None = None,
        tenant: str = DEFAULT_TENANT,
        listener: Listener = unheard,
    ) -> None:
        """Begin empty; or, with a `name`, share what others of that name in this process keep."""
        super().__init__(f"inproc://{quote(name, safe='')}", embedder=embedder, tenant=tenant, listener=listener)


class SqliteRecall(RecallDoor):
    """Conversations in an SQLite file, which other processes may use at the same time."""

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: Embedder | str | None = None,
        tenant: str = DEFAULT_TENANT,
        listener: Listener = unheard,
    ) -> None:
        """Use the file at `path`, which is made when it is not there."""
        url = f"sqlite:///{quote(str(Path(path).expanduser().absolute()))}"
        super().__init__(url, embedder=embedder, tenant=tenant, listener=listener)


class PostgresRecall(RecallDoor):
    """Conversations in PostgreSQL: `PostgresRecall("postgresql://user@host/database")`."""


class RedisRecall(RecallDoor):
    """Conversations in Redis: `RedisRecall("redis://host")`."""


# Named out here: inside the class, an argument has the same name.
def _user(value: str) -> UserId:
    return user_id(value)


def _session(value: str) -> SessionId:
    return session_id(value)


def _passage(value: str) -> PassageId:
    return passage_id(value)
