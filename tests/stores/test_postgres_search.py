"""Mode `web` answers queries of any length in PostgreSQL, whatever its release, as everywhere else.

Queries and texts of any kind are compared in `tests/search_equality`.
"""

import pytest

import postgres_server
from wellkept.model.memories import PoolRules
from wellkept.stores import inproc, postgresql
from wellkept.testing.samples import a_memory, a_pool

RELEASES = ["newest", *(["oldest"] if postgres_server.HAS_OLDEST else [])]


@pytest.fixture(params=RELEASES)
def server(request: pytest.FixtureRequest) -> postgres_server.Server:
    found: postgres_server.Server = getattr(postgres_server, request.param)()
    return found


@pytest.mark.parametrize(
    "query",
    [
        "-" * 40 + "tea",
        "-" * 41 + "tea",
        " ".join(f"w{n}" for n in range(5_000)),
        " or ".join(f"w{n}" for n in range(5_000)) + " or tea",
        "tea " + " ".join(f"-w{n}" for n in range(5_000)),
        '"' + "tea " * 2_000 + '"',
        "x" * 2_000_000 + " or tea",
        "tea " * 499,
        "'; DROP TABLE wellkept.memories; --",
        "%s %(tenant)s %%",
    ],
    ids=lambda query: query[:12],
)
async def test_a_query_of_any_length_is_answered_alike(server: postgres_server.Server, query: str) -> None:
    here, there = await inproc.open("inproc://"), await postgresql.open(server.fresh_url())
    for store in (here, there):
        for number, text in enumerate(["tea", "w1 and milk", "coffee"]):
            await store.create(a_memory(number, text), rules=PoolRules())
    found = [await store.rows(a_pool(), partitions=("",), limit=9, web=query) for store in (here, there)]
    assert found[0] == found[1]
    await there.close()
