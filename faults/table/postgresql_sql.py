"""Faults in the statements and the schema of the PostgreSQL store."""

from dataclasses import replace
from typing import Final

from faults.fault import Fault, of
from faults.statements import forgetting

_ROOM: Final = "stores/postgresql"
_SCHEMA: Final = f"{_ROOM}/migrations/0001_initial.sql"
_USES: Final = f"{_ROOM}/migrations/0002_memory_uses.sql"
_WALLS: Final = "postgres_walls"
_FILES: Final = ("blocks", "memories")

_TENANTS: Final = [
    replace(fault, words=fault.name.partition(" ")[0])
    for file in _FILES
    for fault in forgetting("tenant", f"{_ROOM}/{file}.sql", "postgres_statements")
]
"""The wall between tenants hides them from every answer; the plans of the statements do not."""

_ONLY_LOCKS: Final = frozenset({"lock_owner"})
"""To lock more than what is changed is slow, and not wrong."""

_OTHERS: Final = [
    *(
        replace(fault, words="neighbouring or purge")
        for fault in forgetting("owner", f"{_ROOM}/blocks.sql", "blocks", but=_ONLY_LOCKS)
    ),
]


def _within(mark: str, fault: Fault) -> Fault:
    return replace(fault, within=mark)


_BLOCKS: Final = of(
    f"{_ROOM}/blocks.sql",
    "blocks",
    ("blocks come as they lie", "owner = %(owner)s ORDER BY key\n", "owner = %(owner)s\n", "sorted"),
    ("an edit locks nothing", "DO UPDATE SET last_revision = head.last_revision", "DO NOTHING", "many_edits"),
    (
        "an edit leaves the old time",
        "SET updated_at = excluded.updated_at, text =",
        "SET text =",
        "equal or edit or comes",
    ),
    ("all revisions have one number", "SET last_revision = last_revision + 1", "SET last_revision = 1", "revision"),
    ("a page of revisions begins one too early", "number < %(before)s", "number <= %(before)s", "pages"),
    ("revisions come oldest first", "ORDER BY number DESC", "ORDER BY number", "newest_first"),
    (
        "a purge leaves the history",
        "DELETE FROM wellkept.block_revisions WHERE",
        "SELECT FROM wellkept.block_revisions WHERE",
        "purge",
    ),
    (
        "a purge leaves what was locked",
        "DELETE FROM wellkept.block_heads WHERE",
        "SELECT FROM wellkept.block_heads WHERE",
        "purge",
    ),
)

_MEMORIES: Final = [
    *of(
        f"{_ROOM}/memories.sql",
        "memories",
        ("a deletion is not counted", "SET memories = memories - 1", "SET memories = memories", "deleted"),
        (
            "a changed text is found by its old words",
            "web_vector = %(web_vector)s::tsvector, ",
            "",
            "text_as_it_is_now",
        ),
        ("a changed text is ranked by its old words", ", rank_tokens = %(rank_tokens)s\n", "\n", "text_as_it_is_now"),
        ("of many updates several win", "id = %(id)s FOR UPDATE", "id = %(id)s", "many_updates"),
        (
            "a purge leaves the count",
            "DELETE FROM wellkept.pools WHERE",
            "SELECT FROM wellkept.pools WHERE",
            "purge",
        ),
    ),
    _within(
        "-- name: pool_matching\n",
        Fault(
            name="a search of a pool finds everything",
            file=f"{_ROOM}/memories.sql",
            find="web_vector @@ %(query)s::tsquery",
            replace="%(query)s IS NOT NULL",
            suite="memories",
            words="mode_web",
        ),
    ),
    _within(
        "-- name: partitions_matching\n",
        Fault(
            name="a search of partitions finds everything",
            file=f"{_ROOM}/memories.sql",
            find="web_vector @@ %(query)s::tsquery",
            replace="%(query)s IS NOT NULL",
            suite="memories",
            words="both_modes_see or mode_web",
        ),
    ),
    _within(
        "-- name: pool_newest_first\n",
        Fault(
            name="a page begins with the last row of the one before",
            file=f"{_ROOM}/memories.sql",
            find="(t.created_at, id) <",
            replace="(t.created_at, id) <=",
            suite="memories",
            words="list_is_newest or uses_and_changes or cursor",
        ),
    ),
    _within(
        "-- name: pool_newest_first\n",
        Fault(
            name="rows of one instant come as they lie",
            file=f"{_ROOM}/memories.sql",
            find="ORDER BY t.created_at DESC, id DESC",
            replace="ORDER BY t.created_at DESC, id",
            suite="memories",
            words="newest_first",
        ),
    ),
    _within(
        "-- name: partitions_newest_first\n",
        Fault(
            name="partitions are read one after the other",
            file=f"{_ROOM}/memories.sql",
            find="ORDER BY m.created_at DESC, m.id DESC",
            replace="ORDER BY m.user_id, m.created_at DESC",
            suite="memories",
            words="turn_sees or partitions",
        ),
    ),
]

