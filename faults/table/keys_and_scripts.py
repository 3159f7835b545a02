"""Faults in what the Redis store and the Upstash store have in common: keys, values, scripts, the listing."""

from typing import Final

from faults.fault import Fault, everywhere, of

_ROOM: Final = "stores/redis"
_WITHDRAWN: Final = (
    "                for entry in entries:\n                    await self._listing.withdraw(owner, entry)\n"
)

_SCRIPTS: Final = [
    *of(
        f"{_ROOM}/put.lua",
        "blocks",
        ("a write does not look at the etag", "if ARGV[1] ~= '*' and ", "if false and ", "expected"),
        (
            "a write that expects no block overwrites one",
            "if ARGV[1] ~= '*' and ",
            "if ARGV[1] ~= '*' and ARGV[1] ~= '-' and ",
            "expected",
        ),
        ("a conflict does not tell the etag", "{'conflict', etag or '-'}", "{'conflict', '-'}", "expected"),
        ("writing what is stored already is a change", "if etag == ARGV[2] then", "if false then", "equal"),
        (
            "writing what is stored already conflicts",
            "if etag == ARGV[2] then",
            "if etag == ARGV[2] and (ARGV[1] == '*' or ARGV[1] == etag) then",
            "equal",
        ),
        (
            "a block has the time of the server",
            "'at', ARGV[4]",
            "'at', redis.call('TIME')[1] .. '000000'",
            "comes_back",
        ),
        ("a write does not say what it replaced", "{'stored', etag or '-'}", "{'stored', '-'}", "named or names"),
    ),
    *of(
        f"{_ROOM}/put.lua",
        "redis_listing",
        (
            "a block is made that nobody announced",
            "if not etag then\n    local",
            "if false then\n    local",
            "three_in_many",
        ),
        ("a writer may come late", " or now > tonumber(ARGV[6])", "", "long_after"),
        ("a writer may come after a mark", "if ARGV[5] ~= (gone or '-') or ", "if ", "three_in_many"),
        ("a block ends with its mark", "    redis.call('PERSIST', KEYS[1])\n", "", "no_end"),
        ("a block keeps a mark", "    redis.call('HDEL', KEYS[1], 'gone')\n", "", "no_end"),
    ),
    *of(
        f"{_ROOM}/put.lua",
        "redis_values",
        (
            "what is no block is overwritten",
            "if not etag and not gone and kind == 'hash' then",
            "if false then",
            "somebody_else",
        ),
    ),
    *of(
        f"{_ROOM}/remove.lua",
        "blocks",
        ("a deletion does not look at the etag", "if ARGV[2] ~= '*' and ", "if false and ", "delete_of"),
        ("a deletion's conflict does not tell the etag", "{'conflict', etag}", "{'conflict', '-'}", "delete_of"),
        ("a deletion removes nothing", "redis.call('DEL', KEYS[1])\n", "", "delete_says"),
    ),
    *of(
        f"{_ROOM}/remove.lua",
        "redis_listing",
        (
            "a deletion leaves no mark",
            "redis.call('HSET', KEYS[1], 'gone', ARGV[3])\nredis.call('PEXPIRE', KEYS[1], 120000)\n",
            "",
            "no_end",
        ),
        ("a mark stays for ever", "redis.call('PEXPIRE', KEYS[1], 120000)\n", "", "no_end"),
        ("a mark ends before the deadlines", "120000", "30000", "a_mark_lasts"),
        ("marking removes a block", "ARGV[1] == 'mark' and there", "ARGV[1] == 'mark' and false", "lists_again"),
    ),
    *of(
        f"{_ROOM}/remove.lua",
        "redis_values",
        ("what is no block is not there", "etag or (kind ~= 'none' and not gone)", "etag", "no_hash"),
    ),
    *of(
        f"{_ROOM}/withdraw.lua",
        "redis_listing",
        (
            "a name may be withdrawn late",
            "if tonumber(redis.call('TIME')[1]) > tonumber(ARGV[3]) then",
            "if false then",
            "long_after",
        ),
        ("a name is withdrawn that was announced again", "~= ARGV[2] then", "== '' then", "long_after"),
    ),
    *of(
        f"{_ROOM}/entries.lua",
        "redis_listing",
        ("a name may be withdrawn for an hour", "+ 60", "+ 3600", "a_mark_lasts"),
    ),
    *of(
        f"{_ROOM}/scripts.py",
        "redis_values",
        ("a server that was restarted knows no script", 'reply.code == "NOSCRIPT"', 'reply.code == "NO"', "forgot"),
    ),
]

