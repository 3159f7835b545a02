"""Every order in which processes can take their steps, tried on the real code.

A process is a coroutine that uses stores behind a `Gate`. At the gate it waits
until the explorer lets it take its next step, which is one operation of one
store. Code between two steps depends only on what the steps answered; so two
orders that lead to the same answers and the same stores go on alike, and only
one of them is followed.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.model.errors import StoreUnavailable, WellkeptError
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope

T = TypeVar("T")

Fate = Literal["step", "lose", "fail", "kill"]
"""A step is taken; is taken, but its answer is lost; is not taken and fails; or the process ends before it."""
Choice = tuple[str, Fate]
Process = Callable[[], Coroutine["AtGate", Fate, object]]


class Killed(BaseException):
    """The process ends here."""


class AtGate:
    """A process waits before an operation; it is sent its fate."""

    def __init__(self, operation: str) -> None:
        self.operation = operation

    def __await__(self) -> Generator["AtGate", Fate, Fate]:
        return (yield self)


@dataclass
class World:
    """One run: who runs now, and all that each process was answered."""

    running: str = ""
    answers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    marks: dict[str, int] = field(default_factory=dict[str, int])

    def mark(self) -> str:
        """Make what no other has, and what does not depend on the order of the processes."""
        self.marks[self.running] = self.marks.get(self.running, 0) + 1
        return f"{self.running}{self.marks[self.running]}"

    async def pass_gate(self, operation: str, work: Callable[[], Awaitable[T]]) -> T:
        """Wait for the explorer, then do the operation at once."""
        fate = await AtGate(operation)
        told = self.answers.setdefault(self.running, [])
        if fate == "fail":
            told.append("failed")
            raise StoreUnavailable
        try:
            answer = await work()
        except WellkeptError as error:
            told.append(error.message)
            raise
        if fate == "lose":
            told.append("failed")
            raise StoreUnavailable
        told.append(repr(_heard(answer)))
        return answer


def _heard(answer: object) -> object:
    """Give what a caller can make use of: texts, and no etags of what was there before."""
    if isinstance(answer, BlockEdited):
        return answer.block.text
    if isinstance(answer, list):
        return [_heard(one) for one in cast("list[object]", answer)]
    return answer.text if isinstance(answer, Block) else answer


class Gate(BlockStore):
    """A store whose every operation is one step."""

    def __init__(self, name: str, inner: BlockStore, world: World) -> None:
        self.name = name
        self.inner = inner
        self.world = world
        self.capabilities = frozenset()  # type: ignore[misc] # a cache without a history, whatever is behind

    async def get(self, key: BlockKey) -> Block | None:
        return await self.world.pass_gate(f"{self.name}.get", lambda: self.inner.get(key))

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        return await self.world.pass_gate(f"{self.name}.get", lambda: self.inner.get_many(keys))

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self.world.pass_gate(
            f"{self.name}.put", lambda: self.inner.put(block, expect=expect, change=change)
        )

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        return await self.world.pass_gate(
            f"{self.name}.edit", lambda: self.inner.edit(key, decide, change=change, expect=expect)
        )

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await self.world.pass_gate(
            f"{self.name}.delete", lambda: self.inner.delete(key, expect=expect, change=change)
        )

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await self.world.pass_gate(f"{self.name}.blocks", lambda: self.inner.blocks(tenant, scope, owner))

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        return await self.world.pass_gate(f"{self.name}.purge", lambda: self.inner.purge(tenant, scope, owner))


class Scene:
    """What is played, and who watches. Derive from it."""

    processes: Mapping[str, Process]

    def state(self) -> str:
        """Give all that the stores hold, and all that the watcher knows."""
        raise NotImplementedError

    def began(self, name: str) -> None:
        """Hear that a process takes its first step now."""

    def ended(self, name: str, answer: object) -> None:
        """Hear what a process answered or raised."""

    def fates(self, name: str, operation: str, step: int) -> Sequence[Fate]:
        """Say what may befall a process before its operation, of which it did `step` already; nothing: it waits."""
        return ("step",)


@dataclass
class Explored:
    """How much was tried: different states, orders that were begun, and orders that were followed to the end."""

    states: int = 0
    runs: int = 0
    endings: int = 0


def explore(make: Callable[[World], Scene]) -> Explored:
    """Follow every order of steps from a new scene, each state once."""
    explored = Explored()
    seen: set[int] = set()
    ahead: list[tuple[Choice, ...]] = [()]
    while ahead:
        explored.runs += 1
        run = _Run(make, ahead.pop())
        try:
            ahead += run.follow(seen, explored)
        except AssertionError as error:
            raise AssertionError(f"{error}\nafter {run.taken}\n{run.world.answers}") from error
        finally:
            run.end()
    explored.states = len(seen)
    return explored


class _Run:
    def __init__(self, make: Callable[[World], Scene], prefix: Sequence[Choice]) -> None:
        self.world = World()
        self.scene = make(self.world)
        self.prefix = prefix
        self.taken: list[Choice] = []
        self.lives = {name: start() for name, start in self.scene.processes.items()}
        self.at: dict[str, str] = {}

    def follow(self, seen: set[int], explored: Explored) -> list[tuple[Choice, ...]]:
        branches: list[tuple[Choice, ...]] = []
        for name in list(self.lives):
            self._go(name, None)
        for choice in self.prefix:
            self._take(choice)
        while self.at:
            lives = [(name, at, self.world.answers.get(name)) for name, at in sorted(self.at.items())]
            told = hash((self.scene.state(), repr(lives)))
            if told in seen:
                return branches
            seen.add(told)
            choice, *others = [
                (name, fate) for name, at, past in lives for fate in self.scene.fates(name, at, len(past or []))
            ]
            branches += [(*self.taken, other) for other in others]
            self._take(choice)
        explored.endings += 1
        return branches

    def end(self) -> None:
        for life in self.lives.values():
            life.close()

    def _take(self, choice: Choice) -> None:
        self.taken.append(choice)
        name, fate = choice
        if not self.world.answers.get(name):
            self.scene.began(name)
        self._go(name, fate)

    def _go(self, name: str, fate: Fate | None) -> None:
        self.world.running = name
        self.at.pop(name, None)
        life = self.lives[name]
        try:
            if fate == "kill":
                life.throw(Killed)
            else:
                # A coroutine begins with None, and is sent its fates after that.
                self.at[name] = life.send(cast("Fate", fate)).operation
        except StopIteration as done:
            self.scene.ended(name, done.value)
        except (WellkeptError, Killed) as error:
            self.scene.ended(name, error)


def at_once(work: Coroutine[object, object, T]) -> T:
    """Run what never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    raise AssertionError("it waits")
