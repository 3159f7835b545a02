"""Faults in the SQLite store."""

from typing import Final

from faults.fault import Fault, of
from faults.statements import forgetting

_ROOM: Final = "stores/sqlite"

_TENANTS: Final = [
    *forgetting("tenant", f"{_ROOM}/blocks.sql", "blocks"),
    *forgetting("tenant", f"{_ROOM}/memories.sql", "memories"),
    *forgetting("tenant", f"{_ROOM}/directory.sql", "directory"),
    *forgetting("tenant", f"{_ROOM}/sessions.sql", "sessions"),
    *forgetting("tenant", f"{_ROOM}/review.sql", "review"),
    *forgetting("tenant", f"{_ROOM}/once.sql", "whole"),
]

_OTHERS: Final = [
    *forgetting("scope", f"{_ROOM}/blocks.sql", "blocks"),
    *forgetting("owner", f"{_ROOM}/blocks.sql", "blocks"),
    *forgetting("agent", f"{_ROOM}/memories.sql", "memories"),
    *forgetting("user_id", f"{_ROOM}/memories.sql", "memories"),
    *forgetting("user_id", f"{_ROOM}/directory.sql", "directory"),
    *forgetting("agent", f"{_ROOM}/sessions.sql", "sessions"),
    *forgetting("user_id", f"{_ROOM}/sessions.sql", "sessions"),
    *forgetting("agent", f"{_ROOM}/review.sql", "review"),
    *forgetting("agent", f"{_ROOM}/once.sql", "whole"),
]

