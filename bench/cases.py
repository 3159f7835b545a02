"""What is measured: each operation on three levels, and as the statements that it comes to.

`number` is another one at each call. The levels: a store's own method; the
services, as a turn uses them (lists and web searches: as an administrator
does); the same through the SDK and the server, in this process.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

from bench import data
from bench.data import FOUND, FULL, PAGE, READ, TURN, USER, VISIBLE
from bench.raw import Raw
from bench.world import World
from wellkept.model.blocks import Block, Change
from wellkept.model.edits import Add
from wellkept.model.turns import Turn
from wellkept.rules.edit import apply

LEVELS: Final = ("store", "services", "http")

On = Callable[[World, int], Awaitable[object]]


class Case(NamedTuple):
    """One operation. `says` is for people."""

    says: str
    raw: Callable[[Raw, int], object]
    store: On
    services: On
    http: On

    def on(self, level: str) -> On:
        """Give the operation on one of `LEVELS`."""
        return {"store": self.store, "services": self.services, "http": self.http}[level]


_FULL_TURN: Final = Turn(tenant=FULL.tenant, agent=FULL.agent, user=USER)


def _growing_turn(number: int) -> Turn:
    return Turn(tenant=READ.tenant, agent=READ.agent, user=data.growing_user(number))


async def _add(world: World, number: int) -> object:
    def decide(before: Block | None) -> str:
        return apply(Add(data.entry(number)), before.text if before else "", limit=10_000)

    change = Change(actor="user_turn", at=data.instant(number))
    return await world.stores.blocks.edit(data.block_key(data.growing_user(number)), decide, change=change)


async def _create(world: World, number: int) -> object:
    memory = data.memory(number, FULL)
    return await world.stores.memories.create(memory, rules=world.rules, unless_in=VISIBLE)


async def _context(world: World, number: int) -> object:
    return [
        await world.stores.blocks.get_many(data.PLACED),
        await world.stores.memories.rows(READ, partitions=VISIBLE, limit=world.rules.cap),
    ]


CASES: Final[Mapping[str, Case]] = {
    "view": Case(
        "view a block",
        raw=lambda raw, number: raw.view(),
        store=lambda on, number: on.stores.blocks.get(data.PLACED[0]),
        services=lambda on, number: on.services.memory.view_block(TURN, "USER"),
        http=lambda on, number: on.client.turns.view_block(READ.agent, "USER", user_id=USER),
    ),
    "add": Case(
        "add an entry to a block",
        raw=lambda raw, number: raw.add(number),
        store=_add,
        services=lambda on, number: on.services.memory.edit_block(
            _growing_turn(number), "USER", Add(data.entry(number))
        ),
        http=lambda on, number: on.client.turns.edit_block(
            READ.agent, "USER", Add(data.entry(number)), user_id=data.growing_user(number)
        ),
    ),
    "create": Case(
        "create a memory in a full pool",
        raw=lambda raw, number: raw.create(number),
        store=_create,
        services=lambda on, number: on.services.memory.save_memory(_FULL_TURN, data.text_of(number)),
        http=lambda on, number: on.client.turns.save_memory(FULL.agent, data.text_of(number), user_id=USER),
    ),
    "get": Case(
        "get a memory",
        raw=lambda raw, number: raw.get(number),
        store=lambda on, number: on.stores.memories.memory(READ, on.some_id(number), partitions=VISIBLE),
        services=lambda on, number: on.services.memory.get_memory(TURN, on.some_id(number)),
        http=lambda on, number: on.client.turns.get_memory(READ.agent, on.some_id(number), user_id=USER),
    ),
    "list": Case(
        "list 50 memories",
        raw=lambda raw, number: raw.list(),
        store=lambda on, number: on.stores.memories.rows(READ, partitions=None, limit=PAGE + 1),
        services=lambda on, number: on.services.memories.list(READ, limit=PAGE),
        http=lambda on, number: on.client.memories.list(READ.agent, limit=PAGE),
    ),
    "web": Case(
        "search in mode web",
        raw=lambda raw, number: raw.web(),
        store=lambda on, number: on.stores.memories.rows(READ, partitions=None, limit=PAGE + 1, web=data.WEB_QUERY),
        services=lambda on, number: on.services.memories.list(READ, search=data.WEB_QUERY, limit=PAGE),
        http=lambda on, number: on.client.memories.list(READ.agent, search=data.WEB_QUERY, limit=PAGE),
    ),
    "ranked": Case(
        "search in mode ranked",
        raw=lambda raw, number: raw.ranked(),
        store=lambda on, number: on.stores.memories.ranked(READ, data.RANKED_QUERY, partitions=VISIBLE, limit=FOUND),
        services=lambda on, number: on.services.memory.search_memories(TURN, data.RANKED_QUERY, limit=FOUND),
        http=lambda on, number: on.client.turns.search_memories(
            READ.agent, data.RANKED_QUERY, limit=FOUND, user_id=USER
        ),
    ),
    "context": Case(
        "render the context of a turn that sees the whole pool",
        raw=lambda raw, number: raw.context(),
        store=_context,
        services=lambda on, number: on.services.memory.context(TURN),
        http=lambda on, number: on.client.context.render(READ.agent, user_id=USER),
    ),
}