_KEYS: Final = [
    *of(
        f"{_ROOM}/keys.py",
        "blocks",
        ("an owner is joined as it is", "return quote(owner, safe=_READABLE)", "return owner", "neighbouring"),
        ("owners are folded", "return quote(owner,", "return quote(owner.casefold(),", "neighbouring"),
        ("tenants share their keys", "if tenant == DEFAULT_TENANT else", "if tenant else", "tenant"),
        ("scopes share their keys", "('wm', key.tenant)}:{key.scope}:", "('wm', key.tenant)}:user:", "scope"),
    ),
    *of(
        f"{_ROOM}/keys.py",
        "upgrade/test_redis_spelling",
        ("an owner says in which slot it lies", "!$&'()+,/;=@|", "!$&'()+,/;=@|{}"),
        ("an owner is a pattern", "!$&'()+,/;=@|", "!$&'()+,/;=@|*"),
        ("the spelling of an owner changes", "!$&'()+,/;=@|", "!$&'()+,;=@|"),
        ("the spelling of an index changes", "('wm-index', owner.tenant)", "('wm-idx', owner.tenant)"),
        ("a name is spelled in small letters", ":{key.key}", ":{key.key.lower()}"),
    ),
    *of(
        f"{_ROOM}/keys.py",
        "redis_listing",
        ("a purge takes the neighbours", "{spell(owner.owner)}:*", "{spell(owner.owner)}*", "a_purge_finds"),
    ),
    *of(
        f"{_ROOM}/keys.py",
        "redis_values",
        (
            "what was not spelled so is read",
            "return found if self.block(found) == spelled else None",
            "return found",
            "nobody_spelled",
        ),
    ),
    *of(
        f"{_ROOM}/value.py",
        "redis_values",
        (
            "a text that was changed behind our back is shown",
            "if block.etag.encode() != etag:",
            "if not etag:",
            "damaged",
        ),
        (
            "half a block is none",
            "if text is None and etag is None and at is None:",
            "if text is None or etag is None or at is None:",
            "damaged",
        ),
    ),
]

_STORE: Final = [
    *of(
        f"{_ROOM}/blocks.py",
        "redis_connections",
        ("blocks come as the server has them", "keys = sorted(", "keys = list(", "sorted"),
        (
            "times are kept to the millisecond",
            "to_number(block.updated_at))",
            "to_number(block.updated_at) // 1000 * 1000)",
            "microsecond",
        ),
        ("a write that changes nothing takes the new time", "block=stored or block,", "block=block,", "equal"),
        ("no block is any block", 'return "-" if expect', 'return "*" if expect', "expected"),
        (
            "one list is not of its owner",
            "whose = Owner(tenant, scope, owner)\n        keys",
            'whose = Owner(tenant, "user", owner)\n        keys',
            "sorted",
        ),
        ("a purge counts what was not there", 'sum(word == "removed" for word, _ in removed)', "len(removed)", "purge"),
    ),
    *of(
        f"{_ROOM}/blocks.py",
        "redis_listing",
        (
            "a name without a block stays",
            "                await self._listing.tidy(key)\n            else:",
            "                pass\n            else:",
            "three_in_many",
        ),
        (
            "a purge trusts the index",
            "if isinstance(key, BlockKey):",
            "if key in keys and isinstance(key, BlockKey):",
            "a_purge_finds",
        ),
        (
            "a purge leaves the names",
            "        for entry in entries:\n            await self._listing.withdraw(whose, entry)\n        return",
            "        return",
            "three_in_many",
        ),
        ("a deletion leaves the name", _WITHDRAWN, "", "no_end"),
    ),
    *of(
        f"{_ROOM}/blocks.py",
        "redis_values",
        ("one damaged block fails a list", "except StoreCorrupt:\n", "except ZeroDivisionError:\n", "damaged"),
    ),
    *of(
        f"{_ROOM}/listing.py",
        "redis_listing",
        ("an announcement leaves the old token", 'self._set("HSET", key)', 'self._set("HSETNX", key)', "three_in_many"),
        ("all tokens are one", "return secrets.token_hex(8)", 'return "token"', "three_in_many"),
    ),
    *of(
        f"{_ROOM}/listing.py",
        "redis_listing",
        ("names are listed that no block can have", " if _is_name(name)]", "]", "others_put"),
    ),
    *of(
        f"{_ROOM}/sweep.py",
        "redis_listing",
        ("check lists nothing again", "if await listing.mention(key):", "if key is None:", "check_lists"),
        (
            "check leaves names without blocks",
            "if await _is_gone(link, keys.block(key)):",
            "if not key:",
            "check_takes",
        ),
    ),
    *of(
        f"{_ROOM}/sweep.py",
        "redis_values",
        ("check says nothing of damage", "    if damage is not None:", '    if damage == "":', "damaged"),
        (
            "check says nothing of what is foreign",
            'found = "not made by this store; left alone"',
            "found = None",
            "others",
        ),
        ("a look at all keys ends with the first page", 'if cursor == "0":', "if cursor:"),
    ),
    *of(
        f"{_ROOM}/loops.py",
        "redis_connections",
        (
            "a closed store goes on",
            "            if self._closed:\n",
            "            if self._closed is None:\n",
            "closed_store",
        ),
        (
            "all loops share one client",
            "loop = asyncio.get_running_loop()\n",
            "loop = next(iter(self._made), None) or asyncio.get_running_loop()\n",
            "one_loop_after",
        ),
    ),
]

_TROUBLE: Final = everywhere(
    Fault(
        name="a name that cannot be withdrawn fails a call",
        file=f"{_ROOM}/listing.py",
        find="except StoreFailed:",
        replace="except ZeroDivisionError:",
        suite="redis_listing",
        words="fails_no_call",
    )
)

KEYS_AND_SCRIPTS: Final[list[Fault]] = [*_SCRIPTS, *_KEYS, *_STORE, _TROUBLE]
"""Faults that reach both."""
