"""The runtime: which store keeps what, what is opened when, and the doors for callers without a loop."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wellkept.compose.assemble import assemble
from wellkept.compose.stores import Stores, open_block_store, open_stores
from wellkept.contract.block_store import BlockStore
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import WorkingMemorySpec
from wellkept.model.errors import Closed, InvalidInput, Misconfigured, NoStore, StoreFailed, UnknownStore
from wellkept.model.ids import AgentId, TenantId
from wellkept.runtime.agent import Agent, Memories, WorkingMemory
from wellkept.runtime.background import BLOCKING, BackgroundLoop
from wellkept.runtime.runtime import Runtime
from wellkept.stores.files import FileStore

TENANT = TenantId("default")
FILE_STORE = "wellkept.compose.file_store"


def remembering(store: BlockStore | None = None, id: str = "support") -> Agent:
    return Agent(id, model="offline", working_memory=WorkingMemory(store=store))


async def holds_sam(store: BlockStore) -> bool:
    return any("Sam" in block.text for block in await store.blocks(TENANT, "user", "u1"))


@pytest.fixture
def _not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget that other tests may have imported the file store."""
    monkeypatch.delitem(sys.modules, FILE_STORE, raising=False)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FileStore:
    """The file store, asked for by importing it."""
    monkeypatch.setenv("WELLKEPT_MEMORY_DIR", str(tmp_path / "imported"))
    import wellkept.compose.file_store

    assert FILE_STORE in sys.modules
    return wellkept.compose.file_store.FileBlockStore()


async def say(runtime: Runtime) -> None:
    async with runtime:
        await runtime.run("call me Sam", user_id="u1")


async def test_an_agents_own_store_goes_before_all_others(stores: Stores, imported: FileStore, tmp_path: Path) -> None:
    own, default = FileStore(tmp_path / "own"), FileStore(tmp_path / "default")
    await say(Runtime([remembering(own)], store=stores, default_block_store=default))
    assert [await holds_sam(store) for store in (own, default, stores.blocks, imported)] == [True, False, False, False]


async def test_then_comes_the_runtimes_default(stores: Stores, imported: FileStore, tmp_path: Path) -> None:
    default = FileStore(tmp_path / "default")
    await say(Runtime([remembering()], store=stores, default_block_store=default))
    assert [await holds_sam(store) for store in (default, stores.blocks, imported)] == [True, False, False]


async def test_then_the_store_that_the_runtime_was_given(stores: Stores, imported: FileStore) -> None:
    await say(Runtime([remembering()], store=stores))
    assert [await holds_sam(store) for store in (stores.blocks, imported)] == [True, False]


async def test_then_the_file_store_that_was_imported(imported: FileStore) -> None:
    await say(Runtime([remembering()]))
    assert await holds_sam(imported)


@pytest.mark.usefixtures("_not_imported")
async def test_and_else_an_error_that_names_the_ways() -> None:
    async with Runtime([remembering()]) as runtime:
        with pytest.raises(NoStore) as caught:
            await runtime.run("call me Sam", user_id="u1")
    for way in ("WorkingMemory(store=", "Runtime(default_block_store=", "FileBlockStore"):
        assert way in str(caught.value)


@pytest.mark.usefixtures("_not_imported")
async def test_an_agent_without_blocks_needs_no_store_for_them() -> None:
    async with Runtime([Agent("a", model="offline", memories=Memories())]) as runtime:
        assert (await runtime.run("remember that I like heliotrope", user_id="u1")).memory_changes


async def test_agents_of_the_directory_use_the_default_too(stores: Stores, tmp_path: Path) -> None:
    config = AgentConfig(name="A", model="offline", working_memory=WorkingMemorySpec())
    await assemble(stores).agents.create(TENANT, config, id="kept")
    default = FileStore(tmp_path)
    async with Runtime(store=stores, default_block_store=default) as runtime:
        await runtime.run("call me Sam", user_id="u1", agent_id="kept")
    assert [await holds_sam(store) for store in (default, stores.blocks)] == [True, False]


