"""The second wall: a transaction sees its own tenant's rows, whatever its statements forget."""

from collections.abc import AsyncIterator

import psycopg
import pytest

import postgres_server
from wellkept.model.errors import Misconfigured, StoreFailed
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore
from wellkept.stores.postgresql.directory import ACROSS
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key, a_memory, a_pool

OWNER, LOGIN, STRANGER = "wk_test_owner", "wk_test_login", "wk_test_stranger"


@pytest.fixture
def server() -> postgres_server.Server:
    return postgres_server.newest()


@pytest.fixture
async def store(server: postgres_server.Server) -> AsyncIterator[PostgresStore]:
    """A store in which another tenant has a memory and a block."""
    store = await postgresql.open(server.fresh_url())
    await store.create(a_memory(1, pool=a_pool(tenant=OTHER_TENANT)), rules=PoolRules())
    await store.put(a_block(key=a_key(tenant=OTHER_TENANT)), expect=None, change=a_change())
    yield store
    await store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM wellkept.memory_texts WHERE id LIKE %(any)s",
        "SELECT 1 FROM wellkept.blocks",
        "UPDATE wellkept.memory_texts SET text = 'mine' RETURNING 1",
        "DELETE FROM wellkept.memory_texts RETURNING 1",
        "DELETE FROM wellkept.block_revisions RETURNING 1",
    ],
)
async def test_a_statement_that_forgets_its_tenant_meets_no_other(store: PostgresStore, statement: str) -> None:
    assert await store._tell(DEFAULT_TENANT, statement, any="%") == []
    assert await store._tell(ACROSS, statement, any="%") == []
    assert len(await store._tell(OTHER_TENANT, statement, any="%")) == 1


async def test_a_row_cannot_be_given_to_another_tenant(store: PostgresStore) -> None:
    for statement in (
        "INSERT INTO wellkept.pools VALUES ('default', 'x', 0)",
        "UPDATE wellkept.memory_texts SET tenant = 'default'",
    ):
        with pytest.raises(Misconfigured, match="may not do that"):
            await store._tell(OTHER_TENANT, statement)


async def test_the_role_of_statements_can_neither_look_across_tenants_nor_change_tables(store: PostgresStore) -> None:
    looks = "SELECT 1 FROM (SELECT set_config('wellkept.across', 'on', true)) AS s, wellkept.memory_texts"
    assert await store._tell(DEFAULT_TENANT, looks) == []
    for statement in (
        "ALTER TABLE wellkept.memory_texts DISABLE ROW LEVEL SECURITY",
        "DROP POLICY of_its_tenant ON wellkept.memory_texts",
        "TRUNCATE wellkept.memory_texts",
        "CREATE TABLE wellkept.mine (x integer)",
        "CALL wellkept.lay_out('mine', 90)",
        "UPDATE wellkept.tenants SET name = 'mine'",
        "DELETE FROM wellkept.tenants",
    ):
        with pytest.raises((Misconfigured, StoreFailed)):
            await store._tell(DEFAULT_TENANT, statement)


async def test_nothing_of_a_transaction_stays_in_its_session(store: PostgresStore) -> None:
    """So a pooler may give the session to somebody else."""
    await store._ask(DEFAULT_TENANT, "SELECT 1")
    async with store._pools.here().connection() as connection:
        cursor = await connection.execute(
            "SELECT current_setting('role'), current_setting('wellkept.tenant'), current_setting('statement_timeout')"
        )
        assert await cursor.fetchone() == ("none", "", "0")
        assert await (await connection.execute("SELECT count(*) FROM pg_prepared_statements")).fetchone() == (0,)


async def test_a_lost_wall_is_found(server: postgres_server.Server) -> None:
    database = server.empty()
    store = await postgresql.open(server.url_of(database))
    assert await store.check() == []
    server.run("ALTER TABLE wellkept.blocks NO FORCE ROW LEVEL SECURITY", database=database)
    server.run("UPDATE wellkept.pools SET memories = 7", database=database)
    assert await store.check() == ["table blocks has lost its row-level security"]
    await store.create(a_memory(1), rules=PoolRules())
    server.run("UPDATE wellkept.pools SET memories = 7", database=database)
    assert len(await store.check()) == 2
    await store.close()


