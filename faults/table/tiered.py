"""Faults in the tiered store."""

from typing import Final

from faults.fault import Fault, of

_ROOM: Final = "wrappers/tiered"

_ENVELOPES: Final = of(
    f"{_ROOM}/envelope.py",
    "tiered",
    ("a copy from the future is fresh", "return abs(now - then) < span", "return now - then < span", "whichever"),
    ("a copy is shown at its end", "return abs(now - then) < span", "return abs(now - then) <= span", "old_copy"),
    ("the spelling changes", '_VERSION: Final = f"{_HEAD}1\\n"', '_VERSION: Final = f"{_HEAD}1 \\n"', "frozen"),
    (
        "a text that was changed is shown",
        "if not whole or found.etag != (None if found.text is None else etag_of(found.text)):",
        "if not whole:",
        "damaged",
    ),
    ("half a copy is shown", "if not whole or found.etag", "if found.etag", "damaged"),
    (
        "somebody else's block is overwritten",
        "    if not text.startswith(_HEAD):\n        return Foreign()\n",
        "    if not text.startswith(_HEAD):\n        return Damaged()\n",
        "somebody",
    ),
    (
        "a fence is written over somebody else's block",
        "    if stored is not None and isinstance(found, Foreign):\n        return stored.text\n",
        "",
        "somebody",
    ),
    ("a fence keeps one writer", "writers={**left, **add}", "writers=dict(add or left)", "purge or fence"),
    (
        "a writer that was killed stays in the fence for ever",
        "found.alive(now) if isinstance(found, Fence)",
        "dict(found.writers) if isinstance(found, Fence)",
        "killed",
    ),
    (
        "a writer that was killed closes a block for ever",
        "self.writers.items() if near(since, now, FENCE_LIFE)}",
        "self.writers.items()}",
        "killed or after_the_fence",
    ),
    ("who leaves takes all writers along", "if writer != leave}", "if not leave}", "purge or fence"),
)

_ORDERS: Final = of(
    f"{_ROOM}/envelope.py",
    "interleavings",
    ("a writer's copy is put whatever came", "if alone and stored is not None and stored.text == fence:", "if alone:"),
    ("a writer who is not alone puts a copy", "if alone and stored", "if stored"),
)

