"""Mode `web` finds the same in PostgreSQL, whatever its release, as everywhere else.

And where PostgreSQL's own reading of a text is asked: release 15 agrees with ours; a later one does not in a few
characters, which is why its reading is not used.
"""

import asyncio
import os

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import postgres_server
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.errors import InvalidInput
from wellkept.model.memories import Memory, PoolRules
from wellkept.rules.lexical import to_tsvector
from wellkept.stores import inproc, postgresql
from wellkept.testing.samples import a_memory, a_pool

EXAMPLES = int(os.environ.get("WELLKEPT_TEST_EXAMPLES", "25"))  # read here: tests see none of these variables

RELEASES = ["newest", *(["oldest"] if postgres_server.HAS_OLDEST else [])]

WORDS = [
    *("tea", "Tea", "the", "or", "OR", "and", "not", "naïve", "İstanbul", "ΣΑΣ", "straße", "re-use", "e-mail", "x-1-y"),
    *("maya@example.com", "https://a.example/b?c=d&e", "www.example.org", "/usr/lib/x.so", "../a", "1.2.3", "-4.5e-6"),
    *("42", "+7", "ERR-4092-B", "a_b", "C++", "don't", "\\", "'", '"', "<b>", "&amp;", "(", ")", "!", "|", "&", ":*"),
    *(
        "我喜欢紫色",
        "ありがとう",
        "สวัสดี",
        "שלום",
        "مرحبا",
        "हिन्दी",
        "👨‍👩‍👧",
        "e\u0301",
        "\u00ad",
        "\u200b",
        "\u3000",
        "\u2028",
    ),
    *("-", "--", "-tea", '"the tea"', '-"the tea"', "tea or coffee", "x" * 300),
]
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map("".join),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40),
    st.text("ab1 -.@/:_<>&\"'é我\u200b", min_size=1, max_size=30),
)


@pytest.fixture(params=RELEASES)
def server(request: pytest.FixtureRequest) -> postgres_server.Server:
    found: postgres_server.Server = getattr(postgres_server, request.param)()
    return found


async def _stored(memories: list[Memory], *stores: MemoryStore) -> None:
    for store in stores:
        await store.purge_pool(a_pool())
        for memory in memories:
            await store.create(memory, rules=PoolRules())


def _memories(texts: list[str]) -> list[Memory]:
    made: list[Memory] = []
    for number, text in enumerate(texts):
        try:
            made.append(a_memory(number, text))
        except InvalidInput:
            continue  # nothing visible in it
    return made


def test_generated_queries_find_what_they_find_in_process(server: postgres_server.Server) -> None:
    """Ten texts, each asked for by twenty queries: 5,000 pairs, more with WELLKEPT_TEST_EXAMPLES."""
    runner = asyncio.Runner()
    here = runner.run(inproc.open("inproc://"))
    there = runner.run(postgresql.open(server.fresh_url()))

    async def compare(texts: list[str], queries: list[str]) -> None:
        await _stored(_memories(texts), here, there)
        for query in [*queries, *texts]:
            found = [await store.rows(a_pool(), partitions=None, limit=50, web=query) for store in (here, there)]
            assert found[0] == found[1], query

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(texts, min_size=10, max_size=10), st.lists(texts, min_size=10, max_size=10))
    def generated(texts: list[str], queries: list[str]) -> None:
        runner.run(compare(texts, queries))

    generated()
    runner.run(there.close())
    runner.close()


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
    await _stored(_memories(["tea", "w1 and milk", "coffee"]), here, there)
    found = [await store.rows(a_pool(), partitions=("",), limit=9, web=query) for store in (here, there)]
    assert found[0] == found[1]
    await there.close()


# ---------------------------------------------------------------- beside the server's own reading

CHARACTERS_PER_ROW = 3_000


def _differences(server: postgres_server.Server) -> list[int]:
    """Find the characters of which the server makes other words than we do."""
    codes = [code for code in range(1, 0x30000) if not 0xD800 <= code < 0xE000]
    different: list[int] = []
    with psycopg.connect(server.url_of(server.fresh())) as db:
        for start in range(0, len(codes), CHARACTERS_PER_ROW):
            some = codes[start : start + CHARACTERS_PER_ROW]
            asked = [f"a{chr(code)}b" for code in some]
            rows = db.execute(
                "SELECT to_tsvector('simple', text)::text "
                "FROM unnest(%s::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n",
                [asked],
            ).fetchall()
            different += [
                code
                for code, text, (vector,) in zip(some, asked, rows, strict=True)
                if vector != str(to_tsvector(text))
            ]
    return different


if postgres_server.HAS_OLDEST:

    def test_release_15_reads_every_character_as_we_do() -> None:
        assert _differences(postgres_server.oldest()) == []


def test_later_releases_read_a_few_characters_differently() -> None:
    """The list in docs/howto/run-on-postgresql.md: marks and formats that nobody sees, and letters new to Unicode."""
    different = _differences(postgres_server.embedded())
    assert {0x00AD, 0x200B} <= set(different)
    assert len(different) < 1_000
    assert not [code for code in different if chr(code).isalnum() and code < 0x0500]
