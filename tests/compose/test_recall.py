"""The four recall services, and what their doors do."""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

import pytest

import wellkept
from store_places import placed
from wellkept.compose.recall import InProcessRecall, PostgresRecall, RecallDoor, RedisRecall, SqliteRecall
from wellkept.contract.embedder import Embedder
from wellkept.model.errors import Closed, NotSupported, UnknownStore
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.testing.recall import RecallContract
from wellkept.testing.recall_stage import OpenService, said, texts
from wellkept.testing.words_embedder import WordsEmbedder

Make = Callable[..., RecallDoor]

SERVICES: dict[str, tuple[type[RecallDoor], str]] = {
    "in process": (InProcessRecall, "{name}"),
    "sqlite": (SqliteRecall, "{tmp}/recall.db"),
    "postgresql": (PostgresRecall, "{postgresql}"),
    "redis": (RedisRecall, "{redis}"),
}


def opening(kind: type[RecallDoor], place: str) -> OpenService:
    """Open a service on the same place each time."""

    def open_it(embedder: Embedder | None, *, tenant: str = DEFAULT_TENANT) -> RecallDoor:
        make: Make = kind
        return make(place, embedder="none" if embedder is None else embedder, tenant=tenant)

    return open_it


@pytest.fixture(params=SERVICES)
def open_service(request: pytest.FixtureRequest, tmp_path: Path) -> OpenService:
    kind, place = SERVICES[request.param]
    return opening(kind, token_hex(8) if place == "{name}" else placed(place, tmp_path))


@pytest.fixture
def yardstick() -> OpenService:
    return opening(InProcessRecall, token_hex(8))


class TestRecall(RecallContract):
    """Every promise, every service."""


def test_all_services_are_public() -> None:
    kinds = [kind for kind, _ in SERVICES.values()]
    assert [getattr(wellkept, kind.__name__) for kind in kinds] == kinds


async def test_a_door_opens_when_it_is_first_needed_and_stays_closed_then(tmp_path: Path) -> None:
    recall = SqliteRecall(tmp_path / "recall.db", embedder="none")
    assert not recall.is_open
    assert not (tmp_path / "recall.db").exists()
    await recall.ingest([said("My dog is called Rex.")], agent="support", user_id="maya", session_id="s1")
    assert recall.is_open
    await recall.close()
    await recall.close()
    with pytest.raises(Closed):
        await recall.settled()
    async with SqliteRecall(tmp_path / "recall.db", embedder="none") as again:
        assert texts(await again.search("dog", agent="support", user_id="maya")) == ["My dog is called Rex."]


async def test_in_process_without_a_name_each_begins_empty() -> None:
    async with InProcessRecall(embedder="none") as one, InProcessRecall(embedder="none") as other:
        await one.ingest([said("My dog is called Rex.")], agent="support", user_id="maya", session_id="s1")
        assert (await other.stats()).passages == 0


async def test_an_embedder_is_closed_with_the_door_that_uses_it() -> None:
    embedder = WordsEmbedder()
    async with InProcessRecall(embedder=embedder):
        assert not embedder.closed
    assert embedder.closed


@pytest.mark.parametrize(("url", "error"), [("files://{tmp}/blocks", NotSupported), ("nowhere://", UnknownStore)])
async def test_a_place_that_keeps_no_passages(url: str, error: type[Exception], tmp_path: Path) -> None:
    recall = RecallDoor(placed(url, tmp_path), embedder="none")
    with pytest.raises(error):
        await recall.stats()
    await recall.close()