_CACHED: Final = [
    *of(
        f"{_ROOM}/cached.py",
        "tiered",
        ("a copy is shown for ever", "if envelope.near(copy.as_of, now, self._ttl):", "if copy:", "its_time"),
        ("a copy is as old as its answer", "as_of=fence.since)", "as_of=self.now())", "question"),
        ("all marks are one", "return secrets.token_hex(12)", 'return "mark"', "same_mark"),
        (
            "what is foreign is not counted",
            'case Foreign():\n                self._counts.add("unreadable")',
            "case Foreign():\n                pass",
            "somebody",
        ),
        ("hits are not counted", '        self._counts.add("hits", len(copies))\n', "", "read_once"),
        ("misses are not counted", '        self._counts.add("misses", len(keys) - len(copies))\n', "", "read_once"),
        (
            "what lies in the cache by now is overwritten",
            "expect=expect[key],",
            "expect=(b.etag if (b := await self.store.get(key)) else None),",
        ),
        (
            "an old copy that could not be taken away is forgotten",
            "if fence.text is None or not",
            "if not",
            "could_not_fence",
        ),
        (
            "a writer after its time trusts its fence",
            "if fence.text is None or not envelope.near(fence.since, self.now(), envelope.FENCE_LIFE):",
            "if fence.text is None:",
            "after_its_time",
        ),
        (
            "a block is read that is owed",
            "        await self._pay(self._debts.of(keys), patience)  #",
            "        #",
            "owed",
        ),
        ("nothing is paid on the way", "if not patience.lost:", "if patience.lost:", "owed"),
        (
            "a fence that comes late is no use",
            "change=self._change()), late=True)\n        if edited is Missed.MISSED:\n            self._counts",
            "change=self._change()))\n        if edited is Missed.MISSED:\n            self._counts",
            "late",
        ),
        ("unfenced writes are not counted", '            self._counts.add("unfenced")\n', "", "could_not_fence"),
        (
            "a purge takes the fence of a write that goes on",
            "if isinstance(found, Fence) and found.alive(change.at).keys() - {writer}:",
            "if found is None:",
            "fence_of",
        ),
        (
            "a purge leaves the history",
            "if not left and Capability.HISTORY",
            "if left and Capability.HISTORY",
            "leaves_nothing",
        ),
        (
            "a purge takes somebody else's block",
            "            if isinstance(found, Foreign):\n                return False\n",
            "",
            "somebody",
        ),
        (
            "a copy that could not be put is trusted",
            "        if edited is Missed.MISSED:\n            self.give_up(key, fence)\n",
            "",
            "after_its_time",
        ),
        ("nothing is put into the cache", "        if copies:\n", "        if not copies:\n", "read_once"),
    ),
    *of(
        f"{_ROOM}/cached.py",
        "interleavings",
        (
            "a write closes no block",
            "partial(envelope.fenced, writer=writer, mark=_mark(), now=since)",
            "partial(envelope.opened, writer=None, mark=_mark(), now=since)",
        ),
        (
            "a copy is put into the place of a fence",
            "if fence.alive(now):\n                pass",
            "if not fence:\n                pass",
        ),
        (
            "a purge takes what came since",
            "delete(seen.key, expect=seen.etag, change=change)",
            "delete(seen.key, change=change)",
        ),
    ),
]

_PATIENCE: Final = of(
    f"{_ROOM}/patience.py",
    "tiered",
    ("each step has a timeout of its own", "        self._left -= loop.time() - began\n", "", "share_one"),
    ("a slow cache is waited for", "timeout=self._left)", "timeout=None)", "not_let_go"),
    (
        "a cache that breaks fails a call",
        "isinstance(task.exception(), Exception)",
        "isinstance(task.exception(), OSError)",
        "fails_no_call",
    ),
    ("errors are not counted", '            self._counts.add("errors")\n', "", "fails_no_call"),
    ("timeouts are not counted", '            self._counts.add("timeouts")\n', "", "fails_no_call"),
    (
        "a cache in trouble is asked again",
        '            self._counts.add("timeouts")\n            self._left = 0\n',
        '            self._counts.add("timeouts")\n            self._left = 0.05\n',
        "too_slow",
    ),
    ("steps that nobody wants go on", "            if not late:\n                task.cancel()\n", "", "too_slow"),
    ("any number of late steps go on", "if len(self._tasks) > _MOST_LATE:", "if len(self._tasks) < 0:", "come_late"),
    ("steps go on after closing", "        for task in mine:\n            task.cancel()\n", "", "come_late"),
    (
        "a cancelled call leaves its step running",
        "            self._late.leave(task)\n            task.cancel()\n            raise",
        "            raise",
        "no_step_behind",
    ),
)

_DEBTS: Final = of(
    f"{_ROOM}/debts.py",
    "tiered",
    ("an earlier debt pays for a later one", "[0] == debt.number:", "[0] >= debt.number:", "earlier_write"),
    ("a debt never ends", " if near(of[1], now, self._span)}", "}", "ends_by_itself"),
    (
        "what is owed of an owner is read",
        "asked |= {key: None, owner_of(key): None}",
        "asked |= {key: None}",
        "of_an_owner",
    ),
    ("no debt is paid", "list(self._numbers.items())[:most]", "list(self._numbers.items())[:0]", "paid"),
)

