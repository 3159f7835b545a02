"""A turn's edit of a block: its policy, its limit, the screen."""

from wellkept.contract.clock import Clock
from wellkept.contract.events import Listener
from wellkept.model.blocks import Block, Change
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.errors import WriteClosed
from wellkept.model.outcomes import BlockWritten, WriteState
from wellkept.model.review import HeldBlockEdit, Screened
from wellkept.rules.edit import apply, is_empty
from wellkept.services.audit import Note, unnoted
from wellkept.services.blocks import block_changed, edited_entry
from wellkept.services.review import Review
from wellkept.services.screening import Screening
from wellkept.services.turn_scope import PlacedBlock, TurnScope


class _HeldByScreen(Exception):
    def __init__(self, screened: Screened) -> None:
        super().__init__()
        self.screened = screened


class BlockWrites:
    """Edits blocks for turns."""

    def __init__(
        self, *, review: Review, screening: Screening, clock: Clock, listener: Listener, note: Note = unnoted
    ) -> None:
        self._note = note
        self._review = review
        self._screening = screening
        self._clock = clock
        self._listener = listener

    async def edit(self, scope: TurnScope, placed: PlacedBlock, edit: Add | Replace | Remove) -> BlockWritten:
        """Edit a block, or hold the edit.

        Raises:
            WriteClosed: The block's policy is `closed`.
            OverLimit: The block would be longer than its limit.
            EntryNotFound: No entry contains `match`.
            EntryAmbiguous: Several do.
            TextRejected: The screen says that the text instructs the model.
        """
        if placed.policy == "closed":
            raise WriteClosed(block=placed.spec.key)
        if placed.policy == "review":
            return await self._hold_unless_void(scope, placed, edit)

        def decide(before: Block | None) -> str:
            text = before.text if before else ""
            after, screened = self._decided(scope, placed, edit, text)
            if screened.verdict == "hold":
                raise _HeldByScreen(screened)
            return after

        turn = scope.turn
        change = Change(actor="agent" if turn.user is None else "user_turn", at=self._clock.now(), session=turn.session)
        try:
            edited = await scope.store.edit(placed.key, decide, change=change)
        except _HeldByScreen as held:
            stored = await scope.store.get(placed.key)
            return await self._hold(scope, placed, edit, stored, held.screened)
        if edited.changed:
            self._listener(block_changed(placed.key))
            await self._note(edited_entry(edited, change))
        return _written(placed, edited.block, "done" if edited.changed else "unchanged")

    async def _hold_unless_void(
        self, scope: TurnScope, placed: PlacedBlock, edit: Add | Replace | Remove
    ) -> BlockWritten:
        """Hold an edit that could be made now; what cannot be made, or changes nothing, needs nobody's approval."""
        stored = await scope.store.get(placed.key)
        text = stored.text if stored else ""
        after, screened = self._decided(scope, placed, edit, text)
        if stored is not None and after == text:
            return _written(placed, stored, "unchanged")
        return await self._hold(scope, placed, edit, stored, screened)

    def _decided(
        self, scope: TurnScope, placed: PlacedBlock, edit: Add | Replace | Remove, text: str
    ) -> tuple[str, Screened]:
        template = placed.spec.template
        after = apply(edit, text, limit=placed.limit, template=template)
        before = template if is_empty(text) else text
        brought = "" if isinstance(edit, Remove) else edit.content
        return after, self._screening.judge(scope, before=before, after=after, brought=brought)

    async def _hold(
        self,
        scope: TurnScope,
        placed: PlacedBlock,
        edit: Add | Replace | Remove,
        stored: Block | None,
        screened: Screened,
    ) -> BlockWritten:
        action = HeldBlockEdit(placed.key, edit, placed.limit, placed.spec.template)
        write = await self._review.hold(scope.turn, action, screened)
        return _written(placed, stored, "held", held=write.id)


def _written(placed: PlacedBlock, block: Block | None, state: WriteState, *, held: str | None = None) -> BlockWritten:
    return BlockWritten(
        key=placed.spec.key,
        scope=placed.spec.scope,
        state=state,
        chars=len(block.text) if block else 0,
        limit=placed.limit,
        etag=block.etag if block else None,
        held=held,
    )
