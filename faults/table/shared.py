"""Faults in rules that several stores keep to, each with the stores that it reaches."""

from typing import Final

from faults.fault import Fault, of

_BLOCKS: Final = ("inproc", "files", "sqlite", "postgresql")
_MEMORIES: Final = ("inproc", "sqlite")
_RESERVES: Final = (*_MEMORIES, "postgresql")
_NUMBERS: Final = ("sqlite", "postgresql")

_COMPARING: Final = of(
    "contract/block_store.py",
    "blocks",
    (
        "a write does not look at the etag",
        "if not isinstance(expect, AnyEtag) and expect != etag:",
        'if expect == "":',
        "expected",
    ),
    (
        "a write that expects no block overwrites one",
        "if not isinstance(expect, AnyEtag) and expect != etag:",
        "if isinstance(expect, str) and expect != etag:",
        "expected",
    ),
    (
        "a write that expects a block makes one",
        "if not isinstance(expect, AnyEtag) and expect != etag:",
        "if not isinstance(expect, AnyEtag) and expect != etag and stored:",
        "expected or not_there",
    ),
    (
        "a conflict does not tell the etag",
        "raise Conflict(key=key.key, etag=etag)",
        "raise Conflict(key=key.key)",
        "expected",
    ),
    (
        "writing what is stored already conflicts",
        "    if (stored.text if stored else None) == text:\n        return False\n",
        "    if expect == (stored.etag if stored else None) and (stored.text if stored else None) == text:\n"
        "        return False\n",
        "equal",
    ),
    (
        "writing what is stored already is a change",
        "    if (stored.text if stored else None) == text:\n        return False\n",
        "    if (stored.text if stored else None) == text:\n        return stored is not None\n",
        "equal",
    ),
    (
        "the empty text is no text",
        "if (stored.text if stored else None) == text:",
        'if (stored.text if stored else "") == (text or ""):',
        "empty",
    ),
)

_EVICTING: Final = of(
    "rules/evict.py",
    "memories",
    ("the cap is one more", "count + 1 - rules.cap", "count - rules.cap", "reserve or least_recently"),
    ("the cap is one less", "count + 1 - rules.cap", "count + 2 - rules.cap", "reserve or least_recently"),
    ("a reserve does not count the new row", "counts[joining] += 1", "counts[joining] += 0", "reserve"),
    ("a reserve holds nobody back", "counts[user] > rules.per_user_reserve", "counts[user] > 0", "reserve"),
    (
        "a reserve of exactly its size is over it",
        "counts[user] > rules.per_user_reserve",
        "counts[user] >= rules.per_user_reserve",
        "exactly_its",
    ),
    (
        "what left still counts in its reserve",
        "counts[victim.user_id] -= 1",
        "counts[victim.user_id] -= 0",
        "no_longer_counts",
    ),
    (
        "with reserves, evict the newest",
        "for row in sorted(rows):",
        "for row in sorted(rows, reverse=True):",
        "reserve",
    ),
    (
        "with reserves, partitions go by turns of their names",
        "key=lambda queue: queue[0]).popleft()",
        "key=lambda queue: queue[0].user_id).popleft()",
        "reserve",
    ),
)

_SEARCHING: Final = [
    *of(
        "rules/lexical/query.py",
        "memories",
        ("an exclusion excludes nothing", "return found != self.negated", "return found or self.negated", "mode_web"),
        ("words of a phrase may stand apart", "if at - 1 in ends)", "if any(end < at for end in ends))", "mode_web"),
        (
            "all alternatives must hold",
            "return any(all(operand",
            "return bool(self.alternatives) and all(all(operand",
            "mode_web",
        ),
        (
            "any word is enough",
            "return any(all(operand.matches(vector)",
            "return any(any(operand.matches(vector)",
            "mode_web",
        ),
    ),
]

_TIMES: Final = of(
    "rules/instants.py",
    "memories",
    (
        "a cursor forgets the id",
        "return (to_number(after.at), after.id) if after",
        'return (to_number(after.at), "") if after',
        "cursor",
    ),
    (
        "a cursor stands one before",
        "return (to_number(after.at), after.id) if after",
        'return (to_number(after.at) + 1, "") if after',
        "cursor",
    ),
    (
        "instants are kept to the millisecond",
        "return (at - _EPOCH) // _MICROSECOND",
        "return (at - _EPOCH) // _MICROSECOND // 1000 * 1000",
        "row_comes_back",
    ),
)

SHARED: Final[list[tuple[tuple[str, ...], Fault]]] = [
    *((_BLOCKS, fault) for fault in _COMPARING),
    *((_RESERVES, fault) for fault in _EVICTING),
    *((_MEMORIES, fault) for fault in _SEARCHING),
    *((_NUMBERS, fault) for fault in _TIMES),
]
"""Each fault with the stores that it reaches."""
