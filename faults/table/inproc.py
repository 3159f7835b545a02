"""Faults in the in-process store."""

from dataclasses import replace
from typing import Final

from faults.fault import Fault, of

_SHELF: Final = "key.tenant, key.scope, key.owner"

INPROC: Final[list[Fault]] = [
    *(
        replace(fault, everywhere=True)
        for fault in of(
            "stores/inproc/blocks.py",
            "blocks",
            ("owners are folded", _SHELF, "key.tenant, key.scope, key.owner.lower()"),
            ("scopes share their blocks", "scope, owner)", '"user", owner)'),
        )
    ),
    *of(
        "stores/inproc/blocks.py",
        "blocks",
        (
            "a read forgets the tenant",
            "return self._data.shelves.get((key.tenant, key.scope, key.owner), Shelf())",
            "known = self._data.shelves.items()\n"
            "        found = [shelf for (_, *place), shelf in known if place == [key.scope, key.owner]]\n"
            "        return found[0] if found else Shelf()",
        ),
        (
            "put drops what it expects",
            "self._shelf(block.key), block, expect=expect,",
            "self._shelf(block.key), block, expect=ANY,",
        ),
        (
            "edit drops what it expects",
            "return _write(shelf, block, expect=expect,",
            "return _write(shelf, block, expect=ANY,",
        ),
        (
            "a write that changes nothing takes the new time",
            "        return BlockEdited(block=stored, changed=False",
            "        shelf.blocks[block.key.key] = block\n        return BlockEdited(block=stored, changed=False",
        ),
        (
            "a write answers with its own etag as the one before",
            "changed=True, etag_before=etag)",
            "changed=True, etag_before=block.etag)",
        ),
        ("blocks come in the order of writing", "for key in sorted(shelf.blocks)", "for key in shelf.blocks"),
        ("a deletion leaves no revision", "            _remember(shelf, key, stored, None, change)\n", ""),
        (
            "a deletion takes the history",
            "            _remember(shelf, key, stored, None, change)\n",
            "            shelf.history.pop(key.key)\n",
        ),
        (
            "a purge leaves the history",
            "return len(self._data.shelves.pop((tenant, scope, owner), Shelf()).blocks)",
            "gone = self._data.shelves.get((tenant, scope, owner), Shelf())\n"
            "            count = len(gone.blocks)\n"
            "            gone.blocks.clear()\n"
            "            return count",
        ),
        ("a page of revisions begins one too early", "max(0, before - 1)", "max(0, before)"),
        ("revisions come oldest first", "[max(0, end - limit) : end][::-1]", "[max(0, end - limit) : end]"),
        ("revisions count from 0", "number=len(past) + 1", "number=len(past)"),
        ("a revision forgets its session", "session=change.session,", "session=None,"),
        (
            "a revision of a deletion keeps the text",
            "text=after.text if after else None,",
            "text=(after or before).text,",
        ),
    ),
    *of(
        "stores/inproc/memories.py",
        "memories",
        ("a pool has no cap", "evicted = _make_room(pool, rules, joining=memory.user_id)", "evicted = ()"),
        (
            "touches count after the eviction",
            "            _touch(pool, touched or {})\n            evicted = _make_room(pool, rules, joining=memory.user_id)\n",
            "            evicted = _make_room(pool, rules, joining=memory.user_id)\n            _touch(pool, touched or {})\n",
        ),
        (
            "a call that fails evicts",
            "            if memory.id in pool.by_id:\n                raise AlreadyExists(memory=memory.id)\n            # From here on nothing can fail, so nothing needs to be taken back.\n            _touch(pool, touched or {})\n            evicted = _make_room(pool, rules, joining=memory.user_id)\n",
            "            _touch(pool, touched or {})\n            evicted = _make_room(pool, rules, joining=memory.user_id)\n            if memory.id in pool.by_id:\n                raise AlreadyExists(memory=memory.id)\n",
        ),
        (
            "a call that fails uses up its key",
            "            if memory.id in pool.by_id:\n",
            "            answers.note(once, memory.id)\n            if memory.id in pool.by_id:\n",
        ),
        ("an id may come twice", "if memory.id in pool.by_id:", 'if memory.id == "":'),
        ("pinned rows leave in turn", "yield Candidate(memory.pinned, memory", "yield Candidate(False, memory"),
        (
            "the oldest leaves, not the least used",
            "yield Candidate(memory.pinned, memory.last_accessed_at,",
            "yield Candidate(memory.pinned, memory.created_at,",
        ),
        (
            "twins are looked for in every partition",
            "if row.memory.user_id == user and row.memory.text == memory.text:",
            "if row.memory.text == memory.text:",
        ),
        (
            "twins are looked for in the given order",
            "sorted(unless_in, key=lambda user: user != memory.user_id)",
            "unless_in",
        ),
        ("a twin is no answer to the key", "                answers.note(once, twin.id)\n", ""),
        (
            "pools share their idempotency keys",
            "self._data.created[memory.pool]",
            "next(iter(self._data.created.values()), self._data.created[memory.pool])",
        ),
        (
            "an answer to a key counts as new",
            "_visible(pool, MemoryId(answered), None).memory, changed=False)",
            "_visible(pool, MemoryId(answered), None).memory, changed=True)",
        ),
        ("a touch moves a row back", "if row and row.memory.last_accessed_at < at:", "if row:"),
        (
            "a touch does nothing",
            "row.memory.last_accessed_at < at:\n            row.memory = replace",
            "row.memory.last_accessed_at < at:\n            replace",
        ),
        (
            "reading a row touches it",
            "            return row.memory if row else None\n",
            "            if row:\n                row.memory = replace(row.memory, last_accessed_at=row.memory.last_accessed_at.replace(year=2100))\n            return row.memory if row else None\n",
        ),
        (
            "listing rows touches them",
            "                    found.append(row.memory)\n",
            "                    found.append(row.memory)\n                    row.memory = replace(row.memory, last_accessed_at=row.memory.last_accessed_at.replace(year=2100))\n",
        ),
        ("a list forgets the partitions", "if _sees(partitions, row) and (query is None", "if (query is None"),
        ("a ranked search forgets the partitions", "newest_first() if _sees(partitions, row)]", "newest_first()]"),
        ("one row is found in every partition", "return row if row and _sees(partitions, row) else None", "return row"),
        ("a count forgets the partitions", "sum(_sees(partitions, row) for row", "sum(1 for row"),
        ("a page is one too long", "if len(found) == limit:", "if len(found) > limit:"),
        (
            "an update does not look at the etag",
            "if expect is not None and expect != stored.etag and text != stored.text:",
            'if expect == "":',
        ),
        ("an update to what is stored conflicts", " and text != stored.text:", ":"),
        (
            "an update that changes nothing takes the new time",
            "if (after.text, after.pinned) != (stored.text, stored.pinned):",
            "if after:",
        ),
        ("an update does not touch", "                last_accessed_at=at,\n", ""),
        ("a changed text is found by its old words", "rows.by_id[memory] = Row(after)", "row.memory = after"),
        ("a deletion does not look at the etag", "if expect not in (None, row.memory.etag):", 'if expect == "":'),
        (
            "a purge takes every pool",
            "return len(self._data.pools.pop(pool, Rows()).by_id)",
            "gone = self._pool(pool)\n            self._data.pools.clear()\n            return len(gone.by_id)",
        ),
    ),
    *of(
        "stores/inproc/data.py",
        "memories",
        ("a key answers any request", "if fingerprint != once.fingerprint:", "if not fingerprint:"),
        (
            "a page begins with the last row of the one before",
            "bisect_left(self.order, (after.at, after.id))",
            "bisect_left(self.order, (after.at, after.id)) + 1",
        ),
        (
            "a page skips rows of the same instant",
            "bisect_left(self.order, (after.at, after.id))",
            'bisect_left(self.order, (after.at, ""))',
        ),
        (
            "a deleted row stays in the order",
            "        del self.order[bisect_left(self.order, (gone.created_at, gone.id))]\n",
            "        del self.order[bisect_left(self.order, (gone.created_at, '')) ]\n",
        ),
    ),
    *of(
        "stores/inproc/directory.py",
        "directory",
        (
            "a tenant is overwritten",
            "self._data.tenants.setdefault(tenant.id, tenant) is tenant",
            "self._data.tenants.update({tenant.id: tenant}) is None",
        ),
        ("the first tenant is the newest", "oldest = min(", "oldest = max("),
        (
            "everybody is the first tenant",
            "return oldest or self._data.tenants.setdefault(new.id, new)",
            "return self._data.tenants.setdefault(new.id, new)",
        ),
        ("a name may be used twice", "if any(known.name == key.name for known in live):", "if not key.name:"),
        ("a revoked key's name is taken for ever", "if known.revoked_at is None]", "if known]"),
        ("one key too many", "if len(live) >= most:", "if len(live) > most:"),
        ("a revoked key is found", "if key.hash == hash and key.revoked_at is None:", "if key.hash == hash:"),
        (
            "anybody revokes a key",
            "if known is None or known.tenant != tenant or known.revoked_at",
            "if known is None or known.revoked_at",
        ),
        (
            "a key is revoked again",
            " or known.revoked_at is not None:\n                return False",
            ":\n                return False",
        ),
        ("agents of every user", "if user is None or record.user_id == user)", "if record)"),
        ("an agent is replaced", "if agent.id in agents:", "if not agent.id:"),
        ("an agent's key is not noted", "            answers.note(once, agent.id)\n", ""),
        (
            "tenants share their idempotency keys",
            "self._data.added[agent.tenant]",
            "next(iter(self._data.added.values()), self._data.added[agent.tenant])",
        ),
        ("a version is not kept", "            known.versions.append(_version_of(known.record))\n", ""),
        (
            "a missing version is the one below",
            "if found and found[0].version == number else None",
            "if found else None",
        ),
        ("versions from the bound on", "version.version < before]", "version.version <= before]"),
        ("enabling an enabled agent takes the time", "if known.record.status != status:", "if known:"),
        ("a deleted agent leaves its pool", "            data.pools.pop(Pool(tenant, agent), None)\n", ""),
        (
            "a deleted agent leaves its idempotency keys",
            "            data.created.pop(Pool(tenant, agent), None)\n",
            "",
        ),
        ("a deleted agent leaves its blocks", '            data.shelves.pop((tenant, "agent", agent), None)\n', ""),
        (
            "a deleted agent leaves its sessions",
            "                del data.transcripts[key]\n",
            "                pass\n",
        ),
        ("a deleted agent leaves its claims", "                del data.claims[key]\n", "                pass\n"),
        ("a deleted agent leaves its held writes", "                del data.held[place]\n", ""),
        (
            "a deleted agent takes those of other tenants with it",
            "if (key.tenant, key.agent) == (tenant, agent)]:\n                del data.transcripts",
            "if key.agent == agent]:\n                del data.transcripts",
        ),
    ),
    *of(
        "stores/inproc/sessions.py",
        "sessions",
        (
            "a session's user is that of its newest turn",
            "self._data.transcripts.setdefault(session.key, Transcript(session)).session",
            "(self._data.transcripts.update({session.key: Transcript(session)}), session)[1]",
        ),
        ("sessions of every user", "and (user is None or session.user == user)", "and (True)"),
        (
            "sessions of every agent",
            "if (session.key.tenant, session.key.agent) == (tenant, agent)",
            "if session.key.tenant == tenant",
        ),
        (
            "sessions of every tenant",
            "if (session.key.tenant, session.key.agent) == (tenant, agent)",
            "if session.key.agent == agent",
        ),
        ("messages from the bound on", "known.messages[after:][:limit]", "known.messages[max(0, after - 1) :][:limit]"),
        ("messages without a limit", "known.messages[after:][:limit]", "known.messages[after:]"),
        (
            "messages are appended whatever came between",
            "if [message.number for message in messages] != list(range(length + 1, length + 1 + len(messages))):",
            "if length < 0:",
        ),
        (
            "only the first number is looked at",
            "if [message.number for message in messages] != list(range(length + 1, length + 1 + len(messages))):",
            "if messages[0].number != length + 1:",
        ),
        (
            "appending nothing takes the time",
            "            if not messages:\n                return known.session\n",
            "",
        ),
        ("a claim holds nobody off", "if known and known.keeps_out(holder, at):", "if known and known.holder < '':"),
        ("anybody gives a claim back", "if known and known.holder == holder:", "if known:"),
        ("a deleted session leaves its claim", "            self._data.claims.pop(key, None)\n", ""),
    ),
    *of(
        "stores/inproc/data.py",
        "sessions",
        (
            "a claim holds its own holder off",
            "return holder != self.holder and at < self.until",
            "return at < self.until",
        ),
        (
            "a claim holds at its end",
            "return holder != self.holder and at < self.until",
            "return holder != self.holder and at <= self.until",
        ),
        ("a claim never ends", "return holder != self.holder and at < self.until", "return holder != self.holder"),
    ),
    *of(
        "stores/inproc/review.py",
        "review",
        ("any number of writes is held", "if agents.count((write.tenant, write.agent)) >= most:", "if most < 0:"),
        (
            "writes of all agents count together",
            "if agents.count((write.tenant, write.agent)) >= most:",
            "if len(agents) >= most:",
        ),
        ("held writes of every tenant", "if write.tenant == tenant)", "if write)"),
        (
            "a held write is claimed without its tenant",
            "self._data.held.get((tenant, id)), self",
            "next((held for (_, name), held in self._data.held.items() if name == id), None), self",
        ),
        ("two decide at once", "if write is None or (known and known.keeps_out(holder, at)):", "if write is None:"),
        ("anybody gives the right back", "if known and known.holder == holder:", "if known:"),
        (
            "a held write is taken twice",
            "return self._data.held.pop((tenant, id), None)",
            "return self._data.held.get((tenant, id))",
        ),
        ("a page ignores its bound", "                after=after,\n", ""),
    ),
]
"""Its own."""