_CREATING: Final = of(
    _USES,
    "memories",
    (
        "evict the newest",
        "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
        "ORDER BY pinned, last_accessed_at DESC, created_at DESC, id DESC LIMIT",
        "least_recently",
    ),
    (
        "pinned rows leave in turn",
        "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
        "ORDER BY last_accessed_at, created_at, id LIMIT",
        "pinned",
    ),
    (
        "the oldest leaves, not the least used",
        "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
        "ORDER BY pinned, created_at, id LIMIT",
        "least_recently",
    ),
    (
        "ties go by the id alone",
        "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
        "ORDER BY pinned, last_accessed_at, id LIMIT",
        "ties",
    ),
    ("the cap is one more in the database", "had + 1 - p_cap", "had - p_cap", "least_recently"),
    ("a pool has no cap", "IF p_victims IS NULL AND had >= p_cap THEN", "IF p_victims IS NULL AND false THEN", "cap"),
    ("a twin is any row that looks so", "AND text = p_text", "AND text ILIKE p_text", "looks_the_same"),
    (
        "twins are looked for in the order of time",
        "ORDER BY user_id <> p_user_id, array_position(p_unless_in, user_id), ",
        "ORDER BY ",
        "own_partition",
    ),
    ("an evicted row's id may come again", "IF p_id = ANY (evicted) THEN", "IF p_id IS NULL THEN", "failed_insert"),
    ("a new row is not counted", "SET memories = had + 1 - cardinality(evicted)", "SET memories = had", "cap"),
    (
        "a key answers any request",
        "IF known.fingerprint <> p_fingerprint THEN",
        "IF known IS NULL THEN",
        "another_request",
    ),
    ("a twin is no answer to the key", "coalesce(answered_with, p_id)", "p_id", "remembers_a_twin"),
)

_WALL: Final = of(
    _SCHEMA,
    _WALLS,
    (
        "no table has the wall",
        "    EXECUTE format('ALTER TABLE wellkept.%I ENABLE ROW LEVEL SECURITY', name);\n",
        "",
        "forgets",
    ),
    (
        "the owner walks through the wall",
        "    EXECUTE format('ALTER TABLE wellkept.%I FORCE ROW LEVEL SECURITY', name);\n",
        "",
        "owner",
    ),
    (
        "the wall lets everybody see",
        "wellkept.%I USING (tenant = current_setting(''wellkept.tenant'', true))'",
        "wellkept.%I USING (true)'",
        "forgets",
    ),
    (
        "the wall lets everybody write",
        "' WITH CHECK (tenant = current_setting(''wellkept.tenant'', true))'",
        "' WITH CHECK (true)'",
        "given",
    ),
    ("whoever says so looks across tenants", "FOR SELECT TO CURRENT_USER '", "FOR SELECT TO PUBLIC '", "across"),
    ("the tenants have no wall", "ALTER TABLE wellkept.tenants ENABLE ROW LEVEL SECURITY;\n", ""),
    (
        "the role of statements may empty tables",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON wellkept.%I",
        "GRANT ALL ON wellkept.%I",
        "role_of_statements",
    ),
)

_COUNTED: Final = [
    *of(
        _SCHEMA,
        "memories",
        ("the pool is counted without a lock", "AND agent = p_agent FOR UPDATE;", "AND agent = p_agent;", "at_once"),
    ),
    *of(
        _USES,
        _WALLS,
        ("pools are counted wrongly, and check says nothing", "<> coalesce(m.rows, 0)", "< 0", "lost_wall"),
        ("a memory lost its use, and check says nothing", " OR m.rows <> m.whole", "", "lost_its_use"),
    ),
    *of(
        _USES,
        "directory",
        (
            "held writes are not counted",
            "0, 0, 0, 0, count(*) FROM wellkept.held_writes",
            "0, 0, 0, 0, 0 FROM wellkept.held_writes",
            "counted",
        ),
    ),
]

_ACROSS: Final = of(
    _SCHEMA,
    "directory",
    ("a revoked key is found", "WHERE hash = p_hash AND revoked_at IS NULL;", "WHERE hash = p_hash;", "revoked"),
    (
        "tenants come by their names",
        "wellkept.tenants ORDER BY created_at, tenant;",
        "wellkept.tenants ORDER BY tenant;",
        "oldest",
    ),
    (
        "of many first tenants there are several",
        "    PERFORM pg_advisory_xact_lock(2003529844, 1);\n",
        "",
        "first_tenant",
    ),
    (
        "the first tenant is the first by name",
        "ORDER BY created_at, tenant LIMIT 1",
        "ORDER BY tenant LIMIT 1",
        "first_tenant",
    ),
)

