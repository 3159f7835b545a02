"""No order of steps lets a reader of the same cache see an old text.

Two readers, two writers and a deleter, each with a `Tiered` of its own over one
cache and one durable store. What is held, in every order of their steps: a read
gives what was current when it began, or something newer; current is what was
acknowledged, and what a read that ended before has given.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar, cast

import pytest

from interleavings import Explored, Fate, Gate, Process, Scene, World, at_once, explore
from wellkept.contract.block_store import ANY, Decide, Expect
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.model.errors import WellkeptError
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.stores.inproc import InprocStore
from wellkept.testing.clock import FakeClock
from wellkept.testing.samples import a_block, a_change, a_key, at
from wellkept.wrappers.tiered import Tiered, cached, envelope
from wellkept.wrappers.tiered.patience import Missed

T = TypeVar("T")
KEY, CHANGE = a_key(), a_change()
Text = Callable[[], str | None]

CACHES: dict[str, Text] = {
    "nothing": lambda: None,
    "a copy": lambda: envelope.copy_of(a_block("old"), mark="m", as_of=at()),
    "a stale copy": lambda: envelope.copy_of(a_block("older"), mark="m", as_of=at(-3600)),
    "a killed reader's place": lambda: envelope.seal(envelope.Fence(mark="m")),
    "a killed writer's fence": lambda: envelope.seal(
        envelope.Fence(mark="m", writers={"w": at() - envelope.FENCE_LIFE})
    ),
}
"""What may lie in the cache at first."""


class Direct:
    """Waits for the cache as long as it takes: here time stands still."""

    lost = False

    async def ask(self, step: Coroutine[object, object, T], *, late: bool = False) -> T | Missed:
        try:
            return await step
        except WellkeptError:
            self.lost = True
            return Missed.MISSED


class Logged(InprocStore):
    """Remembers each text that the block had, through purges too; None: there was no block."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str | None] = []

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        edited = await super().put(block, expect=expect, change=change)
        self.log.append(block.text)
        return edited

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        edited = await super().edit(key, decide, change=change, expect=expect)
        self.log.append(edited.block.text)
        return edited

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        self.log.append(None)
        return await super().delete(key, expect=expect, change=change)

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        self.log.append(None)
        return await super().purge(tenant, scope, owner)


class Play(Scene):
    """Processes named after what they do: R reads, P puts, E edits, D deletes, X purges."""

    fatal: tuple[Fate, ...] = ("step",)

    def __init__(self, world: World, names: Sequence[str], text: str | None) -> None:
        self.world = world
        self.durable, self.cache = Logged(), InprocStore()
        self.waits = list(names)
        self.floor = 1
        """How many of the durable store's texts are known to be there: a later read must give the last of them."""
        self.floors: dict[str, int] = {}
        at_once(self.durable.put(a_block("old"), expect=None, change=CHANGE))
        if text is not None:
            at_once(self.cache.put(a_block(text), expect=None, change=CHANGE))
        self.processes = {name: self.process(name) for name in names}

    def process(self, name: str) -> Process:
        cache, durable = Gate("cache", self.cache, self.world), Gate("durable", self.durable, self.world)
        store = Tiered(cache, durable, clock=FakeClock())
        works: dict[str, Callable[[], object]] = {
            "R": lambda: store.get(KEY),
            "P": lambda: store.put(a_block(name), expect=ANY, change=CHANGE),
            "E": lambda: store.edit(KEY, lambda _: name, change=CHANGE),
            "D": lambda: store.delete(KEY, change=CHANGE),
            "X": lambda: store.purge(KEY.tenant, "user", "maya"),
        }
        return cast("Process", works[name[0]])

    def state(self) -> str:
        kept = at_once(self.cache.get(KEY))
        oldest = min([self.floor, *self.floors.values()])
        floors = sorted((name, floor - oldest) for name, floor in self.floors.items())
        return repr((kept and kept.text, self.durable.log[oldest - 1 :], self.floor - oldest, floors))

    def fates(self, name: str, operation: str, step: int) -> Sequence[Fate]:
        """Let the second of two that do the same begin after the first: the other way round is the same."""
        if name in self.waits and f"{name[0]}1" in self.waits and name[1] != "1":
            return ()
        return self.fatal

    def began(self, name: str) -> None:
        if name in self.waits:
            self.waits.remove(name)
            self.floors[name] = self.floor

    def ended(self, name: str, answer: object) -> None:
        floor, texts = self.floors.pop(name), self.durable.log
        if isinstance(answer, BaseException):
            return  # It was not acknowledged: it may have happened or not.
        if name[0] == "R":
            text = cast("Block", answer).text if answer else None
            number = len(texts) - texts[::-1].index(text)
            assert number >= floor, f"{name} got {text}; there was {texts[floor - 1]} when it began, of {texts}"
        else:
            number = texts.index(None if name[0] in "DX" else name) + 1
        self.floor = max(self.floor, number)


class Faulty(Play):
    """Whatever happens after the fence: the cache fails or its answer is lost, and writers are killed anywhere."""

    def fates(self, name: str, operation: str, step: int) -> Sequence[Fate]:
        if not super().fates(name, operation, step):
            return ()
        if name[0] == "R":
            return ("step", "fail") if operation.startswith("cache") else ("step",)
        fencing = operation == "cache.edit" and step == 0
        return ("step", "lose", "fail", "kill") if operation.startswith("cache") and not fencing else ("step", "kill")


@pytest.fixture(autouse=True)
def waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached.Cached, "patience", lambda self: Direct())


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[Play], Sequence[str], Text], Explored]:
    def played(kind: type[Play], names: Sequence[str], text: Text) -> Explored:
        worlds: list[World] = [World()]
        monkeypatch.setattr(cached, "_mark", lambda: worlds[0].mark())

        def scene(world: World) -> Play:
            worlds[0] = world
            return kind(world, names, text())

        return explore(scene)

    return played


Played = Callable[[type[Play], Sequence[str], Text], Explored]


@pytest.mark.parametrize("text", CACHES.values(), ids=CACHES.keys())
@pytest.mark.parametrize("names", ["R1 R2 E1", "R1 P1 D1", "R1 E1 P2", "R1 P1 X1"])
def test_whatever_lies_in_the_cache_no_order_shows_an_old_text(play: Played, names: str, text: Text) -> None:
    assert play(Play, names.split(), text).endings > 5


@pytest.mark.parametrize("names", ["R1 E1 D1", "R1 R2 P1"])
@pytest.mark.parametrize("text", [CACHES["a copy"], CACHES["nothing"]], ids=["a copy", "nothing"])
def test_after_the_fence_no_fault_of_the_cache_and_no_killed_writer_does(play: Played, names: str, text: Text) -> None:
    assert play(Faulty, names.split(), text).endings > 30


def test_two_readers_two_writers_and_a_deleter(play: Played) -> None:
    explored = play(Play, ["R1", "R2", "P1", "P2", "D1"], CACHES["a copy"])
    assert (explored.states, explored.endings) > (20_000, 1_000)


def test_the_explorer_sees_what_goes_wrong_without_a_fence(play: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that is only written after the durable store, as caches often are: the test of the tests."""

    async def unfenced(self: cached.Cached, key: object, patience: object) -> cached.Placed:
        return cached.Placed("", at(), None)

    monkeypatch.setattr(cached.Cached, "close_block", unfenced)
    with pytest.raises(AssertionError, match=r"R1 got old; there was P1 when it began"):
        play(Faulty, ["R1", "P1"], CACHES["a copy"])
