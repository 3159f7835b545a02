"""The runtime: agents, stores and models put together, and the doors to their turns."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

import msgspec

from wellkept.compose.assemble import Services, assemble
from wellkept.compose.embedder import open_embedder
from wellkept.compose.recall import RecallDoor
from wellkept.compose.stores import Stores, open_stores
from wellkept.contract.block_store import BlockStore
from wellkept.contract.clock import Clock
from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Listener, unheard
from wellkept.contract.screen import Screen
from wellkept.model.errors import Closed, InvalidInput, Misconfigured, MissingExtra
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, UserId, tenant_id
from wellkept.model.text import checked_text, has_visible
from wellkept.model.turns import Turn
from wellkept.runtime.agent import Agent
from wellkept.runtime.background import BLOCKING
from wellkept.runtime.block_stores import imported_file_store, store_of
from wellkept.runtime.events import Done, TurnEvent, TurnResult
from wellkept.runtime.limits import TurnLimits
from wellkept.services.agent_source import DeclaredSource, DirectorySource, ResolvedAgent
from wellkept.services.new_ids import new_id
from wellkept.services.recall import Recall

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from wellkept.runtime.models import Models
    from wellkept.runtime.turn import Turns

_IN_PROCESS = "inproc://"


class Runtime:
    """Runs turns of agents that remember.

    `agents` are declared in code; others come from the store's directory.
    `store` keeps sessions, memories and agents: a URL (`sqlite:///memory.db`),
    open `Stores`, or None for this process alone. Nothing is opened before the first turn.

    Blocks are kept by the first of these that there is:

    1. the agent's own `WorkingMemory(store=…)`;
    2. `default_block_store`;
    3. `store`, when it was given: what a call names goes before what was only imported somewhere;
    4. a `FileBlockStore()`, when the program asked for it by importing it;

    and else an agent with blocks is refused with `NoStore`, which names the ways.

    `default_model` is for agents that name none; `"offline"` needs no provider.
    `embedder` is recall's: an `Embedder`, or named as `WELLKEPT_EMBEDDER` names it; None asks that variable.
    `limits` bound each turn. `services` is for programs that have put theirs
    together already (a server); then nothing but models and limits is configured here.

    The runtime closes what it opened, and leaves open what it was given.
    """

    def __init__(
        self,
        agents: Sequence[Agent] = (),
        *,
        store: str | Stores | None = None,
        default_block_store: BlockStore | None = None,
        default_model: "str | Model | None" = None,
        tenant: str = DEFAULT_TENANT,
        limits: TurnLimits = TurnLimits(),  # noqa: B008 - immutable
        clock: Clock | None = None,
        listener: Listener = unheard,
        screen: Screen | None = None,
        embedder: Embedder | str | None = None,
        services: Services | None = None,
    ) -> None:
        """Take what it says.

        Raises:
            InvalidInput: Two agents have the same id, or the tenant's id is not valid.
            Misconfigured: `services` came with parts that it has already.
        """
        ids = [agent.key for agent in agents]
        if len(set(ids)) != len(ids):
            raise InvalidInput(param="agents", problem="declares an id twice")
        parts = (store, default_block_store, clock, screen, embedder)
        if services is not None and (agents or any(part is not None for part in parts)):
            raise Misconfigured(what="services", do="pass services alone, or the parts to make them of")
        self._agents = dict(zip(ids, agents, strict=True))
        self._store = store
        self._default_block_store = default_block_store
        self._default_model = default_model
        self._tenant = tenant_id(tenant, param="tenant")
        self._limits = limits
        self._clock = clock
        self._listener = listener
        self._screen = screen
        self._embedder = embedder
        self._given = services
        self._owned: list[Stores | BlockStore | RecallDoor] = []
        self._stores: Stores | None = None
        self._blocks: BlockStore | None = None
        self._services: Services | None = None
        self._models: Models | None = None
        self._opening: asyncio.Task[Turns] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def prepare(self) -> None:
        """Open and load what turns need, so that the first one need not wait for it.

        Raises:
            WellkeptError: As `run`, of what can be known before a turn.
        """
        await self._turns()

    async def run(
        self,
        input: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        version: int | None = None,
        tenant: str | None = None,
        keep: bool = True,
    ) -> TurnResult:
        """Run a turn: what the user says, in which session, for which user.

        Without `session_id` a new session begins; its id is in the result.
        With `keep=False` there is no session, and nothing of what is said is
        kept but what tools saved. `agent_id` may be left out where the program
        declares one agent. `version` pins a new session to that version.

        Raises:
            InvalidInput: An id or the input is not valid.
            NoStore: The agent has blocks and nothing keeps them.
            MissingExtra: The agent loop, or the package of the model's provider, is not installed.
            WellkeptError: As `wellkept.runtime.turn.Turns.run` says.
        """
        turn = self._turn(input, session_id, user_id, agent_id, version, tenant, keep=keep)
        return await (await self._turns()).run(turn, input)

    async def stream(
        self,
        input: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        version: int | None = None,
        tenant: str | None = None,
        keep: bool = True,
    ) -> AsyncGenerator[TurnEvent, None]:
        """Run a turn like `run`, and tell it as it goes on; the last event is `Done`.

        Leaving the loop early, or cancelling its task, cancels the turn: its
        session is free again, and nothing was added to it. (As of every
        generator: `contextlib.aclosing` says when exactly.)

        Raises:
            WellkeptError: As `run`.
        """
        turn = self._turn(input, session_id, user_id, agent_id, version, tenant, keep=keep)
        turns = await self._turns()
        # A task of its own: what the turn holds must be let go of by the task that took it, whoever closes this.
        told: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        running = asyncio.create_task(turns.run(turn, input, emit=told.put_nowait))
        running.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (event := await told.get()) is not None:
                yield event
            yield Done(result=await running)
        finally:
            running.cancel()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # seen: whoever still listens has it from `await` above

    def run_blocking(
        self,
        input: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        version: int | None = None,
        tenant: str | None = None,
        keep: bool = True,
    ) -> TurnResult:
        """Run a turn like `run`, from code without an event loop.

        Raises:
            WellkeptError: As `run`.
        """
        return BLOCKING.call(
            lambda: self.run(
                input,
                session_id=session_id,
                user_id=user_id,
                agent_id=agent_id,
                version=version,
                tenant=tenant,
                keep=keep,
            )
        )

    async def settled(self) -> None:
        """Wait until what was said in the turns so far is kept for recall, or was given up."""
        services = self._given or self._services
        if services is not None:
            await services.ingestion.settled()

    async def aclose(self) -> None:
        """Write what is still to be written, and close what was opened here. A second time does nothing.

        What was said in turns is kept for recall first, if that takes no more than some seconds.
        """
        self._closed = True
        services, self._services = self._services, None
        models, self._models = self._models, None
        owned, self._owned = self._owned, []
        try:
            if services is not None:
                await services.finish()
            elif self._given is not None:
                await self._given.ingestion.finish()  # its models, which are closed now, may be writing facts
            if models is not None:
                await models.close()
        finally:
            for opened in owned:
                await opened.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        BLOCKING.call(self.aclose)

    def _turn(
        self,
        text: str,
        session_id: str | None,
        user_id: str | None,
        agent_id: str | None,
        version: int | None,
        tenant: str | None,
        *,
        keep: bool,
    ) -> Turn:
        if not has_visible(checked_text(text, param="input")):
            raise InvalidInput(param="input", problem="must hold something visible")
        if not keep and session_id is not None:
            raise InvalidInput(param="keep", problem="must be true in a session")
        if keep and session_id is None:
            session_id = new_id("ses_")
        return Turn(
            tenant=self._tenant if tenant is None else tenant_id(tenant, param="tenant"),
            agent=self._only_agent() if agent_id is None else AgentId(agent_id),
            user=None if user_id is None else UserId(user_id),
            session=None if session_id is None else SessionId(session_id),
            version=version,
        )

    def _only_agent(self) -> AgentId:
        if len(self._agents) != 1:
            raise InvalidInput(
                param="agentId", problem=f"must be given: the runtime declares {len(self._agents)} agents"
            )
        return next(iter(self._agents))

    async def _turns(self) -> "Turns":
        """Give what runs turns on this event loop, opening what it needs when it is first asked for.

        Raises:
            Closed: The runtime was closed.
            Misconfigured: It is in use on another event loop that is running.
        """
        if self._closed:
            raise Closed(what="runtime")
        here = asyncio.get_running_loop()
        if self._loop is not here:
            if self._loop is not None and self._loop.is_running():
                raise Misconfigured(
                    what="one runtime on two event loops", do="make one for each, or use run_blocking alone"
                )
            self._loop = here
        opening = self._opening
        if opening is None or not _came_to_something(opening, here):
            opening = self._opening = here.create_task(self._open())
        # Others wait for the same opening; whoever gives up waiting does not take it from them.
        return await asyncio.shield(opening)

    async def _open(self) -> "Turns":
        models, turns = await asyncio.to_thread(_agent_loop)
        if self._models is None:
            self._models = models()
        services = self._given or await self._open_services()
        return turns(
            services,
            declared=self._agents,
            models=self._models,
            default_model=self._default_model,
            limits=self._limits,
        )

    async def _open_services(self) -> Services:
        stores = self._stores or await self._open_stores()
        doors = {id: agent.recall.store for id, agent in self._agents.items() if agent.recall and agent.recall.store}
        for door in doors.values():
            if not door.is_open:
                self._owned.append(door)
        return self._assembled(stores, {id: await door.service() for id, door in doors.items()})

    async def _open_stores(self) -> Stores:
        """Open what keeps everything, with the store for blocks that the class describes in its place."""
        if isinstance(self._store, Stores):
            stores = self._store
        else:
            stores = await open_stores(self._store or _IN_PROCESS)
            self._owned.append(stores)
        blocks = self._default_block_store
        if blocks is None and self._store is not None:
            blocks = stores.blocks
        if blocks is None and (blocks := imported_file_store()) is not None:
            self._owned.append(blocks)
        self._blocks = blocks
        self._stores = stores if blocks is None else msgspec.structs.replace(stores, blocks=blocks)
        return self._stores

    def _assembled(self, stores: Stores, recalls: Mapping[AgentId, Recall]) -> Services:
        declared = {
            id: ResolvedAgent(
                id=id,
                version=1,
                config=agent.config,
                blocks=store_of(agent, self._blocks),
                recall=recalls.get(id),
            )
            for id, agent in self._agents.items()
        }
        self._services = assemble(
            stores,
            clock=self._clock,
            listener=self._listener,
            screen=self._screen,
            source=DeclaredSource(declared, DirectorySource(stores.directory)),
            embedder=open_embedder(self._embedder),
        )
        return self._services


def _agent_loop() -> "tuple[type[Models], type[Turns]]":
    """Load the agent loop. It takes a second or more, which an event loop does not have.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import pydantic_ai

        from wellkept.runtime.models import Models
        from wellkept.runtime.turn import Turns
    except ModuleNotFoundError as error:
        raise MissingExtra(package=error.name, do="pip install 'wellkept[runtime]'") from error
    # A notice that pydantic-ai prints at the first run of a process: our users did not ask for it.
    pydantic_ai.BANNER_ENABLED = False
    return Models, Turns


def _came_to_something(opening: "asyncio.Task[Turns]", here: asyncio.AbstractEventLoop) -> bool:
    """Say whether an opening succeeded, or still may: one that its loop left unfinished may not."""
    if opening.done():
        return not opening.cancelled() and opening.exception() is None
    return opening.get_loop() is here