_STORE: Final = [
    *of(
        f"{_ROOM}/store.py",
        "tiered",
        (
            "what was read is as old as the answer",
            "as_of=as_of, patience",
            "as_of=self._cached.now(), patience",
            "question",
        ),
        (
            "a refused write leaves the block closed",
            "            await self._cached.leave(key, fence, patience)\n            raise\n",
            "            raise\n",
            "refused",
        ),
        (
            "a write of which nobody knows opens the block",
            "            self._cached.give_up(key, fence)\n            raise\n",
            "            await self._cached.leave(key, fence, patience)\n            raise\n",
            "cancelled",
        ),
        (
            "a purge whose answer was lost is forgotten",
            "            self._cached.owe(of)\n            raise\n",
            "            raise\n",
            "purge",
        ),
        (
            "a purge that lost the cache is forgotten",
            "        if not await self._cached.sweep(of, fences, patience):\n            self._cached.owe(of)\n",
            "        await self._cached.sweep(of, fences, patience)\n",
            "purge",
        ),
        (
            "a write that changes nothing puts its own time into the cache",
            "change=change), lambda edited: edited.block\n        )",
            "change=change), lambda edited: block\n        )",
            "time_in_the_cache",
        ),
        (
            "it is able to what a cache is not",
            "return durable.capabilities & ({",
            "return durable.capabilities | ({",
            "its_stores",
        ),
        (
            "a cache that does not answer is well",
            "if told is Missed.MISSED else []",
            "if told is None else []",
            "finding",
        ),
        ("the cache stays open", "            closing.push_async_callback(self._cached.store.close)\n", "", "closing"),
        (
            "the durable store stays open",
            "            closing.push_async_callback(self._durable.close)\n",
            "",
            "closing",
        ),
        ("one store is cache and durable", "if cache is durable:", "if cache is None:", "wrongly"),
        ("no time at all is a time", "and 0 < seconds <= _LONGEST", "and seconds <= _LONGEST", "wrongly"),
        ("what is no store is taken", 'a_store(store, wrapper="Tiered", argument=name)', "pass", "wrongly"),
        (
            "the cache is written alone",
            "lambda: self._durable.put(block, expect=expect, change=change)",
            "lambda: self._cached.store.put(block, expect=expect, change=change)",
            "forms",
        ),
    ),
    *of(
        f"{_ROOM}/store.py",
        "blocks",
        (
            "put drops what it expects",
            "put(block, expect=expect,",
            "put(block, expect=ANY,",
            "inproc and files and expected",
        ),
        (
            "edit drops what it expects",
            "edit(key, decide, change=change, expect=expect)",
            "edit(key, decide, change=change)",
            "inproc and files and expected",
        ),
        (
            "delete drops what it expects",
            "delete(key, expect=expect, change=change), lambda",
            "delete(key, change=change), lambda",
            "inproc and files and expected",
        ),
        (
            "every page of revisions is the first",
            "before=before, limit=limit",
            "limit=limit",
            "inproc and sqlite and pages",
        ),
    ),
    *of(
        f"{_ROOM}/opening.py",
        "addresses",
        ("the stores are closed at once", "        opened.pop_all()\n", ""),
        ("what was opened stays open", "        opened.push_async_callback(durable.close)\n", ""),
        ("the URL's times are dropped", "Tiered(cache, durable, ttl=ttl, timeout=timeout)", "Tiered(cache, durable)"),
        ("cache and durable are exchanged", "Tiered(cache, durable,", "Tiered(durable, cache,"),
        ("what is no number breaks out", "except ValueError as error:", "except ZeroDivisionError as error:"),
        ("a URL without a cache breaks out", "        if name not in given:\n", '        if name == "":\n'),
    ),
    *of(
        f"{_ROOM}/stats.py",
        "tiered",
        ("counts are of the last time", "self._counts.get(what, 0) + number", "number", "read_once or damaged"),
    ),
]

TIERED: Final[list[Fault]] = [*_ENVELOPES, *_ORDERS, *_CACHED, *_PATIENCE, *_DEBTS, *_STORE]
"""Its own."""