async def test_a_memory_that_lost_its_use_is_found(store: PostgresStore) -> None:
    for table in ("memory_uses", "memory_texts"):
        await store.create(a_memory(1), rules=PoolRules())
        assert await store.check() == []
        await store._tell(DEFAULT_TENANT, f"DELETE FROM wellkept.{table}")
        assert await store.check() == ["damaged: 1 pools have not as many memories as they count"]
        await store.purge_pool(a_pool())


# ---------------------------------------------------------------- roles that are no superuser's


@pytest.fixture
def owned(server: postgres_server.Server) -> str:
    """A database that an ordinary role owns."""
    known = {name for (name,) in server.run("SELECT rolname FROM pg_roles")}
    for role, rights in ((OWNER, "CREATEROLE"), (LOGIN, "NOINHERIT"), (STRANGER, "")):
        if role not in known:
            server.run(f"CREATE ROLE {role} LOGIN NOSUPERUSER {rights}")
    if "wellkept_app" not in known:
        server.run("CREATE ROLE wellkept_app NOLOGIN")
    server.run(f"GRANT wellkept_app TO {OWNER}", f"ALTER ROLE {LOGIN} INHERIT", f"GRANT wellkept_app TO {LOGIN}")
    database = server.empty()
    server.run(f"ALTER DATABASE {database} OWNER TO {OWNER}")
    return database


async def used(url: str) -> None:
    """Do something of each kind."""
    store = await postgresql.open(url)
    await store.create(a_memory(1), rules=PoolRules())
    await store.edit(a_key(), lambda _: "x", change=a_change())
    assert (await store.holdings())[DEFAULT_TENANT].memories == 1
    assert await store.find_key("none") is None
    assert await store.check() == []
    await store.purge_pool(a_pool())
    await store.close()


async def test_an_ordinary_owner_makes_the_schema_and_an_ordinary_user_works_with_it(
    server: postgres_server.Server, owned: str
) -> None:
    with pytest.raises(Misconfigured, match="may not change it"):
        await postgresql.open(server.url_of(owned, user=LOGIN))
    await used(server.url_of(owned, user=OWNER))
    await used(server.url_of(owned, user=LOGIN))


async def test_the_owner_is_behind_the_wall_too(server: postgres_server.Server, owned: str) -> None:
    store = await postgresql.open(server.url_of(owned, user=OWNER))
    await store.create(a_memory(1), rules=PoolRules())
    await store.close()
    with psycopg.connect(server.url_of(owned, user=OWNER)) as db:
        assert db.execute("SELECT count(*) FROM wellkept.memory_texts").fetchone() == (0,)
        db.execute("SELECT set_config('wellkept.tenant', 'default', true)")
        assert db.execute("SELECT count(*) FROM wellkept.memory_texts").fetchone() == (1,)


async def test_a_user_who_may_not_act_as_the_role_is_told_so(server: postgres_server.Server, owned: str) -> None:
    await used(server.url_of(owned, user=OWNER))
    with pytest.raises(Misconfigured):
        await postgresql.open(server.url_of(owned, user=STRANGER))


async def test_a_stranger_may_call_no_function(server: postgres_server.Server, owned: str) -> None:
    await used(server.url_of(owned, user=OWNER))
    functions = "FROM pg_proc WHERE pronamespace = 'wellkept'::regnamespace"
    asked = f"SELECT proname {functions} AND has_function_privilege('{STRANGER}', oid, 'EXECUTE')"
    assert server.run(asked, database=owned) == []
    assert len(server.run(f"SELECT proname {functions}", database=owned)) > 5


@pytest.mark.parametrize("role", ["postgres", "wk_no_such_role"])
async def test_a_role_that_could_pass_the_wall_or_is_missing_is_refused(
    server: postgres_server.Server, role: str
) -> None:
    with pytest.raises(Misconfigured, match="role"):
        await postgresql.open(f"{server.fresh_url()}&role={role}")
