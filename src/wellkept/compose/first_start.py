"""Whose a store is: the tenant that the server and the command line share on it, its first key, the first agent."""

import msgspec

from wellkept.compose.assemble import Services
from wellkept.compose.defaults import ASSISTANT, ASSISTANT_CONFIG
from wellkept.contract.directory import Directory
from wellkept.model.directory import Tenant
from wellkept.model.errors import AlreadyExists
from wellkept.model.ids import DEFAULT_TENANT, TenantId, tenant_id
from wellkept.services.new_ids import new_id

FIRST_KEY = "first"
"""The name of the key that a server makes when its tenant has none."""


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """What a server finds or makes when it starts. `secret`: of the key that was made just now, shown this once."""

    tenant: TenantId
    secret: str | None


async def known_tenant(directory: Directory) -> TenantId | None:
    """Give the tenant that a store belongs to; None: it is empty.

    That is the one that a server or the command line made; without one, the
    library's, when programs have put something there.
    """
    tenants = await directory.tenants()
    if tenants:
        return tenants[0].id
    return DEFAULT_TENANT if DEFAULT_TENANT in await directory.holdings() else None


async def own_tenant(services: Services) -> TenantId:
    """Give the tenant that a store belongs to, made now if the store is empty: whoever comes first makes it."""
    known = await known_tenant(services.stores.directory)
    return await _first_tenant(services) if known is None else known


async def give_assistant(services: Services, tenant: TenantId) -> None:
    """Make the default agent unless the tenant has it. The library's tenant needs none: programs declare theirs."""
    if tenant == DEFAULT_TENANT or await services.stores.directory.agent(tenant, ASSISTANT) is not None:
        return
    try:
        await services.agents.create(tenant, ASSISTANT_CONFIG, id=ASSISTANT)
    except AlreadyExists:
        return  # by another process, a moment ago


async def start(services: Services) -> Started:
    """Make what a server needs and does not find: its tenant, a key, the default agent.

    Several may start at once on one store: there is one tenant, and one of them has the secret.
    """
    tenant = await _first_tenant(services)
    await give_assistant(services, tenant)
    if await services.keys.list(tenant):
        return Started(tenant=tenant, secret=None)
    try:
        _, secret = await services.keys.create(tenant, FIRST_KEY)
    except AlreadyExists:
        return Started(tenant=tenant, secret=None)
    return Started(tenant=tenant, secret=secret)


async def _first_tenant(services: Services) -> TenantId:
    directory = services.stores.directory
    tenants = await directory.tenants()  # first, so that a store that cannot be written can be read
    if tenants:
        return tenants[0].id
    new = Tenant(id=tenant_id(new_id("ten_")), name="Default", created_at=services.clock.now())
    return (await directory.first_tenant(new)).id
