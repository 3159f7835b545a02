"""The server restarted under load: what was acknowledged is there, nothing is there twice, healed in five seconds."""

import asyncio
import time

from trials.load import HEALED_WITHIN, Load
from trials.places import Place
from trials.report import Report

DOWN = 0.3
"""Seconds without a server."""


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Restart the server `count` times: after a farewell and without one, in turn."""
    return asyncio.run(_restart(place, count))


async def _restart(place: Place, count: int) -> Report:
    server = place.server
    assert server is not None
    healed: list[float] = []
    wrong: list[str] = []
    async with Load(await place.open()) as load:
        for number in range(count):
            await asyncio.sleep(0.3)
            await asyncio.to_thread(server.kill if number % 2 else server.stop)
            await asyncio.sleep(DOWN)
            await asyncio.to_thread(server.start)
            healed.append(await load.healed(time.monotonic()))
            if healed[-1] > HEALED_WITHIN:
                wrong.append(f"healed {healed[-1]:.1f} s after restart {number}")
    store = await place.open()
    wrong += load.wrong() + await load.differences(store)
    await store.close()
    return Report(
        trial="restart",
        store=place.name,
        figures={
            "restarts": count,
            "of these without a farewell": count // 2,
            "operations acknowledged": load.total("acknowledged"),
            "operations failed, and said so": load.total("failed"),
            "operations given up by their callers": load.total("given up"),
            "healed after, worst, s": round(max(healed), 2),
        },
        wrong=wrong,
    )