SQLITE: Final[list[Fault]] = [
    *_TENANTS,
    *_OTHERS,
    *of(
        f"{_ROOM}/blocks.py",
        "blocks",
        (
            "a write that changes nothing leaves a revision",
            "        return BlockEdited(block=stored, changed=False",
            "        _remember(db, key, etag, block, change)\n        return BlockEdited(block=stored, changed=False",
        ),
        ("a deletion leaves no revision", "    _remember(db, key, stored.etag, None, change)\n", ""),
        ("a write leaves no revision", "    _remember(db, key, etag, block, change)\n", ""),
        ("a purge leaves the history", '    db.execute(_SQL["delete_all_revisions"], (tenant, scope, owner))\n', ""),
        (
            "a deletion does not look at the etag",
            "replaces(stored, None, key=key, expect=expect)",
            "replaces(stored, None, key=key, expect=ANY)",
        ),
        (
            "several blocks are read at several moments",
            "    with snapshot(db):\n        return [_get(db, key) for key in keys]",
            "    return [_get(db, key) for key in keys]",
        ),
        ("revisions count from 0", "last + 1, change.actor", "last, change.actor"),
        (
            "an edit decides on another connection than it writes",
            "return await self._write(lambda db: _edit(db, key, rewrite, expect, change))",
            "stored = await self._read(lambda db: _get(db, key))\n        block = rewrite(stored)\n        return await self._write(lambda db: _edit(db, key, lambda _: block, expect, change))",
        ),
    ),
    *of(
        f"{_ROOM}/blocks.sql",
        "blocks",
        ("blocks come as they lie", "owner = ? ORDER BY key", "owner = ?"),
        (
            "keys are folded",
            "-- name: get\nSELECT text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner = ? AND key = ?",
            "-- name: get\nSELECT text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner = ? AND key = ? COLLATE NOCASE",
        ),
        (
            "owners are matched by LIKE",
            "SELECT key, text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner = ?",
            "SELECT key, text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner LIKE ?",
        ),
        ("a page of revisions begins one too early", "number < ?", "number <= ?"),
        ("revisions come oldest first", "ORDER BY number DESC", "ORDER BY number"),
    ),
    *of(
        f"{_ROOM}/memories.sql",
        "memories",
        (
            "evict the newest",
            "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
            "ORDER BY pinned, last_accessed_at DESC, created_at DESC, id DESC LIMIT",
        ),
        (
            "pinned rows leave in turn",
            "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
            "ORDER BY last_accessed_at, created_at, id LIMIT",
        ),
        (
            "the oldest leaves, not the least used",
            "ORDER BY pinned, last_accessed_at, created_at, id LIMIT",
            "ORDER BY pinned, created_at, id LIMIT",
        ),
        ("a touch moves a row back", " AND last_accessed_at < ?4", ""),
        ("a twin is any row", "AND user_id = ? AND text = ?", "AND user_id = ? AND text LIKE ?"),
    ),
    *of(
        f"{_ROOM}/memories.py",
        "memories",
        (
            "a pool has no cap",
            "    evicted = _make_room(db, pool, rules, joining=memory.user_id)\n",
            "    evicted = ()\n",
        ),
        (
            "touches count after the eviction",
            "    _touch(db, pool, touched)\n    evicted = _make_room(db, pool, rules, joining=memory.user_id)\n",
            "    evicted = _make_room(db, pool, rules, joining=memory.user_id)\n    _touch(db, pool, touched)\n",
        ),
        (
            "the pool is counted outside the lock",
            "return await self._write(lambda db: _create(db, memory, words, rules, unless_in, touched or {}, once))",
            "room = await self._read(lambda db: excess(_count(db, memory.pool, None), rules))\n        rules = replace(rules, cap=10**9) if not room else rules\n        return await self._write(lambda db: _create(db, memory, words, rules, unless_in, touched or {}, once))",
        ),
        ("reserves are forgotten", "if rules.per_user_reserve:", "if rules.cap < 0:"),
        (
            "an evicted row's id may come again",
            "    if memory.id in evicted:\n        raise AlreadyExists(memory=memory.id)\n",
            "",
        ),
        (
            "twins are looked for in the given order",
            "sorted(unless_in, key=lambda user: user != memory.user_id)",
            "unless_in",
        ),
        ("a key is not noted", "    if once:\n        resource", "    if once and twin:\n        resource"),
        (
            "a twin is no answer to the key",
            "    if once:\n        resource",
            "    if once and not twin:\n        resource",
        ),
        (
            "one row is found in every partition",
            "return found if partitions is None or found.user_id in partitions else None",
            "return found",
        ),
        (
            "a count forgets the partitions",
            "    if partitions is None:\n        return int(",
            "    if partitions is None or partitions:\n        return int(",
        ),
        (
            "a partition that is named twice counts twice",
            "user)).fetchone()[0] for user in set(partitions))",
            "user)).fetchone()[0] for user in partitions)",
        ),
        (
            "an update does not look at the etag",
            "if expect is not None and expect != stored.etag and text != stored.text:",
            'if expect == "":',
        ),
        ("an update to what is stored conflicts", " and text != stored.text:", ":"),
        (
            "an update that changes nothing takes the new time",
            "    if (after.text, after.pinned) == (stored.text, stored.pinned):\n        return after\n",
            "",
        ),
        (
            "a changed text is found by its old words",
            "(after.text, *words, pool.tenant",
            "(after.text, *_read_words(stored.text), pool.tenant",
        ),
        ("a deletion does not look at the etag", "if expect not in (None, stored.etag):", 'if expect == "":'),
    ),
    *of(
        f"{_ROOM}/lists.py",
        "memories",
        (
            "partitions are read one after the other",
            "heapq.merge(*streams, reverse=True)",
            "(row for stream in streams for row in stream)",
        ),
        ("a partition that is named twice is read twice", "for user in set(partitions)\n", "for user in partitions\n"),
        ("a query without words finds everything", "    if query.empty:\n        return []\n", ""),
        (
            "an alternative must have the first one's words",
            "if len(query.alternatives) > 1 or not words:",
            "if not words:",
        ),
        (
            "what must be absent must be there",
            "for part in query.alternatives[0] if not part.negated for word",
            "for part in query.alternatives[0] for word",
        ),
        ("whoever has the words matches", "if query.matches(_vector(row[9])))", "if row[9])"),
        ("a search has no limit", "for row in islice(found, limit)]", "for row in found]"),
    ),
    *of(
        f"{_ROOM}/once.py",
        "whole",
        ("a key answers any request", "if fingerprint != once.fingerprint:", "if not fingerprint:"),
        ("keys are kept for ever", '    db.execute(_SQL["prune"], (tenant, to_number(at - KEPT)))\n', ""),
        ("keys are kept for an hour", "timedelta(hours=24)", "timedelta(hours=1)"),
    ),
    *of(
        f"{_ROOM}/directory.py",
        "directory",
        ("everybody is the first tenant", "    if known:\n        return known[0]\n", ""),
        ("a name may be used twice", "if key.name in live:", "if not key.name:"),
        ("one key too many", "if len(live) >= most:", "if len(live) > most:"),
        ("a deleted agent leaves its pool", "    memories.purge_pool(db, Pool(tenant, agent))\n", ""),
        ("a deleted agent leaves its blocks", '    blocks.purge(db, tenant, "agent", agent)\n', ""),
        (
            "a deleted agent takes a user's blocks",
            'blocks.purge(db, tenant, "agent", agent)',
            'blocks.purge(db, tenant, "user", agent)',
        ),
        ("a deleted agent leaves its sessions", "    sessions.forget_agent(db, tenant, agent)\n", ""),
        ("a deleted agent leaves its held writes", "    review.forget_agent(db, tenant, agent)\n", ""),
        ("a deleted agent leaves its idempotency keys", "    once_only.forget(db, tenant, agent)\n", ""),
        (
            "a version is made of what was read before",
            "config = revise(_known(db, tenant, agent).config)",
            'config = revise(_versions(db, "version", tenant, agent, 1)[0].config)',
        ),
    ),
    *of(
        f"{_ROOM}/directory.sql",
        "directory",
        (
            "a tenant is overwritten",
            "ON CONFLICT (tenant) DO NOTHING",
            "ON CONFLICT (tenant) DO UPDATE SET name = excluded.name",
        ),
        ("a revoked key is found", "WHERE hash = ? AND revoked_at IS NULL", "WHERE hash = ?"),
        (
            "a revoked key's name is taken for ever",
            "SELECT name FROM api_keys WHERE tenant = ? AND revoked_at IS NULL",
            "SELECT name FROM api_keys WHERE tenant = ?",
        ),
        ("a key is revoked again", "AND id = ? AND revoked_at IS NULL", "AND id = ?"),
        ("enabling an enabled agent takes the time", " AND status <> ?1", ""),
        ("versions from the bound on", "AND number < ? ORDER", "AND number <= ? ORDER"),
    ),
    *of(
        f"{_ROOM}/sessions.sql",
        "sessions",
        (
            "a session's user is that of its newest turn",
            "ON CONFLICT (tenant, agent, session) DO NOTHING",
            "ON CONFLICT (tenant, agent, session) DO UPDATE SET user_id = excluded.user_id",
        ),
        ("messages from the bound on", "AND number > ? ORDER BY number", "AND number >= ? ORDER BY number"),
        ("messages in the order of their times", "ORDER BY number LIMIT", "ORDER BY at LIMIT"),
        ("a claim holds nobody off", "\nWHERE holder = excluded.holder OR until <= ?6", "\nWHERE ?6 IS NOT NULL"),
        ("a claim holds its own holder off", "WHERE holder = excluded.holder OR until <= ?6", "WHERE until <= ?6"),
        ("a claim holds at its end", "OR until <= ?6", "OR until < ?6"),
        ("anybody gives a claim back", "AND session = ? AND holder = ?", "AND session = ? AND ? IS NOT NULL"),
    ),
    *of(
        f"{_ROOM}/sessions.py",
        "sessions",
        (
            "messages are appended whatever came between",
            "if [message.number for message in messages] != list(range(session.length + 1, length + 1)):",
            "if messages[0].number > session.length + 1:",
        ),
        ("appending nothing takes the time", "    if not messages:\n        return session\n", ""),
        ("a deleted session leaves its claim", '    db.execute(_SQL["delete_claim"], _place(key))\n', ""),
    ),
    *of(
        f"{_ROOM}/review.py",
        "review",
        ("any number of writes is held", "if waiting >= most:", "if most < 0:"),
    ),
    *of(
        f"{_ROOM}/review.sql",
        "review",
        (
            "two decide at once",
            " AND (claimed_by IS NULL OR claimed_by = ?1 OR claimed_until <= ?5)",
            " AND (?5 IS NOT NULL)",
        ),
        ("the right to decide never ends", " OR claimed_until <= ?5)", " OR ?5 IS NULL)"),
        ("anybody gives the right back", "AND id = ? AND claimed_by = ?", "AND id = ? AND ? IS NOT NULL"),
        (
            "a held write is taken twice",
            "DELETE FROM held_writes WHERE tenant = ? AND id = ? RETURNING body",
            "UPDATE held_writes SET claimed_by = NULL WHERE tenant = ? AND id = ? RETURNING body",
        ),
    ),
    *of(
        f"{_ROOM}/connection.py",
        "whole",
        ("a transaction begins when it writes", '"BEGIN IMMEDIATE"', '"BEGIN"'),
        (
            "what failed is committed",
            '            db.execute("ROLLBACK")\n        raise',
            '            db.execute("COMMIT")\n        raise',
        ),
        ("a neighbour's failure is kept", '            db.execute("ROLLBACK TO one")\n', ""),
        ("references are not looked at", '    db.execute("PRAGMA foreign_keys = ON")\n', ""),
        (
            "deleted texts stay in the file",
            '    db.execute("PRAGMA secure_delete = ON")  # what was deleted is overwritten, not only let go\n',
            "",
        ),
        ("nobody waits for a lock", "if not is_busy(error) or time.monotonic() >= deadline:", "if error:"),
        (
            "a file is anybody's to read",
            "os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600",
            "os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644",
        ),
        ("a reader writes", '        db.execute("PRAGMA query_only = ON")\n', ""),
        (
            "a commit does not wait for the disk",
            'db.execute(f"PRAGMA synchronous = {address.synchronous}")',
            'db.execute("PRAGMA synchronous = OFF")',
        ),
    ),
    *of(
        f"{_ROOM}/rows.py",
        "memories",
        ("pins are numbers", "pinned=bool(pinned),", "pinned=pinned,"),
        (
            "a row was never used",
            "last_accessed_at=to_instant(last_accessed_at),",
            "last_accessed_at=to_instant(updated_at),",
        ),
    ),
]
"""Its own."""
