"""Each statement that the store can issue names its tenant, and touches one partition of a schema that has some.

So the same statements run where the partitions lie on several machines.
"""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

import postgres_server
from wellkept.contract.block_store import ANY
from wellkept.model.directory import Once
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore
from wellkept.stores.postgresql.hops import Value
from wellkept.stores.postgresql.statements import statements
from wellkept.testing.samples import (
    a_block,
    a_change,
    a_key,
    a_memory,
    a_passage,
    a_pool,
    a_session,
    a_vector,
    a_write,
    an_entry,
    an_owner,
    at,
    memory_id_of,
    new,
)

PARTITIONS = 4
FILES = sorted(Path(postgresql.__file__).parent.glob("*.sql"))
STATEMENTS = {f"{file.stem}.{name}": sql for file in FILES for name, sql in statements(file.name).items()}

ACROSS_TENANTS = {
    *("directory.tenants", "directory.find_key", "directory.holdings", "health.miscounted_pools"),
    *("health.open_tables", "health.facts"),
}
"""What a server asks before it knows the tenant, or its operator does; each through a function of its own."""

CALLS = {
    *("memories.create", "memories.lock_pool", "memories.touch", "directory.first_tenant", "health.look"),
    *("review.lock", "directory.lock_keys", "passages.lock", "deleted_agents.refuse", "deleted_agents.lock"),
}
"""Their work is done inside a function, which EXPLAIN does not show: see the next test."""

NUMBERS = re.compile(
    r"(?:.*_)?at|above|before|limit|until|number|length|version|most|cap|kept_since|revoked_at|(?:created|updated)_at"
)
LISTS: dict[str, Value] = {
    **{name: ["a", "b"] for name in ("scopes", "owners", "keys", "ids", "partitions", "roles", "texts", "payloads")},
    **{name: ["a", "b"] for name in ("sessions", "kinds", "messages", "actions", "agents", "users", "bodies")},
    **{name: ["a", "b"] for name in ("touched", "unless_in", "victims", "gone", "outdated", "vectored")},
    **{name: [1, 2] for name in ("numbers", "ats", "touched_at")},
    **dict.fromkeys(("rows", "vectors"), "[]"),
}


def value_of(name: str) -> Value:
    if name in LISTS:
        return LISTS[name]
    if name in ("pinned", "removes"):
        return True
    return 7 if NUMBERS.fullmatch(name) else "'a'" if name in ("query", "web_vector") else "a"


@pytest.fixture
async def parted() -> AsyncIterator[PostgresStore]:
    store = await postgresql.open(postgres_server.newest().fresh_url(partitions=PARTITIONS))
    yield store
    await store.close()


def relations(plan: object) -> set[str]:
    """Name the tables that a plan reads or writes."""
    if isinstance(plan, list):
        return set().union(*map(relations, plan))
    if not isinstance(plan, dict):
        return set()
    below = set().union(*map(relations, plan.values()))
    return below | ({str(plan["Relation Name"])} if "Relation Name" in plan else set())


OPTIONAL = re.compile(r"%\((\w+)\)s::[\w\[\]]+ IS NULL")


CASES = [(name, False) for name in sorted(STATEMENTS)]
CASES += [(name, True) for name, _ in CASES if OPTIONAL.search(STATEMENTS[name])]