async def test_declared_agents_and_those_of_the_directory_live_together(stores: Stores) -> None:
    await assemble(stores).agents.create(TENANT, AgentConfig(name="A", model="offline"), id="kept")
    async with Runtime([remembering()], store=stores) as runtime:
        assert (await runtime.run("hi", agent_id="kept")).agent_id == "kept"
        assert (await runtime.run("hi")).agent_id == "support"


async def test_nothing_is_opened_before_the_first_turn(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Runtime([remembering()], store=f"sqlite:///{path}") as runtime:
        assert not path.exists()
        await asyncio.gather(*(runtime.run("hi") for _ in range(4)))
        assert path.exists()


async def test_what_cannot_be_opened_is_said_at_each_turn() -> None:
    async with Runtime([remembering()], store="nothing://there") as runtime:
        for _ in range(2):
            with pytest.raises(UnknownStore):
                await runtime.run("hi")


async def test_a_runtime_closes_what_it_opened_and_nothing_else(stores: Stores, tmp_path: Path) -> None:
    runtime = Runtime([remembering()], store=f"sqlite:///{tmp_path / 'memory.db'}")
    await runtime.run("hi")
    opened = runtime._stores
    assert opened is not None
    await runtime.aclose()
    await runtime.aclose()
    with pytest.raises(StoreFailed):
        await opened.sessions.sessions(TENANT, AgentId("support"), limit=1)
    with pytest.raises(Closed):
        await runtime.run("hi")
    given = await open_stores(f"sqlite:///{tmp_path / 'given.db'}")
    await say(Runtime([remembering()], store=given))
    assert await given.sessions.sessions(TENANT, AgentId("support"), limit=1)
    await given.close()


async def test_a_runtime_over_services_that_stand_already(stores: Stores) -> None:
    config = AgentConfig(name="A", working_memory=WorkingMemorySpec())
    services = assemble(stores, fallback=config)
    async with Runtime(services=services, default_model="offline") as runtime:
        for tenant in ("acme", "other"):
            await runtime.run("call me Sam", user_id="u1", agent_id="any", tenant=tenant)
    assert len(await stores.blocks.blocks(TenantId("acme"), "user", "u1")) == 1
    with pytest.raises(Closed):
        await runtime.run("hi", agent_id="any")
    with pytest.raises(Misconfigured):
        Runtime([remembering()], services=services)


def test_an_id_is_declared_once() -> None:
    with pytest.raises(InvalidInput):
        Runtime([remembering(), remembering()])
    with pytest.raises(InvalidInput):
        Runtime(tenant="a b")


async def test_which_agent_must_be_said_where_there_are_two(stores: Stores) -> None:
    async with Runtime([remembering(id="a"), remembering(id="b")], store=stores) as runtime:
        with pytest.raises(InvalidInput) as caught:
            await runtime.run("hi")
    assert caught.value.param == "agentId"


def test_callers_without_a_loop(tmp_path: Path) -> None:
    with Runtime([remembering()], store=f"sqlite:///{tmp_path / 'memory.db'}") as runtime:
        assert "Sam" in runtime.run_blocking("call me Sam", session_id="s1", user_id="u1").text
        assert "Sam" in runtime.run_blocking("what is my name?", session_id="s2", user_id="u1").text
    with pytest.raises(Closed):
        runtime.run_blocking("hi")


def test_blocking_callers_in_many_threads(tmp_path: Path) -> None:
    with Runtime([remembering()], store=f"sqlite:///{tmp_path / 'memory.db'}") as runtime:
        said: list[str] = []
        threads = [
            threading.Thread(target=lambda n=n: said.append(runtime.run_blocking("hi", session_id=f"s{n % 3}").text))
            for n in range(9)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(said) == 9
    assert len([thread for thread in threading.enumerate() if thread.name == "wellkept-blocking"]) == 1


async def test_a_blocking_call_of_the_background_itself_is_refused() -> None:
    runtime = Runtime([remembering()], store="inproc://")

    async def inside() -> None:
        runtime.run_blocking("hi")

    with pytest.raises(Misconfigured):
        await asyncio.to_thread(BLOCKING.call, inside)


def test_the_background_loop_starts_and_stops_and_starts() -> None:
    loop = BackgroundLoop("wellkept-test")

    async def where() -> str:
        return threading.current_thread().name

    def alive() -> int:
        return sum(thread.name == "wellkept-test" for thread in threading.enumerate())

    loop.stop()
    for _ in range(2):
        assert loop.call(where) == "wellkept-test"
        assert alive() == 1
        loop.stop()
        assert alive() == 0


def test_a_runtime_goes_from_one_loop_to_the_next() -> None:
    runtime = Runtime([remembering()], store="inproc://")
    asyncio.run(runtime.run("call me Sam", user_id="u1"))
    result = asyncio.run(runtime.run("what is my name?", user_id="u1"))
    assert result.text == "Your name is Sam."
    asyncio.run(runtime.aclose())


def test_an_opening_that_its_loop_left_unfinished_is_begun_again(tmp_path: Path) -> None:
    runtime = Runtime([remembering()], store=f"sqlite:///{tmp_path / 'memory.db'}")

    loop = asyncio.new_event_loop()  # stands still, where `asyncio.run` would have ended what runs
    begun = loop.create_task(runtime.run("hi"))
    loop.run_until_complete(asyncio.sleep(0))
    loop.run_until_complete(asyncio.sleep(0))
    opening = runtime._opening
    assert opening is not None
    assert not opening.done()
    assert asyncio.run(asyncio.wait_for(runtime.run("hi"), 10)).text
    asyncio.run(runtime.aclose())
    for task in (begun, opening):
        task.cancel()
    loop.run_until_complete(asyncio.gather(begun, opening, return_exceptions=True))
    loop.close()


async def test_a_runtime_is_not_on_two_loops_at_once() -> None:
    async with Runtime([remembering()], store="inproc://") as runtime:
        await runtime.run("hi")
        with pytest.raises(Misconfigured):
            await asyncio.to_thread(runtime.run_blocking, "hi")


async def test_a_caller_that_gives_up_leaves_the_opening_to_the_others(tmp_path: Path) -> None:
    async with Runtime([remembering()], store=f"sqlite:///{tmp_path / 'memory.db'}") as runtime:
        first = asyncio.create_task(runtime.run("hi"))
        second = asyncio.create_task(runtime.run("hi"))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).text
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_blocks_in_a_store_of_their_own(tmp_path: Path) -> None:
    blocks = await open_block_store(f"files://{tmp_path / 'blocks'}")
    await say(Runtime([remembering()], default_block_store=blocks))
    assert list((tmp_path / "blocks").rglob("USER.md"))


def test_importing_the_runtime_does_not_load_the_agent_loop() -> None:
    code = (
        "import sys; from wellkept.runtime.runtime import Runtime; from wellkept.runtime.agent import Agent;"
        "Runtime([Agent('a', model='offline')]); print('pydantic_ai' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "False"


# Loading the agent loop takes a second or more: on the event loop it kept everybody waiting.
def test_the_agent_loop_is_loaded_beside_the_event_loop() -> None:
    code = """
import asyncio, sys, threading
from wellkept.runtime.agent import Agent
from wellkept.runtime.runtime import Runtime

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "pydantic_ai":
            print(threading.current_thread() is threading.main_thread())

async def main():
    async with Runtime([Agent("a", model="offline")], store="inproc://") as runtime:
        await runtime.prepare()
        print((await runtime.run("hi")).text != "")

sys.meta_path.insert(0, Watch())
asyncio.run(main())
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["False", "True"]
