"""Faults in the Redis store: those of its keys and scripts, and of its driver."""

from dataclasses import replace
from typing import Final

from faults.fault import Fault, of
from faults.table.keys_and_scripts import KEYS_AND_SCRIPTS

_ROOM: Final = "stores/redis"
_CONNECTIONS: Final = "redis_connections"

_EVERYWHERE: Final = [
    replace(fault, everywhere=True)
    for fault in of(
        f"{_ROOM}/driver.py",
        _CONNECTIONS,
        ("a silent server is waited for", "socket_timeout=address.timeout,", "socket_timeout=None,"),
        ("the password is forgotten", "password=address.password,", "password=None,"),
    )
]

REDIS: Final[list[Fault]] = [
    *KEYS_AND_SCRIPTS,
    *_EVERYWHERE,
    *of(
        f"{_ROOM}/remove.lua",
        _CONNECTIONS,
        (
            "a full server lets nobody delete",
            "redis.call('DEL', KEYS[1])\nredis.call('HSET', KEYS[1], 'gone', ARGV[3])",
            "redis.call('HSET', KEYS[1], 'gone', ARGV[3])\nredis.call('HDEL', KEYS[1], 'text', 'etag', 'at')",
        ),
    ),
    *of(
        f"{_ROOM}/driver.py",
        _CONNECTIONS,
        ("a write is sent twice", "if not (again and code", "if not (code"),
        ("the driver sends a write twice", "return Retry(NoBackoff(), 0)", "return Retry(NoBackoff(), 3)"),
        ("a read fails with its connection", "_READ_ATTEMPTS: Final = 3", "_READ_ATTEMPTS: Final = 1"),
        ("a connection is never given back", "            client.lines.release()\n", "            pass\n"),
        ("connections have no number", "asyncio.Semaphore(connections)", "asyncio.Semaphore(10_000)"),
        ("all databases are the first", "db=address.database,", "db=0,"),
        ("the server's words are lost", "first if first.isupper() and first.isalpha() else", '"ERR" if first else'),
    ),
    *of(
        f"{_ROOM}/address.py",
        _CONNECTIONS,
        ("a secret is told", "from None  # its message", "from error  # its message"),
        ("options that nobody knows are taken", "if options or address.database < 0", "if address.database < 0"),
        ("a password is taken as it is spelled", "password=unquote(parts.password)", "password=str(parts.password)"),
    ),
    *of(
        f"{_ROOM}/problems.py",
        _CONNECTIONS,
        ("a full server is an unknown trouble", '"OOM": StoreFull', '"OOM": StoreFailed'),
        ("a replica is an unknown trouble", '"READONLY": StoreReadOnly', '"READONLY": StoreFailed'),
        ("a server that starts is an unknown trouble", '"LOADING": StoreUnavailable', '"LOADING": StoreFailed'),
        ("a refusal has no cause", "    ours.__cause__ = refusal.cause\n", ""),
    ),
    *of(
        f"{_ROOM}/health.py",
        _CONNECTIONS,
        ("a server of any age is taken", "if numbers < OLDEST:", "if not numbers:"),
        ("nobody is warned", "    if health.risks:\n", "    if not health:\n"),
        ("no server evicts", 'if policy == "noeviction":', "if policy:"),
        ("every server saves", 'if told.get("aof_enabled") == "1":', "if told:"),
        ("snapshots are enough", 'since the last one", risk=True', 'since the last one", risk=False'),
        (
            "what may not be asked is well",
            'whether the server saves anything: it may not be asked", risk=True',
            'whether the server saves anything: it may not be asked", risk=False',
        ),
    ),
    *of(
        f"{_ROOM}/health.py",
        "redis_cluster",
        ("a cluster's server is taken alone", '== "1" and not link.apart', '== "1" and link.apart is None'),
    ),
    *of(
        f"{_ROOM}/sweep.py",
        "redis_cluster",
        (
            "only one server's keys are looked at",
            "for shard in await link.shards():",
            "for shard in (await link.shards())[:1]:",
        ),
    ),
    *of(
        f"{_ROOM}/blocks.py",
        "redis_listing",
        ("what a cluster lost is not listed again", "if before is not None and self._link.apart:", 'if before == "":'),
    ),
]
"""Its own, and what it shares with Upstash."""
