"""Whatever is stored can be found, and any text is a query."""

import time

import pytest

from homes import KEEP_EVERYTHING
from looked_for import LOOKED_FOR, QUERIES
from stage import INVALID, Stage, code
from wellkept.wire.endpoints import ENDPOINTS

# Rows lie in one of two stores; where the blocks lie makes no difference to a search.
pytestmark = pytest.mark.parametrize("place", KEEP_EVERYTHING, indirect=True)


async def test_find_084_what_a_person_would_look_for_is_found(stage: Stage) -> None:
    await stage.save("an entirely different matter")
    for text, query in LOOKED_FOR:
        id = await stage.save(text)
        assert (await stage.found(query))[:1] == [text]
        assert (await stage.texts(search=query, mode="ranked"))[:1] == [text]
        await stage.client.memories.delete(stage.agent, id)


async def test_find_085_every_text_is_a_query(stage: Stage) -> None:
    await stage.save("heliotrope accents for user@example.com, C++ and foo:bar")
    for query in QUERIES:
        for mode in ("web", "ranked"):
            answer = await stage.http.get(f"{stage.path}/memories", params={"search": query, "mode": mode})
            assert answer.status_code == 200 or (not query.strip() and code(answer) == INVALID), (query, mode)
        answer = await stage.http.post(f"{stage.path}/turn/memories/search", json={"query": query, "userId": "maya"})
        assert answer.status_code == 200, query
        assert "error" not in await stage.tool("search_memories", query=query), query


@pytest.mark.parametrize("query", ["-sat", "-5", "-sat -cat", "-", '-"a b"', "- -5"])
async def test_find_086_what_only_excludes_finds_nothing_for_a_model(stage: Stage, query: str) -> None:
    await stage.save("the cat sat")
    await stage.save("nothing of the kind")
    assert await stage.found(query) == []
    assert (await stage.tool("search_memories", query=query))["memories"] == []


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000"])
async def test_find_092_a_blank_query_has_one_meaning(stage: Stage, query: str) -> None:
    await stage.save("x")
    for mode in ("web", "ranked"):
        answer = await stage.http.get(f"{stage.path}/memories", params={"search": query, "mode": mode})
        assert code(answer) == INVALID
    assert await stage.found(query) == []


@pytest.mark.parametrize(
    "endpoint",
    [one for one in ENDPOINTS if "limit" in one.query.__struct_fields__],
    ids=lambda endpoint: endpoint.name,
)
async def test_find_092_a_limit_is_from_1_to_100_on_every_list(stage: Stage, endpoint: object) -> None:
    path = endpoint.path.replace("{agentId}", stage.agent)  # type: ignore[attr-defined]
    path = path.replace("{scope}/{key}", "user/USER").replace("{sessionId}", "s1")
    for limit in ("0", "-1", "101", "1e1", "1.5", "", "x", "٣", "99999999999999999999"):
        answer = await stage.http.get(
            path, params={"limit": limit, "owner": "maya"} if "blocks" in path else {"limit": limit}
        )
        assert code(answer) == INVALID, limit


async def test_find_092_a_tools_limit_is_from_1_to_20(stage: Stage) -> None:
    for n in range(25):
        await stage.save(f"note {n}")
    for limit in (0, -1, 21, 1.5, "x", True, 10**30):
        told = await stage.tool("search_memories", query="note", limit=limit)
        assert told["error"]["code"] == "validation_failed", limit
    assert len((await stage.tool("search_memories", query="note", limit=20))["memories"]) == 20
    for limit in (0, 21):
        answer = await stage.http.post(f"{stage.path}/turn/memories/search", json={"query": "note", "limit": limit})
        assert code(answer) == INVALID


async def test_find_094_a_very_long_query_takes_no_long_time(stage: Stage) -> None:
    for n in range(100):
        await stage.save(f"note {n} about word{n} and the weather")
    query = " ".join(f"word{n} or the weather" for n in range(1_000))
    began = time.process_time()
    assert len(await stage.found(query)) == 20
    assert time.process_time() - began < 2
    answer = await stage.http.get(f"{stage.path}/memories", params={"search": query[:7_000]})
    assert answer.status_code in (200, 431)


async def test_find_098_nothing_is_deleted_by_a_search(stage: Stage) -> None:
    await stage.save("likes tea")
    tool = (await stage.tools())["delete_memory"]
    assert list(tool.parameters["properties"]) == ["memory_id"]  # type: ignore[call-overload]
    for arguments in ({"query": "tea"}, {"memory_id": "tea"}, {"memory_id": "*"}, {}):
        assert (await tool.call(arguments))["error"]["code"] == "validation_failed"
    for query in ({"search": "tea"}, {"userId": "maya"}):
        answer = await stage.http.delete(f"{stage.path}/memories", params=query)
        assert code(answer) == (405, "method_not_allowed")
    assert await stage.texts() == ["likes tea"]
