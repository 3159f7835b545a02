"""Facts that a model proposes, checked before they stand beside what was said."""

from collections.abc import Sequence

from wellkept.contract.events import Event, EventKind, Listener
from wellkept.contract.extractor import MAX_FACT_CHARS, MOST_FACTS, Extractor, Fact
from wellkept.contract.screen import Screen
from wellkept.model.errors import InvalidInput, ModelFailed
from wellkept.model.ids import SessionId
from wellkept.model.passages import Passage, PassageOwner, Said, checked_said, fact_name, message_name
from wellkept.services.recall import Recall


class Facts:
    """Takes facts. What is wrong with one costs that one; a model that fails costs nothing but a count."""

    def __init__(self, screen: Screen, *, listener: Listener) -> None:
        self._screen = screen
        self._listener = listener

    async def take(
        self, recall: Recall, owner: PassageOwner, session: SessionId, said: Sequence[Said], extractor: Extractor
    ) -> None:
        """Let a model propose facts of these messages, and keep those that pass."""
        try:
            proposed = await extractor.facts(said)
        except ModelFailed as error:
            self._tell("extract_failed", owner, 1, error=error.code)
            return
        passing = [fact for fact in proposed[:MOST_FACTS] if self._passes(fact, said)]
        self._tell("facts_dropped", owner, len(proposed) - len(passing))
        await recall.propose(owner, [_passage(owner, session, fact, said) for fact in passing])

    def _passes(self, fact: Fact, said: Sequence[Said]) -> bool:
        try:
            text = checked_said(fact.text)
        except InvalidInput:
            return False
        known = bool(fact.sources) and all(0 <= source < len(said) for source in fact.sources)
        return known and len(text) <= MAX_FACT_CHARS and self._screen.look(text).verdict == "accept"

    def _tell(self, kind: EventKind, owner: PassageOwner, count: int, *, error: str = "") -> None:
        if count:
            self._listener(Event(kind=kind, tenant=owner.tenant, agent=owner.agent, count=count, error=error))


def _passage(owner: PassageOwner, session: SessionId, fact: Fact, said: Sequence[Said]) -> Passage:
    """Put a fact where its latest source stands: it is no younger than that, and said by the same speaker."""
    sources = [said[source] for source in sorted(set(fact.sources))]
    latest = max(sources, key=lambda source: (source.at, source.number))
    names = tuple(message_name(source) for source in sources)
    return Passage(
        tenant_id=owner.tenant,
        agent_id=owner.agent,
        user_id=owner.user,
        session_id=session,
        message=fact_name(fact.text, names),
        number=latest.number,
        kind="fact",
        speaker=latest.speaker,
        at=latest.at,
        text=fact.text,
        sources=names,
    )
