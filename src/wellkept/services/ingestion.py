"""Keeping what was said in turns: after the turn, in the background, one session at a time."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener
from wellkept.contract.extractor import Extractor
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import InvalidInput, StoreFailed, WellkeptError
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.passages import PassageOwner, Said, Selection, checked_speaker
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.model.text import has_visible
from wellkept.services.facts import Facts
from wellkept.services.recall import Recall

MOST_WAITING: Final = 256
"""Sessions that may wait to be kept. When there are more, the next turn waits for room."""

USER: Final = "user"
"""The speaker of what users say in turns: their ids mean nothing to a reader, and are sent to no model."""

_AT_ONCE: Final = 4
_PAGE: Final = 100
_LATEST_SESSIONS: Final = 100
_LOOKED_AFTER: Final = timedelta(days=1)
_ROOM_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 10.0
_RETRIES: Final = (0.5, 2.0)


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """A session in which something was said: whose, with which agent, and where it is kept.

    `extractor` None: no facts are taken. `looks_after`: what the agent's other
    latest sessions lack is kept as well.
    """

    key: SessionKey
    owner: PassageOwner
    agent_name: str
    recall: Recall
    extractor: Extractor | None = None
    looks_after: bool = False


class Ingestion:
    """The sessions that are being kept for recall.

    What is not yet kept is told by the stores alone: the messages of a session
    behind the last one of which there is a passage. So a turn leaves nothing
    out that an earlier one did not come to, and two processes that keep the
    same session keep it once. With an agent's first turn in a process, its
    latest sessions of the last day are looked at as well: a process that died
    may have left something out of them.
    """

    def __init__(
        self,
        sessions: SessionStore,
        *,
        facts: Facts,
        clock: Clock,
        listener: Listener,
        most: int = MOST_WAITING,
        retries: Sequence[float] = _RETRIES,
        patience: float = _CLOSE_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._facts = facts
        self._clock = clock
        self._listener = listener
        self._most = most
        self._retries = tuple(retries)
        self._patience = patience
        self._noted: dict[SessionKey, Spoken] = {}
        self._tasks: dict[SessionKey, asyncio.Task[None]] = {}
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._looked_after: set[tuple[TenantId, AgentId]] = set()

    def note(self, spoken: Spoken) -> None:
        """Keep, soon, what was said in a session."""
        self._noted[spoken.key] = spoken
        self._here()
        agent = (spoken.key.tenant, spoken.key.agent)
        if agent not in self._looked_after:
            self._looked_after.add(agent)
            spoken = replace(spoken, looks_after=True)
            self._noted[spoken.key] = spoken
        if spoken.key not in self._tasks:
            self._begin(spoken.key)

    async def room(self) -> None:
        """Wait while too many sessions wait to be kept, but not for ever: what is left out comes with a later turn."""
        try:
            async with asyncio.timeout(_ROOM_SECONDS):
                while len(self._here()) >= self._most:
                    await asyncio.wait(self._here(), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            return

    async def settled(self) -> None:
        """Wait until everything that was said is kept, or was given up."""
        while tasks := self._here():
            await asyncio.wait(tasks)

    async def finish(self) -> None:
        """Finish what is being kept, within some seconds; what is not is kept after the session's next turn."""
        try:
            async with asyncio.timeout(self._patience):
                await self.settled()
        except TimeoutError:
            self._noted.clear()
            for task in (tasks := self._here()):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _here(self) -> list[asyncio.Task[None]]:
        """Give what runs on this event loop. A loop that was closed takes its tasks with it without ending them."""
        loop = asyncio.get_running_loop()
        if any(task.get_loop() is not loop for task in self._tasks.values()):
            self._tasks = {key: task for key, task in self._tasks.items() if task.get_loop() is loop}
            self._at_once = asyncio.Semaphore(_AT_ONCE)
        return list(self._tasks.values())

    def _begin(self, key: SessionKey) -> None:
        task = asyncio.get_running_loop().create_task(self._run(key))
        self._tasks[key] = task
        task.add_done_callback(lambda ended: self._ended(key, ended))

    async def _run(self, key: SessionKey) -> None:
        async with self._at_once:
            while (spoken := self._noted.pop(key, None)) is not None:
                await self._tried(spoken)
                if spoken.looks_after:
                    await self._look_after(spoken)

    def _ended(self, key: SessionKey, task: asyncio.Task[None]) -> None:
        del self._tasks[key]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(key, "internal")
            task.get_loop().call_exception_handler({"message": "a session was not kept", "exception": error})
        if key in self._noted:
            self._begin(key)

    def _failed(self, key: SessionKey, error: str) -> None:
        self._listener(Event(kind="ingest_failed", tenant=key.tenant, agent=key.agent, error=error))

    async def _tried(self, spoken: Spoken) -> None:
        """Keep a session, again after a while when that fails, and in the end count the failure."""
        for pause in (*self._retries, None):
            try:
                await self._keep(spoken)
            except WellkeptError as error:
                if pause is None:
                    self._failed(spoken.key, error.code)
                else:
                    await asyncio.sleep(pause)
            else:
                return

    async def _keep(self, spoken: Spoken) -> None:
        if not await self._is_theirs(spoken):
            return
        session = spoken.key.session
        recall = spoken.recall
        last = await recall.last_number(spoken.owner, session)
        kept = False
        while rows := await self._sessions.messages(spoken.key, after=last, limit=_PAGE):
            said = said_in(rows, agent_name=spoken.agent_name)
            if said:
                kept = True
                await recall.ingest(spoken.owner, session, said)
                if spoken.extractor is not None:
                    await self._facts.take(recall, spoken.owner, session, said, spoken.extractor)
            last = rows[-1].number
        if kept and not await self._is_theirs(spoken):
            # Deleted in the meantime: what was read before must not outlive it.
            owner = spoken.owner
            await recall.delete(Selection(tenant=owner.tenant, agent=owner.agent, user=owner.user, session=session))

    async def _look_after(self, spoken: Spoken) -> None:
        """Note the agent's latest sessions of which something is not kept."""
        tenant, agent = spoken.key.tenant, spoken.key.agent
        since = self._clock.now() - _LOOKED_AFTER
        try:
            for session in await self._sessions.sessions(tenant, agent, limit=_LATEST_SESSIONS):
                if session.user is None or session.updated_at < since or session.key == spoken.key:
                    continue
                owner = PassageOwner(tenant, agent, session.user)
                if await spoken.recall.last_number(owner, session.key.session) < session.length:
                    self.note(replace(spoken, key=session.key, owner=owner, looks_after=False))
        except StoreFailed as error:
            self._failed(spoken.key, error.code)

    async def _is_theirs(self, spoken: Spoken) -> bool:
        session: Session | None = await self._sessions.session(spoken.key)
        return session is not None and session.user == spoken.owner.user


def said_in(rows: Sequence[SessionMessage], *, agent_name: str) -> list[Said]:
    """Give what users and agents said in a transcript; what tools answered, and silence, is not among it."""
    speakers = {"user": USER, "assistant": speaker_of(agent_name)}
    return [
        Said(text=row.text, speaker=speakers[row.role], at=row.at, id=f"message-{row.number}", number=row.number)
        for row in rows
        if row.role in speakers and has_visible(row.text)
    ]


def speaker_of(agent_name: str) -> str:
    """Call an agent as a speaker: by its name, if that can stand on one line."""
    try:
        return checked_speaker(agent_name.strip())
    except InvalidInput:
        return "assistant"