@pytest.mark.parametrize(("name", "sparing"), CASES, ids=[f"{name}{' for all' * sparing}" for name, sparing in CASES])
async def test_a_statement_names_its_tenant_and_touches_one_partition(
    parted: PostgresStore, name: str, sparing: bool
) -> None:
    sql = STATEMENTS[name]
    values = {one: value_of(one) for one in re.findall(r"%\((\w+)\)s", sql)}
    values |= {one: None for one in OPTIONAL.findall(sql) if sparing}
    # As the administrator, whom no wall stops: it would name the tenant where the statement forgot to.
    with psycopg.connect(parted._pools.address.conninfo, cursor_factory=psycopg.ClientCursor) as db:
        row = db.execute(f"EXPLAIN (FORMAT JSON, VERBOSE) {sql}".encode(), values).fetchone()
    plan = row[0] if row and isinstance(row[0], list) else json.loads(row[0] if row else "[]")
    if name in ACROSS_TENANTS:
        assert "wellkept." not in re.sub(r"wellkept\.\w+\(|FROM wellkept\.(?:migrations|layout)\b", "", sql)
        return
    assert "%(tenant)s" in sql
    parts = {relation.rpartition("_")[2] for relation in relations(plan) if relation[-1].isdigit()}
    # A row that is added is sent to its partition, and only that, without a plan that says so.
    assert len(parts) <= 1
    assert parts or name in CALLS or "INSERT INTO" in sql


TOUCHED = """
SELECT relname FROM pg_stat_xact_user_tables
WHERE schemaname = 'wellkept' AND coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del > 0
"""


async def test_what_functions_do_touches_one_partition(parted: PostgresStore) -> None:
    """Asked of the server's own counters, in the transaction that did it."""
    once = Once(operation="o", key="k", fingerprint="f")
    values = {one: value_of(one) for one in re.findall(r"%\((\w+)\)s", STATEMENTS["memories.create"])} | {
        "victims": None, "cap": 1, "touched": [], "touched_at": [], "web_vector": "'tea':1",
        "operation": once.operation, "key": once.key, "fingerprint": once.fingerprint,
    }  # fmt: skip
    del values["tenant"]
    for number in range(8):  # plans change after the fifth time
        work = [STATEMENTS[name] for name in ("deleted_agents.refuse", "memories.create", "memories.touch")]
        uses: dict[str, Value] = {"id": f"m{number}", "text": f"t{number}", "key": f"k{number}"}
        touched = {name for (name,) in await parted._tell(DEFAULT_TENANT, *work, TOUCHED, **{**values, **uses})}
        tables = {"deleted_agents", "pools", "memory_texts", "memory_uses", "done_once"}
        assert tables == {name.rpartition("_")[0] for name in touched}
        assert len({name.rpartition("_")[2] for name in touched}) == 1


async def test_every_operation_of_a_tenant_leaves_the_other_partitions_alone(parted: PostgresStore) -> None:
    pool, key = a_pool(), a_key()
    await parted.create(a_memory(1), rules=PoolRules(cap=1))
    await parted.create(a_memory(2), rules=PoolRules(cap=1, per_user_reserve=1), unless_in=("",))
    await parted.update(pool, memory_id_of(2), partitions=None, at=at(3), text="new")
    await parted.put(a_block(key=key), expect=ANY, change=a_change())
    await parted.open(a_session())
    await parted.hold(a_write(1), most=9)
    await parted.put_passages(an_owner(), new(a_passage(1), a_passage(2, session="s2"), vector=a_vector()))
    await parted.put_vectors(an_owner(), {a_passage(1).id: a_vector(model="other")})
    await parted.delete_session(a_session().key)
    await parted.note([an_entry(1)])
    await parted.delete_agent(DEFAULT_TENANT, pool.agent)
    database = parted._pools.address.server["dbname"]
    rows = postgres_server.newest().run(
        "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'wellkept' AND n_tup_ins > 0",
        database=str(database),
    )
    parts = {str(name).rpartition("_")[2] for (name,) in rows}
    assert parts <= {"migrations", "layout", "tenants", *map(str, range(PARTITIONS))}, "tenants are not split"


def test_every_table_begins_with_its_tenant() -> None:
    server = postgres_server.newest()
    rows = server.run(
        "SELECT c.relname, a.attname, i.indkey[0] = a.attnum FROM pg_class AS c "
        "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = 1 "
        "JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary WHERE c.relnamespace = 'wellkept'::regnamespace "
        "AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('migrations', 'layout')",
        database=server.fresh(),
    )
    assert len(rows) > 10
    assert {(column, leads) for _, column, leads in rows} == {("tenant", True)}
