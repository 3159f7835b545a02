# ruff: noqa: D102 - the contract says what a method promises
"""A server, through the SDK."""

from collections.abc import AsyncGenerator, Sequence

from msgspec import UNSET

from wellkept.cli.backend import Backend, Told
from wellkept.client.async_client import AsyncView
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.keys import Scope
from wellkept.model.memories import SearchMode
from wellkept.model.passages import PassageCounts, PassagesPut, Said
from wellkept.model.recall import Recalled, RecallFilter
from wellkept.model.receipts import Context
from wellkept.wire.admin import HeldWriteAnswer, KeyCreated, KeysAnswer, ReviewPage
from wellkept.wire.agents import AgentAnswer, AgentCreate, AgentsPage
from wellkept.wire.audit import AuditPage, AuditQuery
from wellkept.wire.blocks import BlockAnswer, BlockEditedAnswer, BlocksAnswer, DiffAnswer, RevisionsPage
from wellkept.wire.memories import MemoriesFound, MemoriesPage, MemoryAnswer
from wellkept.wire.passages import ReindexAnswer


class Remote(Backend):
    """Does everything on a server."""

    def __init__(self, client: AsyncView) -> None:
        self._client = client

    async def list_blocks(self, scope: Scope, owner: str) -> BlocksAnswer:
        return await self._client.blocks.list(scope, owner=owner)

    async def get_block(self, scope: Scope, owner: str, key: str) -> BlockAnswer:
        return await self._client.blocks.get(scope, key, owner=owner)

    async def put_block(
        self, scope: Scope, owner: str, key: str, text: str, *, limit: int, if_match: str | None, only_new: bool = False
    ) -> BlockEditedAnswer:
        return await self._client.blocks.put(
            scope, key, owner=owner, text=text, limit=limit, if_match=if_match, only_new=only_new
        )

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
        return await self._client.blocks.edit(scope, key, owner=owner, edit=edit, limit=limit, if_match=if_match)

    async def delete_block(self, scope: Scope, owner: str, key: str, *, if_match: str | None) -> None:
        await self._client.blocks.delete(scope, key, owner=owner, if_match=if_match)

    async def block_history(
        self, scope: Scope, owner: str, key: str, *, cursor: str | None, limit: int
    ) -> RevisionsPage:
        return await self._client.blocks.history(scope, key, owner=owner, cursor=cursor, limit=limit)

    async def block_diff(self, scope: Scope, owner: str, key: str, *, old: int, new: int) -> DiffAnswer:
        return await self._client.blocks.diff(scope, key, owner=owner, old=old, new=new)

    async def restore_block(
        self, scope: Scope, owner: str, key: str, number: int, *, if_match: str | None
    ) -> BlockEditedAnswer:
        return await self._client.blocks.restore(scope, key, owner=owner, number=number, if_match=if_match)

    async def create_memory(self, agent: str, text: str, *, user: str, pinned: bool) -> MemoryAnswer:
        return await self._client.memories.create(agent, text=text, user_id=user, pinned=pinned)

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
        return await self._client.memories.list(
            agent, user_id=user, search=search, mode=mode, cursor=cursor, limit=limit
        )

    async def explain_search(self, agent: str, query: str, *, user: str | None, limit: int) -> MemoriesFound:
        return await self._client.turns.search_memories(agent, query, user_id=user, limit=limit)

    async def get_memory(self, agent: str, memory: str) -> MemoryAnswer:
        return await self._client.memories.get(agent, memory)

    async def update_memory(
        self, agent: str, memory: str, *, text: str | None, pinned: bool | None, if_match: str | None
    ) -> MemoryAnswer:
        return await self._client.memories.update(
            agent,
            memory,
            text=UNSET if text is None else text,
            pinned=UNSET if pinned is None else pinned,
            if_match=if_match,
        )

    async def delete_memory(self, agent: str, memory: str, *, if_match: str | None) -> None:
        await self._client.memories.delete(agent, memory, if_match=if_match)

    async def ingest(self, agent: str, *, user: str, session: str, messages: Sequence[Said]) -> PassagesPut:
        return await self._client.passages.ingest(agent, user_id=user, session_id=session, messages=messages)

    async def recall(self, agent: str, query: str, *, user: str, limit: int, filter: RecallFilter) -> Recalled:
        return await self._client.passages.recall(agent, query, user_id=user, limit=limit, filter=filter)

    async def forget(self, agent: str, *, user: str | None, session: str | None, passage: str | None) -> int:
        answer = await self._client.passages.delete(agent, user_id=user, session_id=session, passage_id=passage)
        return answer.deleted

    async def recall_stats(self, agent: str) -> PassageCounts:
        return await self._client.passages.stats(agent)

    async def reindex(self) -> AsyncGenerator[ReindexAnswer, None]:
        done = 0
        while True:
            step = await self._client.passages.reindex()
            done += step.done
            yield ReindexAnswer(model=step.model, done=done, left=step.left)
            if not step.left:
                return

    async def create_agent(self, agent: AgentCreate) -> AgentAnswer:
        return await self._client.agents.create(
            name=agent.name,
            model=agent.model,
            instructions=agent.instructions,
            tools=agent.tools,
            memory_injection_enabled=agent.memory_injection_enabled,
            working_memory=agent.working_memory,
            memories=agent.memories,
            recall=agent.recall,
            metadata=agent.metadata,
            user_id=agent.user_id,
        )

    async def list_agents(self, *, user: str | None, cursor: str | None, limit: int) -> AgentsPage:
        return await self._client.agents.list(user_id=user, cursor=cursor, limit=limit)

    async def get_agent(self, agent: str) -> AgentAnswer:
        return await self._client.agents.get(agent)

    async def create_key(self, name: str, *, user: str) -> KeyCreated:
        return await self._client.keys.create(name=name, user_id=user)

    async def list_keys(self) -> KeysAnswer:
        return await self._client.keys.list()

    async def revoke_key(self, key: str) -> None:
        await self._client.keys.revoke(key)

    async def list_held(self, *, cursor: str | None, limit: int) -> ReviewPage:
        return await self._client.review.list(cursor=cursor, limit=limit)

    async def get_held(self, held: str) -> HeldWriteAnswer:
        return await self._client.review.get(held)

    async def approve(self, held: str) -> HeldWriteAnswer:
        return await self._client.review.approve(held)

    async def reject(self, held: str) -> HeldWriteAnswer:
        return await self._client.review.reject(held)

    async def list_audit(self, query: AuditQuery) -> AuditPage:
        return await self._client.audit.list(
            agent_id=query.agent_id,
            user_id=query.user_id,
            action=query.action,
            since=query.since,
            until=query.until,
            cursor=query.cursor,
            limit=query.limit,
        )

    async def context(self, agent: str, *, user: str | None, session: str | None, query: str | None) -> Context:
        return await self._client.context.render(agent, user_id=user, session_id=session, query=query)

    async def chat(
        self, agent: str, message: str, *, user: str | None, session: str | None
    ) -> AsyncGenerator[Told, None]:
        async with self._client.turns.stream(agent, message, user_id=user, session_id=session) as events:
            async for event in events:
                yield event
