# ruff: noqa: D102 - the contract says what a method promises
"""Past conversations in a store, through the service over it."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from wellkept.cli.backend import RecallBackend
from wellkept.model.ids import AgentId, TenantId, passage_id, session_id, user_id
from wellkept.model.passages import PassageCounts, PassageOwner, PassagesPut, Said, Selection
from wellkept.model.recall import Recalled, RecallFilter, RecallQuery
from wellkept.services.recall import Recall
from wellkept.wire.passages import ReindexAnswer


class LocalRecall(RecallBackend):
    """Does what there is to do with the conversations of one tenant."""

    def __init__(self, recall: Recall, tenant: TenantId) -> None:
        self._recall = recall
        self._tenant = tenant

    @abstractmethod
    async def _known(self, said: str) -> AgentId:
        """Find an agent.

        Raises:
            NotFound: There is none.
        """

    async def ingest(self, agent: str, *, user: str, session: str, messages: Sequence[Said]) -> PassagesPut:
        owner = await self._owner(agent, user)
        return await self._recall.ingest(owner, session_id(session), messages)

    async def recall(self, agent: str, query: str, *, user: str, limit: int, filter: RecallFilter) -> Recalled:
        asked = RecallQuery(text=query, limit=limit, filter=filter)
        return await self._recall.search(await self._owner(agent, user), asked)

    async def forget(self, agent: str, *, user: str | None, session: str | None, passage: str | None) -> int:
        chosen = Selection(
            tenant=self._tenant,
            agent=await self._known(agent),
            user=None if user is None else user_id(user),
            session=None if session is None else session_id(session),
            ids=None if passage is None else (passage_id(passage),),
        )
        return await self._recall.delete(chosen)

    async def recall_stats(self, agent: str) -> PassageCounts:
        return await self._recall.stats(self._tenant, await self._known(agent))

    async def reindex(self) -> AsyncGenerator[ReindexAnswer, None]:
        async with aclosing(self._recall.reindex(self._tenant)) as steps:
            async for step in steps:
                yield ReindexAnswer(model=step.model, done=step.done, left=step.total - step.done)

    async def _owner(self, agent: str, user: str) -> PassageOwner:
        return PassageOwner(self._tenant, await self._known(agent), user_id(user))
