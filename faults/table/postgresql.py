"""Faults in the PostgreSQL store."""

from typing import Final

from faults.fault import Fault, of
from faults.table.postgresql_sql import STATEMENTS

_ROOM: Final = "stores/postgresql"
_CONNECTIONS: Final = "postgres_connections"
_OPENING: Final = "postgres_opening"

POSTGRESQL: Final[list[Fault]] = [
    *STATEMENTS,
    *of(
        f"{_ROOM}/blocks.py",
        "blocks",
        (
            "an edit does not look at the etag",
            "replaces(stored, block.text, key=key, expect=expect)",
            "replaces(stored, block.text, key=key, expect=ANY)",
            "expected",
        ),
        (
            "a deletion does not look at the etag",
            "replaces(stored, None, key=key, expect=expect)",
            "replaces(stored, None, key=key, expect=ANY)",
            "expected",
        ),
        ("several blocks come as they lie", "[found.get(key) for key in keys]", "[*found.values()]", "many_are_read"),
        (
            "a deletion leaves no revision",
            '_SQL["delete"], _SQL["add_revision"]',
            '_SQL["delete"]',
            "revision",
        ),
        (
            "a write leaves no revision",
            '_SQL["put"],\n                _SQL["add_revision"],',
            '_SQL["put"],',
            "revision",
        ),
    ),
    *of(
        f"{_ROOM}/memories.py",
        "memories",
        (
            "an update does not look at the etag",
            "if expect is not None and expect != stored.etag and text != stored.text:",
            'if expect == "":',
            "expected",
        ),
        (
            "a deletion does not look at the etag",
            "if expect not in (None, stored.etag):",
            'if expect == "":',
            "expected",
        ),
        (
            "one row is found in every partition",
            "return found if partitions is None or found.user_id in partitions else None",
            "return found",
            "stranger",
        ),
        (
            "a count forgets the partitions",
            "if partitions is None:\n            rows",
            "if partitions is None or partitions:\n            rows",
            "turn_sees or cap",
        ),
        ("reserves are forgotten", "if rules.per_user_reserve:", "if rules.cap < 0:", "reserve"),
        ("a mismatch is a failure", "error.sqlstate == _MISMATCH", 'error.sqlstate == ""', "another_request"),
        (
            "an update that changes nothing takes the new time",
            "    if (after.text, after.pinned) == (stored.text, stored.pinned):\n        return after\n",
            "",
            "changes_nothing",
        ),
        ("a key whose row is gone answers with nothing", "    if id is None:\n", '    if id == "":\n', "row_is_gone"),
    ),
    *of(
        f"{_ROOM}/once.py",
        "postgres_once",
        ("keys are kept for an hour", "timedelta(hours=24)", "timedelta(hours=1)"),
    ),
    *of(
        f"{_ROOM}/once.py",
        "directory",
        (
            "a key of the directory answers any request",
            "if fingerprint != once.fingerprint:",
            "if not fingerprint:",
            "same_key",
        ),
    ),
    *of(
        f"{_ROOM}/lists.py",
        "memories",
        (
            "a query without words finds everything",
            "        if query.empty:\n            return []\n",
            "        if query.empty:\n            return await self._newest(pool, partitions, limit=limit, after=after)\n",
            "web or any_string",
        ),
        (
            "a partition that is named twice is read twice",
            "list(dict.fromkeys(partitions))",
            "list(partitions)",
            "named_twice",
        ),
        (
            "the best come as they lie",
            "for id, item in zip(ids, ranking, strict=True)",
            "for id, item in zip(sorted(ids), ranking, strict=True)",
            "ranked",
        ),
    ),
    *of(
        f"{_ROOM}/web.py",
        "memories",
        (
            "an exclusion excludes nothing",
            'return f"!({phrase})" if operand.negated',
            'return f"({phrase})" if operand.negated',
            "mode_web",
        ),
        ("words of a phrase may stand apart", '" <-> ".join', '" & ".join', "mode_web"),
    ),
    *of(
        f"{_ROOM}/directory.py",
        "directory",
        ("a name may be used twice", "if key.name in live:", "if not key.name:", "name"),
        ("one key too many", "if len(live) >= most:", "if len(live) > most:", "as_many"),
        ("a deleted agent leaves its pool", "            *memories.PURGE_POOL,\n", "", "pool"),
        ("a deleted agent leaves its blocks", "            *blocks.PURGE,\n", "", "pool_and_blocks"),
        ("a deleted agent takes a user's blocks", 'scope="agent",', 'scope="user",', "pool_and_blocks"),
        ("a deleted agent leaves its sessions", "            *sessions.FORGET_AGENT,\n", "", "sessions"),
        ("a deleted agent leaves its held writes", "            review.FORGET_AGENT,\n", "", "held_writes"),
        ("a deleted agent leaves its idempotency keys", "            once.FORGET_AGENT,\n", "", "idempotency"),
    ),
    *of(
        f"{_ROOM}/sessions.py",
        "sessions",
        (
            "messages are appended whatever came between",
            "!= list(range(session.length + 1, length + 1)):",
            "== []:",
            "append",
        ),
        ("a deleted session leaves its claim", '(_SQL["delete_claim"], *passages', "(*passages", "deleted"),
    ),
    *of(
        f"{_ROOM}/hops.py",
        _CONNECTIONS,
        (
            "a write is sent twice",
            "(_SETTLED, *statements), values), lambda: False)",
            "(_SETTLED, *statements), values), lambda: True)",
            "not_repeated",
        ),
        (
            "a read fails with its connection",
            "(_SETTLED, *statements), values), lambda: True)",
            "(_SETTLED, *statements), values), lambda: False)",
            "asked_again",
        ),
        (
            "an edit fails with its connection",
            "lambda: transaction is None or not transaction.ending",
            "lambda: False",
            "done_again or first_call",
        ),
        (
            "an edit is sent twice",
            "lambda: transaction is None or not transaction.ending",
            "lambda: True",
            "not_repeated",
        ),
        (
            "a refusal costs a connection",
            "await transaction.leave()  # nothing is wrong",
            "pass  # nothing is wrong",
            "refusal",
        ),
        (
            "a statement may take for ever",
            "set_config('statement_timeout', %(timeout_)s, true)",
            "set_config('statement_timeout', '0', true)",
            "too_long",
        ),
        ("a server that went silent is waited for", "        connection.hang_up()\n", "        pass\n", "silent"),
    ),
    *of(
        f"{_ROOM}/hops.py",
        "blocks",
        ("all tenants are the first", '"tenant": tenant, "role_"', '"tenant": "default", "role_"', "tenant"),
    ),
    *of(
        f"{_ROOM}/hops.py",
        "postgres_walls",
        (
            "settings stay in the session",
            "set_config('wellkept.tenant', %(tenant)s, true)",
            "set_config('wellkept.tenant', %(tenant)s, false)",
            "session",
        ),
        (
            "statements run with the rights of who logs in",
            "set_config('role', %(role_)s, true)",
            "set_config('wellkept.role', %(role_)s, true)",
            "forgets",
        ),
    ),
    *of(
        f"{_ROOM}/pool.py",
        _CONNECTIONS,
        ("connections have no number", "asyncio.Semaphore(address.pool)", "asyncio.Semaphore(10_000)", "never_more"),
        ("no connection is kept", "self._idle.append(connection)", "connection.pgconn.finish()", "kept"),
        (
            "a dead connection is lent",
            "            if is_alive(connection):\n",
            "            if connection:\n",
            "first_call",
        ),
        (
            "a transaction stays open in the pool",
            "connection.pgconn.transaction_status == TransactionStatus.IDLE and not self._closed",
            "not self._closed",
            "fails_leaves",
        ),
        (
            "a closed store goes on",
            "        if self._closed:\n            raise Closed",
            "        if self._closed is None:\n            raise Closed",
            "closed",
        ),
        (
            "a call waits for ever for a connection",
            "asyncio.timeout(self._address.timeout)",
            "asyncio.timeout(None)",
            "busy",
        ),
        (
            "all loops share one pool",
            "loop = asyncio.get_running_loop()",
            "loop = next(iter(self._by_loop), asyncio.get_running_loop())",
            "each_loop",
        ),
    ),
    *of(
        f"{_ROOM}/opening.py",
        _OPENING,
        ("a server of any age is taken", "if found < OLDEST:", "if found < 0:", "too_old"),
        ("a database of any encoding is taken", 'if encoding != ("UTF8",):', "if encoding is None:", "encoding"),
        (
            "another number of partitions is taken",
            "if address.partitions and layout",
            "if layout is None and layout",
            "partitions",
        ),
    ),
    *of(
        f"{_ROOM}/opening.py",
        "postgres_walls",
        ("a role that passes the wall is taken", "if bypasses or owns:", "if bypasses is None:", "role_that"),
    ),
    *of(
        f"{_ROOM}/migrations.py",
        _OPENING,
        ("a newer schema is written to", "if number > len(steps()):", "if number < 0:", "newer"),
        ("several change the schema at once", "            await db.execute(_LOCK)\n", "", "many_who_open"),
        ("partitions are forgotten", '"PARTITION BY HASH (tenant)" if partitions else ""', '""', "partitions"),
    ),
    *of(
        f"{_ROOM}/migrations.py",
        "postgres_walls",
        (
            "everybody may call the functions",
            '    await db.execute("REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA wellkept FROM PUBLIC")\n',
            "",
        ),
        (
            "statements may change the tenants",
            "GRANT SELECT, INSERT ON wellkept.tenants",
            "GRANT ALL ON wellkept.tenants",
        ),
    ),
    *of(
        f"{_ROOM}/errors.py",
        "postgres_errors",
        ("a full disk is an unknown trouble", '"53100": StoreFull', '"53100": StoreFailed'),
        ("a standby is an unknown trouble", '"25006": StoreReadOnly', '"25006": StoreFailed'),
        ("a damaged page is an unknown trouble", '"XX001": StoreCorrupt', '"XX001": StoreFailed'),
        (
            "a wrong password is trouble of the server",
            '    "28": "the server does not let',
            '    "29": "the server does not let',
        ),
        (
            "a missing database is trouble of the server",
            'database .* does not exist"): "3D"',
            'database .* does not exist"): "08"',
        ),
        ("an error has no cause", "    ours.__cause__ = error\n", ""),
    ),
    *of(
        f"{_ROOM}/address.py",
        "postgres_address",
        ("the URL is told", '{_HOW}; {_OPTIONS}") from error', '{_HOW}; {error}") from error', "quoting"),
        (
            "what the URL says is overruled",
            "Address(server={**_ALIVE, **known})",
            "Address(server={**known, **_ALIVE})",
            "holds",
        ),
        ("any number is taken", "and least <= int(value) <= _MOST)", ")", "refused or none"),
    ),
    *of(
        f"{_ROOM}/store.py",
        _OPENING,
        ("a server that may lose data is called safe", 'if fsync == "on"', "if fsync", "power_cut"),
    ),
    *of(
        f"{_ROOM}/store.py",
        "whole",
        (
            "check says nothing of pools that are counted wrongly",
            "            if miscounted:\n",
            "            if miscounted is None:\n",
        ),
    ),
]
"""Its own."""
