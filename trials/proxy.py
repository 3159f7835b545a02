"""Connections cut, delayed and swallowed between a store and its server: no wrong answer, healed in five seconds."""

import asyncio
import time
from pathlib import Path

from trials.load import HEALED_WITHIN, Load
from trials.places import Place
from trials.report import Figure, Report
from trials.tcp_proxy import Fault, Proxy, proxying
from wellkept.compose.stores import open_block_store

FAULTS: tuple[Fault, ...] = ("none", "refuse", "delay", "swallow", "swallow answers", "cut answers")
"""One after the other. `none`: connections are cut, and may come back at once."""

TIMEOUT = 1
"""Seconds that the store waits for an answer, by its URL."""


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Meet `count` faults, each of which lasts so many seconds."""
    assert place.server is not None
    folder = place.server.socket.parent / "proxy"
    folder.mkdir(mode=0o755)
    at = folder / place.server.socket.name
    with proxying(place.server.socket, at) as proxy:
        try:
            return asyncio.run(_meet(place, proxy, _through(place, at), count, seconds))
        finally:
            proxy.cut()


def _through(place: Place, at: Path) -> str:
    assert place.server is not None
    url = place.server.through(at)
    return f"{url}{'&' if '?' in url else '?'}timeout={TIMEOUT}"


async def _meet(place: Place, proxy: Proxy, url: str, count: int, seconds: float) -> Report:
    healed: list[float] = []
    wrong: list[str] = []
    cut = 0
    async with Load(await open_block_store(url)) as load:
        await asyncio.sleep(0.2)
        for number in range(count):
            proxy.fault = FAULTS[number % len(FAULTS)]
            until = time.monotonic() + seconds
            while (left := until - time.monotonic()) > 0:
                if proxy.fault in ("none", "refuse"):
                    cut += await asyncio.to_thread(proxy.cut)
                await asyncio.sleep(min(left, 0.1))
            fault, proxy.fault = proxy.fault, "none"
            healed.append(await load.healed(time.monotonic()))
            if healed[-1] > HEALED_WITHIN:
                wrong.append(f"healed {healed[-1]:.1f} s after {fault}")
            await asyncio.sleep(0.2)
    store = await place.open()
    wrong += load.wrong() + await load.differences(store)
    await store.close()
    figures: dict[str, Figure] = {
        "faults": count,
        "seconds each": seconds,
        "connections cut": cut,
        **{f"times: {fault}": times for fault, times in sorted(proxy.met.items())},
        "operations acknowledged": load.total("acknowledged"),
        "operations failed, and said so": load.total("failed"),
        "operations given up by their callers": load.total("given up"),
        "healed after, worst, s": round(max(healed), 2),
        "healed after, median, s": round(sorted(healed)[len(healed) // 2], 2),
    }
    return Report(trial="proxy", store=place.name, figures=figures, wrong=wrong)
