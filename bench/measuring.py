"""The loop: an operation over and over, by one caller or several at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

Operation = Callable[[int], Awaitable[object]]


@dataclass(slots=True)
class Tally:
    """What the calls came to, in seconds. `cpu` is the processor time of the whole process."""

    latencies: list[float] = field(default_factory=list[float])
    wall: float = 0.0
    cpu: float = 0.0

    def percentile(self, share: float) -> float:
        """Give the latency that this share of the calls stayed under."""
        ordered = sorted(self.latencies)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    @property
    def per_second(self) -> float:
        """Calls that ended in a second."""
        return len(self.latencies) / self.wall

    @property
    def cpu_per_call(self) -> float:
        """Seconds of processor time that a call took, in all threads."""
        return self.cpu / len(self.latencies)


async def measure(
    operation: Operation,
    tally: Tally,
    *,
    numbers: Iterator[int],
    callers: int,
    seconds: float,
    settle: Callable[[], Awaitable[None]],
) -> None:
    """Call for some seconds, at least once a caller, and add to `tally`; then let what was left for later be done."""
    await operation(next(numbers))  # not measured: it finds caches cold
    cpu, begin = time.process_time(), time.perf_counter()
    end = begin + seconds

    async def call() -> None:
        done = time.perf_counter()
        while True:
            start = done
            await operation(next(numbers))
            done = time.perf_counter()
            tally.latencies.append(done - start)
            if done >= end:
                return

    await asyncio.gather(*(call() for _ in range(callers)))
    tally.wall += time.perf_counter() - begin
    tally.cpu += time.process_time() - cpu
    await settle()
