"""A turn's changes of memories: whose row it is, the policy for general rows, the screen."""

from wellkept.model.errors import WriteClosed
from wellkept.model.ids import GENERAL, MemoryId
from wellkept.model.memories import Memory, checked_memory_text
from wellkept.model.outcomes import MemoryWritten
from wellkept.model.review import HeldAction, HeldMemoryDelete, HeldMemorySave, HeldMemoryUpdate, Screened
from wellkept.services.memories import Memories
from wellkept.services.review import Review
from wellkept.services.screening import ACCEPTED, Screening
from wellkept.services.turn_scope import TurnScope


class MemoryWrites:
    """Changes memories for turns."""

    def __init__(self, memories: Memories, *, review: Review, screening: Screening) -> None:
        self._memories = memories
        self._review = review
        self._screening = screening

    async def save(self, scope: TurnScope, text: str) -> MemoryWritten:
        """Save a memory in the turn's own partition, unless the turn sees one of this text already.

        Raises:
            InvalidInput: The text cannot be a memory.
            TextRejected: The screen says that it instructs the model.
        """
        user = scope.turn.user or GENERAL
        screened = self._screening.judge(scope, before="", after=checked_memory_text(text))
        if screened.verdict == "hold":
            return await self._held(scope, HeldMemorySave(text, user), screened)
        created = await self._memories.create(
            scope.turn.pool,
            user_id=user,
            text=text,
            settings=scope.agent.config.memories,
            origin="tool",
            unless_in=(user, GENERAL) if user else (GENERAL,),
        )
        if not created.changed:
            self._memories.touch(scope.turn.pool, [created.memory.id])
        return MemoryWritten(
            state="done" if created.changed else "unchanged", memory=created.memory, evicted=len(created.evicted)
        )

    async def update(self, scope: TurnScope, memory: MemoryId, text: str) -> MemoryWritten:
        """Replace the text of a visible row.

        Raises:
            InvalidInput: The text cannot be a memory.
            NotFound: The row is missing or somebody else's.
            WriteClosed: It is a general row, and `general_write` is `closed`.
            TextRejected: The screen says that the text instructs the model.
        """
        row = await self._row(scope, memory)
        if row.text == checked_memory_text(text):
            self._memories.touch(scope.turn.pool, [row.id])
            return MemoryWritten(state="unchanged", memory=row)
        policy = _policy(scope, row)
        screened = self._screening.judge(scope, before=row.text, after=text)
        if policy == "review" or screened.verdict == "hold":
            return await self._held(scope, HeldMemoryUpdate(row.id, text, row.etag), screened)
        updated = await self._memories.update(scope.turn.pool, row.id, text=text, partitions=scope.partitions)
        return MemoryWritten(state="done", memory=updated)

    async def delete(self, scope: TurnScope, memory: MemoryId) -> MemoryWritten:
        """Delete a visible row.

        Raises:
            NotFound: The row is missing or somebody else's.
            WriteClosed: It is a general row, and `general_write` is `closed`.
        """
        row = await self._row(scope, memory)
        if _policy(scope, row) == "review":
            return await self._held(scope, HeldMemoryDelete(row.id, row.etag), ACCEPTED)
        await self._memories.delete(scope.turn.pool, row.id, partitions=scope.partitions)
        return MemoryWritten(state="done")

    async def _row(self, scope: TurnScope, memory: MemoryId) -> Memory:
        return await self._memories.get(scope.turn.pool, memory, partitions=scope.partitions)

    async def _held(self, scope: TurnScope, action: HeldAction, screened: Screened) -> MemoryWritten:
        write = await self._review.hold(scope.turn, action, screened)
        return MemoryWritten(state="held", held=write.id)


def _policy(scope: TurnScope, row: Memory) -> str:
    """Say what happens to a change of `row`: a user's turn must not change what every other user is told.

    Raises:
        WriteClosed: It is refused.
    """
    if row.user_id != GENERAL or scope.turn.user is None:
        return "open"
    policy = scope.agent.config.memories.general_write
    if policy == "closed":
        raise WriteClosed(memory=row.id)
    return policy
