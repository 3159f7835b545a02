"""The table of endpoints. The server's routes, the SDK's calls and the OpenAPI document come from it."""

from typing import Final, cast

from wellkept.wire.endpoint import Endpoint
from wellkept.wire.endpoints import admin, agents, audit, blocks, chat, memories, passages, running, system, turn_memory

ENDPOINTS: Final[tuple[Endpoint[object], ...]] = tuple(
    cast("Endpoint[object]", value)
    for part in (agents, memories, blocks, passages, turn_memory, running, chat, admin, audit, system)
    for value in vars(part).values()
    if isinstance(value, Endpoint)
)
"""Every endpoint, subject by subject, in the order of their files."""
