"""One handler for each endpoint of the table, by the endpoint's name, in a file for each subject."""

from typing import Final

from wellkept.server.call import Handler
from wellkept.server.handlers import (
    admin,
    agents,
    audit,
    blocks,
    chat,
    memories,
    passages,
    running,
    sessions,
    system,
    turn_memory,
)

HANDLERS: Final[dict[str, Handler]] = {
    name: handler
    for part in (agents, memories, blocks, passages, turn_memory, running, sessions, chat, admin, audit, system)
    for name, handler in part.HANDLERS.items()
}
"""Every handler."""
