"""Which server it is, and whether it may lose or evict what it keeps."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from wellkept.model.errors import Misconfigured
from wellkept.stores.redis.link import Command, Link, Refusal, Reply
from wellkept.stores.redis.problems import translated

OLDEST: Final = (7, 0)
"""The oldest Redis that a store is tried with. Valkey began after it."""

SCHEMA: Final = "1"
"""Of what lies under the keys."""

_ASK: Final[Sequence[Command]] = (("INFO",), ("CONFIG", "GET", "save"))
_UNKNOWN: Final = "cannot tell"
_LOG: Final = logging.getLogger("wellkept.stores.redis")


class _Finding(msgspec.Struct, frozen=True):
    """What a server says about one thing, and whether data may be lost by it."""

    line: str
    risk: bool


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. `risks`: when what was acknowledged may be lost, one sentence each."""

    facts: Mapping[str, str]
    risks: tuple[str, ...]


async def look(link: Link) -> Health:
    """Ask every server of the data.

    Raises:
        Misconfigured: One is too old, or part of a cluster that the URL does not speak of.
        StoreFailed: One does not answer, or refuses; the class says why.
    """
    shards = await link.shards()
    servers: list[str] = []
    persistence: list[_Finding] = []
    eviction: list[_Finding] = []
    for shard in shards:
        info, saves = await link.send(_ASK, shard=shard, again=True)
        told = _told(info, store=link.name)
        if told.get("cluster_enabled") == "1" and not link.apart:
            raise translated(Refusal("MOVED"), store=link.name)
        servers.append(_server(told, store=link.name))
        persistence.append(_persistence(told, _saves(saves)))
        eviction.append(_eviction(told))
    facts = {
        "schema": SCHEMA,
        "server": _each(servers),
        "persistence": _each([finding.line for finding in persistence]),
        "eviction": _each([finding.line for finding in eviction]),
    }
    if len(shards) > 1:
        facts["shards"] = str(len(shards))
    risks = {finding.line for finding in (*persistence, *eviction) if finding.risk}
    return Health(facts=facts, risks=tuple(sorted(risks)))


def warn(link: Link, health: Health) -> None:
    """Say in the log, once and in one line, when the server may lose or evict data."""
    if health.risks:
        _LOG.warning("What is kept in %s may not last: %s", link.name, "; ".join(health.risks))


def _told(reply: Reply, *, store: str) -> Mapping[str, str]:
    """Read the lines of `INFO`; none where it may not be asked."""
    if isinstance(reply, Refusal):
        if reply.code in ("NOPERM", "ERR"):
            return {}
        raise translated(reply, store=store)
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else ""
    lines = (line.partition(":") for line in text.split("\r\n"))
    return {name: value for name, colon, value in lines if colon}


def _saves(reply: Reply) -> str | None:
    """Read when snapshots are made; None: it may not be asked."""
    if isinstance(reply, list) and len(reply) == 2 and isinstance(reply[1], bytes):
        return reply[1].decode("utf-8", "replace")
    return None


def _server(told: Mapping[str, str], *, store: str) -> str:
    if "valkey_version" in told:
        return f"Valkey {told['valkey_version']}"
    version = told.get("redis_version")
    if version is None:
        return _UNKNOWN
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST:
        raise Misconfigured(
            store=store, problem=f"the server is Redis {version}; Redis 7.0 or later, or Valkey, is needed"
        )
    return f"Redis {version}"


def _persistence(told: Mapping[str, str], saves: str | None) -> _Finding:
    if told.get("aof_enabled") == "1":
        return _Finding("appendonly", risk=False)
    if saves:
        return _Finding("snapshots only: a crash takes what was written since the last one", risk=True)
    if saves is None:
        return _Finding(f"{_UNKNOWN} whether the server saves anything: it may not be asked", risk=True)
    return _Finding("OFF: appendonly is no and nothing is saved; all is lost when the server stops", risk=True)


def _eviction(told: Mapping[str, str]) -> _Finding:
    policy, most = told.get("maxmemory_policy"), told.get("maxmemory")
    if policy is None or most is None:
        return _Finding(f"{_UNKNOWN} whether the server evicts keys: it may not be asked", risk=True)
    if policy == "noeviction":
        return _Finding("never (noeviction)", risk=False)
    if most == "0":
        return _Finding(f"never yet: maxmemory is not set (maxmemory-policy is {policy})", risk=False)
    if policy.startswith("volatile-"):
        return _Finding(f"never what is kept, which has no time to live ({policy})", risk=False)
    return _Finding(
        f"ON: data are thrown away when memory is full; maxmemory-policy is {policy}, not noeviction", risk=True
    )


def _each(lines: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(lines))
