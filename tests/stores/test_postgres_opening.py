"""Opening a database: what is wrong is said, in an error of its kind; and the schema, whoever makes it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import postgres_server
from command_line import say
from wellkept.model.errors import Misconfigured, SchemaTooNew, StoreFailed, StoreReadOnly, StoreUnavailable
from wellkept.stores import postgresql
from wellkept.stores.postgresql import migrations, opening
from wellkept.testing.samples import a_block, a_change, a_key


@pytest.fixture
def server() -> postgres_server.Server:
    return postgres_server.newest()


# ---------------------------------------------------------------- what can be wrong


async def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    for place in (f"/memory?host={tmp_path}", "127.0.0.1:1/memory", "no-such-host.invalid/memory"):
        with pytest.raises(StoreUnavailable, match="no connection"):
            await postgresql.open(f"postgresql://{place}")


async def test_a_database_that_is_not_there(server: postgres_server.Server) -> None:
    with pytest.raises(Misconfigured, match="no database of this name"):
        await postgresql.open(server.url_of("wk_no_such_database"))


async def test_a_user_that_is_not_known(server: postgres_server.Server) -> None:
    with pytest.raises(Misconfigured, match="does not let this user in"):
        await postgresql.open(server.url_of(server.fresh(), user="wk_nobody"))


@pytest.fixture
def guarded() -> Iterator[postgres_server.Server]:
    """A server that wants a password from one user."""
    server = postgres_server.embedded()
    ((hba,),) = server.run("SHOW hba_file")
    file = Path(str(hba))
    before = file.read_text()
    server.run("DROP ROLE IF EXISTS wk_guarded", "CREATE ROLE wk_guarded LOGIN PASSWORD 'right'")
    file.write_text(f"local all wk_guarded scram-sha-256\n{before}")
    server.run("SELECT pg_reload_conf()")
    yield server
    file.write_text(before)
    server.run("SELECT pg_reload_conf()")


async def test_a_wrong_password(guarded: postgres_server.Server) -> None:
    url = guarded.url_of(guarded.fresh(), user="wk_guarded:wr0ng")
    with pytest.raises(Misconfigured, match="does not let this user in") as caught:
        await postgresql.open(url)
    assert "wr0ng" not in caught.value.message
    with pytest.raises(Misconfigured, match="does not let this user in"):
        await postgresql.open(url.replace(":wr0ng", ""))


async def test_a_server_that_is_too_old(server: postgres_server.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "OLDEST", 99)
    with pytest.raises(Misconfigured, match="too old; wellkept needs 99"):
        await postgresql.open(server.fresh_url())


async def test_a_database_in_another_encoding(server: postgres_server.Server) -> None:
    server.run(
        "DROP DATABASE IF EXISTS wk_latin",
        "CREATE DATABASE wk_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    )
    with pytest.raises(Misconfigured, match="UTF8"):
        await postgresql.open(server.url_of("wk_latin"))


async def test_a_schema_that_a_newer_wellkept_made(server: postgres_server.Server) -> None:
    database = server.empty()
    await (await postgresql.open(server.url_of(database))).close()
    server.run("INSERT INTO wellkept.migrations VALUES (99)", database=database)
    with pytest.raises(SchemaTooNew, match="99"):
        await postgresql.open(server.url_of(database))


async def test_it_says_when_a_power_cut_may_take_what_was_acknowledged(server: postgres_server.Server) -> None:
    ((fsync,),) = server.run("SHOW fsync")  # the servers of tests do without
    store = await postgresql.open(server.fresh_url())
    durability = (await store.facts())["durability"]
    assert durability == ("full" if fsync == "on" else "fsync is off: a power cut may take what was acknowledged")
    await store.close()


async def test_a_database_that_takes_no_writes(server: postgres_server.Server) -> None:
    database = server.empty()
    await (await postgresql.open(server.url_of(database))).close()
    server.run(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    store = await postgresql.open(server.url_of(database))
    assert await store.get(a_key()) is None
    with pytest.raises(StoreReadOnly):
        await store.put(a_block(), expect=None, change=a_change())
    with pytest.raises(StoreReadOnly):
        await store.ready()
    await store.close()


async def test_another_number_of_partitions_than_there_are(server: postgres_server.Server) -> None:
    with pytest.raises(Misconfigured, match="partitions"):
        await postgresql.open(f"{server.fresh_url()}&partitions=3")
    await (await postgresql.open(f"{server.fresh_url(partitions=4)}&partitions=4")).close()


def test_doctor_says_what_is_wrong_and_what_is_there(server: postgres_server.Server) -> None:
    lost = say("doctor", "--store", "postgresql://maya:secret@127.0.0.1:1/memory")
    assert lost.code != 0
    assert "no connection" in lost.out
    assert "secret" not in lost.out + lost.err
    well = say("doctor", "--store", server.fresh_url())
    assert well.code == 0
    assert "it takes writes" in well.out
    assert "PostgreSQL" in well.out


# ---------------------------------------------------------------- the schema


async def test_of_many_who_open_an_empty_database_one_makes_the_schema(server: postgres_server.Server) -> None:
    url = server.url_of(server.empty())
    stores = await asyncio.gather(*(postgresql.open(url) for _ in range(6)))
    assert len({(await store.facts())["schema"] for store in stores}) == 1
    for store in stores:
        await store.close()


async def test_an_older_schema_is_brought_up_to_date_under_a_store_in_use(
    server: postgres_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = server.empty()
    old = await postgresql.open(server.url_of(database))
    await old.put(a_block("kept"), expect=None, change=a_change())
    step = "CREATE TABLE wellkept.more (tenant text NOT NULL PRIMARY KEY); CALL wellkept.lay_out('more', 90);"
    more = (*migrations.steps(), step)
    monkeypatch.setattr(migrations, "steps", lambda: more)
    new = await postgresql.open(server.url_of(database))
    for store in (old, new):
        block = await store.get(a_key())
        assert block is not None
        assert block.text == "kept"
        await store.edit(a_key(), lambda _: "kept", change=a_change())
        await store.close()
    assert server.run("SELECT max(number) FROM wellkept.migrations", database=database) == [(len(more),)]


async def test_a_step_that_fails_leaves_the_database_as_it_was(
    server: postgres_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = server.empty()
    with monkeypatch.context() as patch:
        steps = (*migrations.steps(), "CREATE TABLE wellkept.new (x int); DROP TABLE wellkept.missing;")
        patch.setattr(migrations, "steps", lambda: steps)
        with pytest.raises(StoreFailed):
            await postgresql.open(server.url_of(database))
    assert server.run("SELECT to_regnamespace('wellkept')", database=database) == [(None,)]
    store = await postgresql.open(server.url_of(database))
    await store.ready()
    await store.close()
