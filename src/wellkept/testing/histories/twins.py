"""Two stores that are asked the same."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, TypeVar, cast

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from wellkept.contract.audit_log import AuditLog
from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.passage_store import PassageStore
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import WellkeptError

S = TypeVar("S")
T = TypeVar("T")

AnyStore = BlockStore | MemoryStore | Directory | SessionStore | ReviewStore | PassageStore | AuditLog

Opens = Callable[[], Awaitable[AnyStore]]
"""Gives an empty store at each call."""

STEPS_A_HISTORY = 50


class Refused(Exception):
    """A store refused: which error it raised, with which facts."""

    def __init__(self, error: WellkeptError) -> None:
        super().__init__(type(error).__name__, error.facts)
        self.kind = type(error)
        self.facts: Mapping[str, object] = error.facts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refused) and (self.kind, self.facts) == (other.kind, other.facts)

    def __hash__(self) -> int:
        return hash(self.kind)


class Twins(RuleBasedStateMachine):
    """A history of two stores, each empty at its beginning. A rule asks `both`.

    The rules draw from few ids, owners and texts: histories are about things that meet.
    """

    contract: ClassVar[type[AnyStore]]
    opens: ClassVar[tuple[Opens, Opens]]
    steps: ClassVar[int]
    """How many steps were taken, in all histories of this class."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()  # a runner would look after signals, at each of thousands of steps
        self.pair = self._loop.run_until_complete(self._opened())
        self._now = 0

    @classmethod
    def runs_on(cls, kind: type[object]) -> bool:
        """Say whether stores of this kind keep what this history is about."""
        return issubclass(kind, cls.contract)

    async def _opened(self) -> tuple[AnyStore, AnyStore]:
        one, other = self.opens
        return await one(), await other()

    def tick(self) -> int:
        """Let a second pass; give the seconds since the beginning."""
        self._now += 1
        return self._now

    def ask(self, kind: type[S], work: Callable[[S], Awaitable[T]]) -> T | Refused:
        """Take a step: ask both stores the same, and give the answer of both."""
        type(self).steps += 1
        return self.compare(kind, work)

    def compare(self, kind: type[S], work: Callable[[S], Awaitable[T]]) -> T | Refused:
        """Ask both stores the same between two steps."""
        one, other = self._loop.run_until_complete(self._heard(cast("Callable[[AnyStore], Awaitable[T]]", work)))
        assert one == other, f"{one!r} is not {other!r}"
        return one

    async def _heard(self, work: Callable[[AnyStore], Awaitable[T]]) -> tuple[T | Refused, T | Refused]:
        one, other = self.pair
        return await _heard(work, one), await _heard(work, other)

    def teardown(self) -> None:
        """Let both go."""
        self._loop.run_until_complete(self._closed())
        self._loop.close()

    async def _closed(self) -> None:
        for store in self.pair:
            await store.close()


async def _heard(work: Callable[[AnyStore], Awaitable[T]], store: AnyStore) -> T | Refused:
    try:
        return await work(store)
    except WellkeptError as error:
        return Refused(error)


def play(history: type[Twins], one: Opens, other: Opens, *, steps: int, shortest: bool = True) -> int:
    """Play histories until they have `steps` steps; say how many they have.

    Raises:
        AssertionError: The stores differ. A history that shows it is in its notes: the shortest, which takes a while to
            find, or the first.
    """

    class Playing(history):  # type: ignore[misc,valid-type] # a class of its own, for its own counter and its own pair
        opens = (one, other)
        steps = 0

    Playing.__name__ = Playing.__qualname__ = history.__name__
    while Playing.steps < steps:
        histories = max(1, -(-(steps - Playing.steps) // STEPS_A_HISTORY))
        run_state_machine_as_test(
            Playing,
            settings=settings(
                max_examples=histories,
                stateful_step_count=STEPS_A_HISTORY,
                deadline=None,
                database=None,
                phases=[Phase.generate, Phase.shrink] if shortest else [Phase.generate],
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            ),
        )
    return Playing.steps
