"""From a command's options to what it works on."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from wellkept.cli.backend import Backend, BlockBackend
from wellkept.cli.local import Local, LocalBlocks
from wellkept.cli.options import Options
from wellkept.compose.assemble import Services, assemble
from wellkept.compose.defaults import ASSISTANT_CONFIG
from wellkept.compose.embedder import open_embedder
from wellkept.compose.first_start import own_tenant
from wellkept.compose.server_settings import Settings, load
from wellkept.compose.settings import api_key
from wellkept.compose.stores import open_store, open_stores
from wellkept.contract.block_store import BlockStore
from wellkept.contract.clock import SystemClock
from wellkept.contract.directory import Directory
from wellkept.model.audit import Actor
from wellkept.model.errors import InvalidInput, InvalidSetting
from wellkept.model.ids import DEFAULT_TENANT, TenantId, tenant_id
from wellkept.services.acting import acting_as
from wellkept.services.blocks import Blocks


@asynccontextmanager
async def open_backend(options: Options, *, model: str | None = None) -> AsyncGenerator[Backend, None]:
    """Open the server or the store that `options` name, or the store that the settings name.

    `model` is what agents use that name none, on a store; a server has its own.

    Raises:
        InvalidInput: The options contradict each other.
        WellkeptError: It cannot be opened.
    """
    if options.server is not None:
        from wellkept.cli.remote import Remote  # the HTTP client takes its time to import
        from wellkept.compose.clients import AsyncClient

        _no_store_beside_a_server(options, model=model)
        async with AsyncClient(api_key=_key(options), base_url=options.server) as client:
            yield Remote(client)
        return
    settings = load(store=options.store, blocks=options.blocks, passages=options.passages, model=model)
    services, tenant = await _services(settings, options)
    local = Local(services, tenant, model=settings.model)
    try:
        with acting_as(Actor(role="cli")):
            yield local
    finally:
        try:
            await local.close()
        finally:
            await services.close()


@asynccontextmanager
async def open_blocks(options: Options) -> AsyncGenerator[BlockBackend, None]:
    """Open what keeps blocks: as `open_backend`, but a store that keeps nothing else will do.

    Such a store has no tenants of its own: it is the library's, unless `--tenant` says another.

    Raises:
        InvalidInput: The options contradict each other.
        WellkeptError: It cannot be opened.
    """
    if options.server is None:
        store = await open_store(load(store=options.store, blocks=options.blocks).store)
        try:
            if isinstance(store, BlockStore) and not isinstance(store, Directory):
                blocks = Blocks(store, clock=SystemClock())
                yield LocalBlocks(blocks, _named_tenant(options) or DEFAULT_TENANT)
                return
        finally:
            await store.close()
    async with open_backend(options) as backend:
        yield backend


async def _services(settings: Settings, options: Options) -> tuple[Services, TenantId]:
    named = _named_tenant(options)
    embedder = open_embedder(settings.embedder)
    stores = await open_stores(settings.store, blocks_url=settings.blocks, passages_url=settings.passages)
    try:
        tenant = named or await own_tenant(assemble(stores))
    except BaseException:
        await stores.close()
        raise
    # The library's agents are declared in programs: whatever they are called, they are there.
    fallback = ASSISTANT_CONFIG if tenant == DEFAULT_TENANT else None
    return assemble(stores, fallback=fallback, embedder=embedder), tenant


def _named_tenant(options: Options) -> TenantId | None:
    return None if options.tenant is None else tenant_id(options.tenant, param="--tenant")


def _key(options: Options) -> str:
    key = api_key() if options.api_key is None else options.api_key
    if key is None:
        raise InvalidSetting(
            setting="WELLKEPT_API_KEY",
            problem="is not set",
            do="set it, or pass --api-key; `wellkept keys create NAME` makes a key",
        )
    return key


def _no_store_beside_a_server(options: Options, *, model: str | None) -> None:
    given = {
        "--store": options.store,
        "--blocks": options.blocks,
        "--passages": options.passages,
        "--tenant": options.tenant,
        "--model": model,
    }
    for name, value in given.items():
        if value is not None:
            raise InvalidInput(param=name, problem="cannot go with --server, which knows that itself")