_DIRECTORY: Final = of(
    f"{_ROOM}/directory.sql",
    "directory",
    (
        "a tenant is overwritten",
        "DO NOTHING RETURNING tenant",
        "DO UPDATE SET name = excluded.name RETURNING tenant",
        "tenant",
    ),
    (
        "keys are counted without a lock",
        "SELECT pg_advisory_xact_lock(hashtextextended('api_keys '",
        "SELECT (hashtextextended('api_keys '",
        "many_keys_at_once",
    ),
    (
        "a revoked key's name is taken for ever",
        "SELECT name FROM wellkept.api_keys WHERE tenant = %(tenant)s AND revoked_at IS NULL",
        "SELECT name FROM wellkept.api_keys WHERE tenant = %(tenant)s",
        "name",
    ),
    ("a key is revoked again", "AND revoked_at IS NULL RETURNING id", "RETURNING id", "revoked"),
    ("of racing versions some are lost", " FOR NO KEY UPDATE", "", "racing"),
    ("enabling an enabled agent takes the time", " AND status <> %(status)s", "", "enabled"),
    ("versions from the bound on", "number < %(before)s", "number <= %(before)s", "version"),
    (
        "a version is not of the agent",
        "v.agent = a.id AND v.number = a.version\nWHERE a.tenant = %(tenant)s AND a.id",
        "v.number = a.version\nWHERE a.tenant = %(tenant)s AND a.id",
        "agent",
    ),
)

_SESSIONS: Final = of(
    f"{_ROOM}/sessions.sql",
    "sessions",
    (
        "a session's user is that of its newest turn",
        "ON CONFLICT (tenant, agent, session) DO NOTHING",
        "ON CONFLICT (tenant, agent, session) DO UPDATE SET user_id = excluded.user_id",
        "first_turn",
    ),
    ("messages from the bound on", "number > %(above)s", "number >= %(above)s", "in_parts"),
    ("messages in the order of their times", "ORDER BY number LIMIT", "ORDER BY at LIMIT", "order"),
    ("two append at one place", " FOR NO KEY UPDATE", "", "append"),
    (
        "a claim holds nobody off",
        "WHERE held.holder = excluded.holder OR held.until <= %(at)s",
        "WHERE %(at)s IS NOT NULL",
        "claim",
    ),
    ("a claim holds its own holder off", "held.holder = excluded.holder OR ", "", "claim"),
    ("a claim holds at its end", "held.until <= %(at)s", "held.until < %(at)s", "claim"),
    ("anybody gives a claim back", " AND holder = %(holder)s", " AND %(holder)s IS NOT NULL", "claim"),
)

_REVIEW: Final = of(
    f"{_ROOM}/review.sql",
    "review",
    ("one more is held than may be", "< %(most)s", "<= %(most)s", "as_many"),
    (
        "held writes are counted without a lock",
        "SELECT pg_advisory_xact_lock(hashtextextended('held_writes '",
        "SELECT (hashtextextended('held_writes '",
        "many_writes_at_once",
    ),
    (
        "two decide at once",
        "claimed_by IS NULL OR claimed_by = %(holder)s OR claimed_until <= %(at)s",
        "%(at)s IS NOT NULL",
        "claim",
    ),
    ("the right to decide never ends", " OR claimed_until <= %(at)s", "", "claim"),
    ("anybody gives the right back", " AND claimed_by = %(holder)s\n", " AND %(holder)s IS NOT NULL\n", "claim"),
    (
        "a held write is taken twice",
        "DELETE FROM wellkept.held_writes WHERE tenant = %(tenant)s AND id = %(id)s RETURNING body",
        "SELECT body FROM wellkept.held_writes WHERE tenant = %(tenant)s AND id = %(id)s",
        "take",
    ),
)

_ONCE: Final = of(
    f"{_ROOM}/once.sql",
    "directory",
    ("a key is noted twice", "WHERE known.created_at <= %(kept_since)s\n", "WHERE %(kept_since)s IS NOT NULL\n", "key"),
)

STATEMENTS: Final[list[Fault]] = [
    *_TENANTS,
    *_OTHERS,
    *_BLOCKS,
    *_MEMORIES,
    *_CREATING,
    *_COUNTED,
    *_WALL,
    *_ACROSS,
    *_DIRECTORY,
    *_SESSIONS,
    *_REVIEW,
    *_ONCE,
]
"""Each in SQL."""
