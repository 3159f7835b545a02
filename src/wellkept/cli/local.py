# ruff: noqa: D102 - the contract says what a method promises
"""A store, through the services over it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

from wellkept.cli.backend import Backend, BlockBackend, Told
from wellkept.cli.local_recall import LocalRecall
from wellkept.compose.assemble import Services
from wellkept.compose.defaults import ASSISTANT
from wellkept.compose.first_start import give_assistant
from wellkept.contract.block_store import ANY, Expect
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import Conflict, InvalidInput, NotFound, PreconditionFailed
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId, agent_id, memory_id
from wellkept.model.keys import BlockKey, Scope
from wellkept.model.memories import MemorySettings, Pool, SearchMode, checked_partition
from wellkept.model.receipts import Context
from wellkept.model.turns import Turn
from wellkept.services.blocks import Blocks
from wellkept.wire.admin import HeldWriteAnswer, KeyAnswer, KeyCreated, KeysAnswer, ReviewPage
from wellkept.wire.agents import AgentAnswer, AgentCreate, AgentsPage
from wellkept.wire.audit import AuditEntryAnswer, AuditPage, AuditQuery
from wellkept.wire.blocks import BlockAnswer, BlockEditedAnswer, BlocksAnswer, DiffAnswer, RevisionAnswer, RevisionsPage
from wellkept.wire.events import DoneEvent
from wellkept.wire.memories import MemoriesFound, MemoriesPage, MemoryAnswer

if TYPE_CHECKING:
    from wellkept.runtime.runtime import Runtime


class LocalBlocks(BlockBackend):
    """Does what there is to do with the blocks of one tenant."""

    def __init__(self, blocks: Blocks, tenant: TenantId) -> None:
        self._blocks = blocks
        self._tenant = tenant

    async def list_blocks(self, scope: Scope, owner: str) -> BlocksAnswer:
        blocks = await self._blocks.list(self._tenant, scope, owner)
        return BlocksAnswer(data=tuple(map(BlockAnswer.of, blocks)))

    async def get_block(self, scope: Scope, owner: str, key: str) -> BlockAnswer:
        return BlockAnswer.of(await self._blocks.get(self._key(scope, owner, key)))

    async def put_block(
        self, scope: Scope, owner: str, key: str, text: str, *, limit: int, if_match: str | None, only_new: bool = False
    ) -> BlockEditedAnswer:
        with _conditional(only_new or if_match is not None):
            edited = await self._blocks.put(
                self._key(scope, owner, key), text, limit=limit, expect=None if only_new else _expected(if_match)
            )
        return BlockEditedAnswer(block=BlockAnswer.of(edited.block), changed=edited.changed)

    async def edit_block(
        self,
        scope: Scope,
        owner: str,
        key: str,
        edit: Add | Replace | Remove | Write,
        *,
        limit: int,
        if_match: str | None,
    ) -> BlockEditedAnswer:
        with _conditional(if_match is not None):
            edited = await self._blocks.edit(
                self._key(scope, owner, key), edit, limit=limit, expect=_expected(if_match)
            )
        return BlockEditedAnswer(block=BlockAnswer.of(edited.block), changed=edited.changed)

    async def delete_block(self, scope: Scope, owner: str, key: str, *, if_match: str | None) -> None:
        with _conditional(if_match is not None):
            await self._blocks.delete(self._key(scope, owner, key), expect=_expected(if_match))

    async def block_history(
        self, scope: Scope, owner: str, key: str, *, cursor: str | None, limit: int
    ) -> RevisionsPage:
        page = await self._blocks.history_page(self._key(scope, owner, key), cursor=cursor, limit=limit)
        return RevisionsPage(data=tuple(map(RevisionAnswer.of, page.data)), next_cursor=page.next_cursor)

    async def block_diff(self, scope: Scope, owner: str, key: str, *, old: int, new: int) -> DiffAnswer:
        return DiffAnswer(diff=await self._blocks.diff(self._key(scope, owner, key), old, new))

    async def restore_block(
        self, scope: Scope, owner: str, key: str, number: int, *, if_match: str | None
    ) -> BlockEditedAnswer:
        with _conditional(if_match is not None):
            edited = await self._blocks.restore(self._key(scope, owner, key), number, expect=_expected(if_match))
        return BlockEditedAnswer(block=BlockAnswer.of(edited.block), changed=edited.changed)

    def _key(self, scope: Scope, owner: str, key: str) -> BlockKey:
        return BlockKey(tenant=self._tenant, scope=scope, owner=owner, key=key)


class Local(LocalBlocks, LocalRecall, Backend):
    """Does everything on a store, as one tenant. `model` is what agents use that name none."""

    def __init__(self, services: Services, tenant: TenantId, *, model: str) -> None:
        LocalBlocks.__init__(self, services.blocks, tenant)
        LocalRecall.__init__(self, services.recall, tenant)
        self._services = services
        self._model = model
        self._runtime: Runtime | None = None

    async def close(self) -> None:
        """Let go of the models that were used. The services belong to who made them."""
        runtime, self._runtime = self._runtime, None
        if runtime is not None:
            await runtime.aclose()

    async def create_memory(self, agent: str, text: str, *, user: str, pinned: bool) -> MemoryAnswer:
        pool, settings = await self._used(agent)
        created = await self._services.memories.create(pool, user_id=user, text=text, settings=settings, pinned=pinned)
        return MemoryAnswer(memory=created.memory)

    async def list_memories(
        self,
        agent: str,
        *,
        user: str | None,
        search: str | None = None,
        mode: SearchMode = "web",
        cursor: str | None = None,
        limit: int,
    ) -> MemoriesPage:
        partitions = None if user is None else (checked_partition(user),)
        pool, _ = await self._used(agent)
        page = await self._services.memories.list(
            pool, partitions=partitions, search=search, mode=mode, cursor=cursor, limit=limit
        )
        return MemoriesPage(data=page.data, next_cursor=page.next_cursor)

    async def explain_search(self, agent: str, query: str, *, user: str | None, limit: int) -> MemoriesFound:
        turn = await self._turn(agent, user=user, session=None)
        found = await self._services.memory.search_memories(turn, query, limit=limit)
        return MemoriesFound(data=tuple(found))

    async def get_memory(self, agent: str, memory: str) -> MemoryAnswer:
        pool, _ = await self._used(agent)
        return MemoryAnswer(memory=await self._services.memories.get(pool, memory_id(memory)))

    async def update_memory(
        self, agent: str, memory: str, *, text: str | None, pinned: bool | None, if_match: str | None
    ) -> MemoryAnswer:
        pool, _ = await self._used(agent)
        with _conditional(if_match is not None):
            updated = await self._services.memories.update(
                pool, memory_id(memory), text=text, pinned=pinned, expect=if_match
            )
        return MemoryAnswer(memory=updated)

    async def delete_memory(self, agent: str, memory: str, *, if_match: str | None) -> None:
        pool, _ = await self._used(agent)
        with _conditional(if_match is not None):
            await self._services.memories.delete(pool, memory_id(memory), expect=if_match)

    async def create_agent(self, agent: AgentCreate) -> AgentAnswer:
        made = await self._services.agents.create(self._tenant, agent.config(), user_id=agent.user_id)
        return AgentAnswer.of(made)

    async def list_agents(self, *, user: str | None, cursor: str | None, limit: int) -> AgentsPage:
        page = await self._services.agents.list(self._tenant, cursor=cursor, limit=limit, user_id=user)
        return AgentsPage(data=tuple(map(AgentAnswer.of, page.data)), next_cursor=page.next_cursor)

    async def get_agent(self, agent: str) -> AgentAnswer:
        return AgentAnswer.of(await self._services.agents.get(self._tenant, await self._named(agent)))

    async def create_key(self, name: str, *, user: str) -> KeyCreated:
        key, secret = await self._services.keys.create(self._tenant, name, user_id=user)
        return KeyCreated(key=KeyAnswer.of(key), secret=secret)

    async def list_keys(self) -> KeysAnswer:
        return KeysAnswer(data=tuple(map(KeyAnswer.of, await self._services.keys.list(self._tenant))))

    async def revoke_key(self, key: str) -> None:
        await self._services.keys.revoke(self._tenant, key)

    async def list_held(self, *, cursor: str | None, limit: int) -> ReviewPage:
        page = await self._services.review.list(self._tenant, cursor=cursor, limit=limit)
        return ReviewPage(data=tuple(map(HeldWriteAnswer.of, page.data)), next_cursor=page.next_cursor)

    async def get_held(self, held: str) -> HeldWriteAnswer:
        return HeldWriteAnswer.of(await self._services.review.get(self._tenant, held))

    async def approve(self, held: str) -> HeldWriteAnswer:
        return HeldWriteAnswer.of(await self._services.review.approve(self._tenant, held))

    async def reject(self, held: str) -> HeldWriteAnswer:
        return HeldWriteAnswer.of(await self._services.review.reject(self._tenant, held))

    async def list_audit(self, query: AuditQuery) -> AuditPage:
        page = await self._services.audit.list(
            self._tenant, which=query.which(), cursor=query.cursor, limit=query.limit
        )
        return AuditPage(data=tuple(map(AuditEntryAnswer.of, page.data)), next_cursor=page.next_cursor)

    async def context(self, agent: str, *, user: str | None, session: str | None, query: str | None) -> Context:
        turn = await self._turn(agent, user=user, session=session)
        return await self._services.memory.context(turn, query=query)

    async def chat(
        self, agent: str, message: str, *, user: str | None, session: str | None
    ) -> AsyncGenerator[Told, None]:
        from wellkept.runtime.events import Done  # the agent loop takes its time to import
        from wellkept.runtime.runtime import Runtime

        if self._runtime is None:
            self._runtime = Runtime(services=self._services, default_model=self._model)
        events = self._runtime.stream(
            message, session_id=session, user_id=user, agent_id=await self._named(agent), tenant=self._tenant
        )
        async with aclosing(events):
            async for event in events:
                yield DoneEvent(answer=event.result) if isinstance(event, Done) else event

    async def _named(self, said: str) -> AgentId:
        """Read an agent's id. The default agent is made when it is first asked for."""
        try:
            agent = agent_id(said)
        except InvalidInput as error:
            raise NotFound(what="agent") from error
        if agent == ASSISTANT:
            await give_assistant(self._services, self._tenant)
        return agent

    async def _known(self, said: str) -> AgentId:
        return (await self._used(said))[0].agent

    async def _used(self, said: str) -> tuple[Pool, MemorySettings]:
        """Find an agent, disabled or not, or one that programs declare."""
        agent = await self._named(said)
        try:
            config = (await self._services.agents.get(self._tenant, agent)).config
        except NotFound:
            config = (await self._services.source.resolve(self._tenant, agent, None)).config
        return Pool(self._tenant, agent), config.memories

    async def _turn(self, agent: str, *, user: str | None, session: str | None) -> Turn:
        return Turn(
            tenant=self._tenant,
            agent=await self._named(agent),
            user=None if user is None else UserId(user),
            session=None if session is None else SessionId(session),
        )


def _expected(if_match: str | None) -> Expect:
    return ANY if if_match is None else if_match


@contextmanager
def _conditional(conditional: bool) -> Generator[None, None, None]:
    """Tell a conflict in the body as the failed condition that it is, as a server does."""
    try:
        yield
    except Conflict as error:
        if type(error) is not Conflict or not conditional:
            raise
        raise PreconditionFailed(etag=error.facts.get("etag")) from error
