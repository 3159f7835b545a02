"""What `wellkept doctor` looks at."""

import os
import platform
import shutil
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import msgspec

from wellkept.cli.advice import sentence
from wellkept.cli.options import Options
from wellkept.cli.urls import without_secrets
from wellkept.compose import settings as environment
from wellkept.compose.server_settings import Settings, load, spelled
from wellkept.compose.stores import AnyStore, keeps, open_store
from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import NotSupported, WellkeptError

_PACKAGES: Final = ("msgspec", "pydantic-ai-slim", "starlette", "uvicorn", "httpx2")
_ONE: Final = {
    "agents": "agent",
    "blocks": "block",
    "memories": "memory",
    "sessions": "session",
    "held": "held",
    "passages": "passage",
}
"""What one of each kind that a store holds is called."""
_LITTLE: Final = 100 * 1024**2
"""Free bytes under which a disk is as good as full."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was looked at. `settings` hold no secrets."""

    ok: bool
    checks: tuple[Check, ...]
    settings: Mapping[str, str]


async def diagnose(options: Options) -> Diagnosis:
    """Look at versions, settings, and the server or the store. What is wrong is a finding, never an error."""
    checks = [_versions()]
    told: Mapping[str, str] = {}
    try:
        settings = load(store=options.store, blocks=options.blocks, passages=options.passages)
    except WellkeptError as error:
        checks.append(_bad("settings", error))
    else:
        told = _told(settings)
        if options.server is not None:
            checks += await _look_at_server(options.server, options.api_key)
        else:
            checks += await _look_at_store("store", settings.store)
            if settings.blocks is not None:
                checks += await _look_at_store("blocks", settings.blocks)
            if settings.passages is not None:
                checks += await _look_at_store("passages", settings.passages, keeping=PassageStore)
    return Diagnosis(ok=all(check.ok for check in checks), checks=tuple(checks), settings=told)


def _versions() -> Check:
    known = [f"wellkept {version('wellkept')}", f"Python {platform.python_version()}"]
    for package in _PACKAGES:
        try:
            known.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            known.append(f"{package} is not installed")
    return Check(name="versions", ok=True, detail=", ".join(known))


def _told(settings: Settings) -> dict[str, str]:
    values = settings.model_dump(exclude_none=True)
    told = {f"WELLKEPT_{name.upper()}": spelled(value) for name, value in values.items()}
    for name in ("WELLKEPT_STORE", "WELLKEPT_BLOCKS", "WELLKEPT_PASSAGES"):
        if name in told:
            told[name] = without_secrets(told[name])
    key = "set" if environment.api_key() else "not set"
    return {"WELLKEPT_HOME": str(environment.home()), **told, "WELLKEPT_API_KEY": key}


async def _look_at_store(name: str, url: str, *, keeping: type[AnyStore] = BlockStore) -> list[Check]:
    try:
        store = await open_store(url)
    except WellkeptError as error:
        return [_bad(name, error)]
    try:
        return [
            Check(name=name, ok=True, detail=f"{without_secrets(url)} opens"),
            *await _findings(f"{name} data", keeps(store, keeping, url=url)),
        ]
    except NotSupported as error:
        return [_bad(name, error)]
    finally:
        await store.close()


async def _findings(name: str, store: AnyStore) -> list[Check]:
    checks: list[Check] = []
    try:
        if isinstance(store, BlockStore):
            facts = await store.facts()
            problems = await store.check()
            checks.append(Check(name=name, ok=not problems, detail="; ".join(problems) or "whole"))
            checks += [Check(name=fact, ok=True, detail=value) for fact, value in facts.items() if fact != "path"]
            if "path" in facts:
                checks += _disk(Path(facts["path"]))
        if isinstance(store, Directory):
            for tenant, kept in (await store.holdings()).items():
                counts = ", ".join(_counted(count, kind) for kind, count in msgspec.structs.asdict(kept).items())
                checks.append(Check(name="tenant", ok=True, detail=f"{tenant}: {counts}"))
            await store.ready()
            checks.append(Check(name="writable", ok=True, detail="it takes writes"))
    except WellkeptError as error:
        checks.append(_bad(name, error))
    return checks


def _counted(count: int, kind: str) -> str:
    return f"{count} {_ONE[kind] if count == 1 else kind}"


def _disk(path: Path) -> list[Check]:
    """Look at the disk under a path, or under the nearest folder above it that is there."""
    there = next(place for place in (path, *path.parents) if place.exists())
    free = shutil.disk_usage(there).free
    may = os.access(there, os.W_OK)
    return [
        Check(name="path", ok=may, detail=str(path) if may else f"{path} may not be written by this user"),
        Check(name="disk", ok=free > _LITTLE, detail=f"{free / 1024**2:,.0f} MiB free"),
    ]


async def _look_at_server(url: str, api_key: str | None) -> list[Check]:
    from wellkept.compose.clients import AsyncClient  # the HTTP client takes its time to import

    checks: list[Check] = []
    try:
        async with AsyncClient(api_key=api_key, base_url=url) as client:
            ready = await client.system.ready()
            checks.append(Check(name="server", ok=True, detail=f"{url} is {ready.status}, version {ready.version}"))
            await client.agents.list(limit=1)
            checks.append(Check(name="key", ok=True, detail="the server knows it"))
    except WellkeptError as error:
        checks.append(_bad("server", error))
    return checks


def _bad(name: str, error: WellkeptError) -> Check:
    return Check(name=name, ok=False, detail=sentence(error))
