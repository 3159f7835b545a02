"""Random histories: every combination tells the in-process store's; and two processes over one cache in trouble.

Of the two processes each reads what was written last, or within a bound what was there before.
"""

import asyncio
from collections.abc import Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from combinations import COMBINATIONS, Places
from troubled_store import Trouble, TroubledStore
from wellkept.compose.stores import open_block_store
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.model.keys import BlockKey
from wellkept.stores.inproc import InprocStore
from wellkept.testing.clock import FakeClock
from wellkept.testing.histories import BlockHistory, play
from wellkept.testing.samples import a_block, a_change, a_key
from wellkept.wrappers.tiered import Tiered

T = TypeVar("T")

STEPS = 250
"""Few, for every day. `scripts/histories` plays more."""


def test_it_tells_the_in_process_stores_story(combination: str, tmp_path: Path) -> None:
    async def inproc() -> BlockStore:
        return InprocStore()

    async def wrapped() -> BlockStore:
        return await open_block_store(COMBINATIONS[combination](Places(Path(mkdtemp(dir=tmp_path)))))

    assert play(BlockHistory, inproc, wrapped, steps=STEPS) >= STEPS


TTL = 60
KEYS = [a_key("A"), a_key("B"), a_key("A", owner="sam")]
keys, processes = st.sampled_from(KEYS), st.integers(0, 1)


class TwoProcesses(RuleBasedStateMachine):
    """A dictionary beside them, and for each block which old texts the other process may still be shown, how long."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        cache, durable = InprocStore(), InprocStore()
        self.ways = [TroubledStore(cache), TroubledStore(cache)]
        self.stores = [Tiered(way, durable, ttl=TTL, timeout=5, clock=self.clock) for way in self.ways]
        self.model: dict[BlockKey, str] = {}
        self.stale: dict[tuple[int, BlockKey], dict[str | None, datetime]] = {}
        self.number = 0

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.runner.run(work)

    def teardown(self) -> None:
        self.runner.close()

    def becomes(self, process: int, key: BlockKey, text: str | None) -> None:
        """Note a change; if its writer could not reach the cache, the other may be shown what was there before."""
        before = self.model.get(key)
        if self.ways[process].trouble != "none":
            self.stale.setdefault((1 - process, key), {})[before] = self.clock.now() + timedelta(seconds=TTL)
        self.model.pop(key, None)
        if text is not None:
            self.model[key] = text

    @rule(process=processes, key=keys, same=st.booleans(), edit=st.booleans())
    def write(self, process: int, key: BlockKey, same: bool, edit: bool) -> None:
        self.number += not same
        text, store = f"text {self.number}", self.stores[process]
        if edit:
            self.run(store.edit(key, lambda _: text, change=a_change()))
        else:
            self.run(store.put(a_block(text, key=key), expect=ANY, change=a_change()))
        self.becomes(process, key, text)

    @rule(process=processes, key=keys)
    def delete(self, process: int, key: BlockKey) -> None:
        assert self.run(self.stores[process].delete(key, change=a_change())) == (key in self.model)
        self.becomes(process, key, None)

    @rule(process=processes, key=keys)
    def purge(self, process: int, key: BlockKey) -> None:
        gone = [other for other in self.model if other.owner == key.owner]
        assert self.run(self.stores[process].purge(key.tenant, key.scope, key.owner)) == len(gone)
        for other in KEYS:
            if other.owner == key.owner:
                self.becomes(process, other, None)

    @rule(process=processes, trouble=st.sampled_from(["none", "none", "fails", "breaks", "loses"]))
    def trouble(self, process: int, trouble: Trouble) -> None:
        self.ways[process].trouble = trouble

    @rule(seconds=st.sampled_from([1, 30, 59, 60, 61, 600]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule(process=processes, keys=st.lists(keys, min_size=1, max_size=4))
    def read(self, process: int, keys: list[BlockKey]) -> None:
        for key, block in zip(keys, self.run(self.stores[process].get_many(keys)), strict=True):
            allowed = {text for text, until in self.stale.get((process, key), {}).items() if self.clock.now() < until}
            assert (block.text if block else None) in {self.model.get(key), *allowed}

    @invariant()
    def nothing_is_owed_while_all_is_well(self) -> None:
        for way, store in zip(self.ways, self.stores, strict=True):
            if way.trouble == "none" and not store.stats.errors:
                assert store.stats.owed == 0


def test_two_processes_tell_the_dictionarys_story() -> None:
    calm = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        TwoProcesses,
        settings=settings(max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=calm),
    )
