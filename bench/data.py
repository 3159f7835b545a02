"""What the measured stores hold: two agents, one that is read and one whose full pool is written to."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from wellkept.compose.assemble import Services
from wellkept.compose.defaults import ASSISTANT_CONFIG
from wellkept.contract.block_store import ANY
from wellkept.model.blocks import Block, Change
from wellkept.model.directory import Tenant
from wellkept.model.ids import GENERAL, AgentId, MemoryId, TenantId, UserId
from wellkept.model.keys import BlockKey, Scope
from wellkept.model.memories import Memory, MemorySettings, Pool
from wellkept.model.turns import Turn

TENANT: Final = TenantId("ten_bench")
USER: Final = UserId("customer-42")
VISIBLE: Final = (GENERAL, USER)
"""The partitions of a turn of `USER`."""

READ: Final = Pool(TENANT, AgentId("read"))
FULL: Final = Pool(TENANT, AgentId("full"))
TURN: Final = Turn(tenant=TENANT, agent=READ.agent, user=USER)

ENTRIES: Final = 50
"""Entries that are added to a block before the next block's turn comes: about 3,000 characters."""

PAGE: Final = 50
FOUND: Final = 10

WEB_QUERY: Final = "heliotrope"
RANKED_QUERY: Final = "Which accents did the customer want in the monthly reports?"

_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
_VOCABULARY: Final = (
    "account accents added agreed answer asked billing budget called changed cheaper colour contact contract customer "
    "daily deadline delivery discount dislikes email evening export family format generated invoice kitchen language "
    "late lives meeting monthly moved never office ordered paid phone plan prefers project quarter reports returned "
    "sends shipping sister summary support team ticket travels upgrade urgent visit wants weekly works yearly"
)


def text_of(number: int) -> str:
    """Write the memory of this number: eight words, its number the last; one in ten is found by `WEB_QUERY`."""
    words = random.Random(number).sample(_VOCABULARY.split(), 6)
    return " ".join([*words, WEB_QUERY if number % 10 == 0 else "plain", str(number)])


def id_of(number: int) -> MemoryId:
    return MemoryId(f"mem_{number:016d}")


def instant(number: int) -> datetime:
    return _BEGINNING + timedelta(milliseconds=number)


def memory(number: int, pool: Pool) -> Memory:
    """Make the memory of this number; every other one is the user's, the rest are general."""
    at = instant(number)
    return Memory(
        id=id_of(number),
        tenant_id=pool.tenant,
        agent_id=pool.agent,
        user_id=VISIBLE[number % 2],
        text=text_of(number),
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
    )


def block_key(owner: str, *, scope: Scope = "user", key: str = "USER") -> BlockKey:
    return BlockKey(tenant=TENANT, scope=scope, owner=owner, key=key)


PLACED: Final = (block_key(USER), block_key(READ.agent, scope="agent", key="MEMORY"))
"""The blocks of `TURN`."""


def growing_user(number: int) -> UserId:
    """Name the user whose block gets entry `number`: blocks stay short, however fast the machine is."""
    return UserId(f"grows-{number // ENTRIES}")


def entry(number: int) -> str:
    return f"- {text_of(number)}"


async def fill(services: Services, rows: int) -> None:
    """Put everything there that the cases ask for, into empty stores."""
    stores = services.stores
    await stores.directory.put_tenant(Tenant(id=TENANT, name="Bench", created_at=_BEGINNING))
    settings = MemorySettings(pool_cap=rows)
    for pool in (READ, FULL):
        await services.agents.create(TENANT, replace(ASSISTANT_CONFIG, memories=settings), id=pool.agent)
        made = (stores.memories.create(memory(number, pool), rules=settings.pool_rules) for number in range(rows))
        await asyncio.gather(*made)
    text = "\n§\n".join(entry(number) for number in range(ENTRIES // 2))
    for key in PLACED:
        block = Block(key=key, text=text, updated_at=_BEGINNING)
        await stores.blocks.put(block, expect=ANY, change=Change(actor="admin", at=_BEGINNING))
