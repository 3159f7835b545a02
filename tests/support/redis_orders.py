"""Every order in which processes can send their commands, tried on a real server, with one of them killed or cut off.

A process is a coroutine with a store of its own, whose link waits before each
step until it is let through. An order is replayed from the beginning; the next
one differs from it in the last choice that has another left.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from wellkept.model.errors import StoreUnavailable
from wellkept.stores.redis.link import Command, Link, Reply

Process = Callable[[Link], Awaitable[object]]


@dataclass
class Gates:
    """Where processes wait for their next step, by number."""

    waiting: dict[int, asyncio.Future[str]] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class GatedLink(Link):
    """A link whose every `send` is one step."""

    name = "redis"

    def __init__(self, inner: Link, gates: Gates, number: int) -> None:
        self.inner = inner
        self.gates = gates
        self.number = number
        self.apart = True

    async def send(self, commands: Sequence[Command], *, shard: str | None = None, again: bool = False) -> list[Reply]:
        turn = asyncio.get_running_loop().create_future()
        self.gates.waiting[self.number] = turn
        self.gates.changed.set()
        fate = await turn
        if fate == "fail":
            raise StoreUnavailable(store=self.name)
        answers = await self.inner.send(commands, shard=shard, again=again)
        if fate == "lose":
            raise StoreUnavailable(store=self.name)
        return answers

    async def close(self) -> None:
        return


async def play(
    inner: Link, processes: Sequence[Process], choose: Callable[[int], int], after_step: Callable[[], Awaitable[None]]
) -> list[str]:
    """Run the processes in the order that `choose` (from a number of options) makes; tell the order."""
    gates = Gates()
    tasks = [asyncio.ensure_future(work(GatedLink(inner, gates, n))) for n, work in enumerate(processes)]
    told: list[str] = []
    harm = 1
    while True:
        await _settled(gates, tasks)
        ready = sorted(gates.waiting)
        if not ready:
            break
        options = [(number, "step") for number in ready]
        if harm:
            options += [(number, fate) for number in ready for fate in ("kill", "fail", "lose")]
        number, fate = options[choose(len(options))]
        told.append(f"{number}:{fate}")
        turn = gates.waiting.pop(number)
        if fate == "kill":
            tasks[number].cancel()
            await asyncio.wait([tasks[number]])
        else:
            turn.set_result(fate)
            await _settled(gates, tasks)
        harm -= fate != "step"
        await after_step()
    for task in tasks:
        if not task.cancelled() and not isinstance(task.exception(), StoreUnavailable | None):
            task.result()
    return told


async def _settled(gates: Gates, tasks: Sequence[asyncio.Future[object]]) -> None:
    """Wait until every process is at its gate or at its end."""
    while moving := [task for number, task in enumerate(tasks) if number not in gates.waiting and not task.done()]:
        gates.changed.clear()
        arrival = asyncio.ensure_future(gates.changed.wait())
        await asyncio.wait([*moving, arrival], return_when=asyncio.FIRST_COMPLETED)
        arrival.cancel()


async def all_orders(run: Callable[[Callable[[int], int]], Awaitable[None]]) -> AsyncIterator[int]:
    """Run once for each order; give how many were run so far."""
    path: list[int] = []
    count = 0
    while True:
        widths: list[int] = []

        def choose(options: int, widths: list[int] = widths) -> int:
            widths.append(options)
            if len(widths) > len(path):
                path.append(0)
            return path[len(widths) - 1]

        await run(choose)
        count += 1
        yield count
        while path and path[-1] + 1 >= widths[len(path) - 1]:
            path.pop()
        if not path:
            return
        path[-1] += 1


async def some_orders(run: Callable[[Callable[[int], int]], Awaitable[None]], *, count: int, seed: int) -> None:
    """Run for so many orders, drawn at random."""
    for number in range(count):
        chance = Random(f"{seed}-{number}")
        await run(chance.randrange)
