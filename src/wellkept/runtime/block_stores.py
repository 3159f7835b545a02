"""Which store keeps an agent's blocks."""

import sys
from typing import Final

from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import NoStore
from wellkept.runtime.agent import Agent

_FILE_STORE: Final = "wellkept.compose.file_store"


def imported_file_store() -> BlockStore | None:
    """Give a new file store if the program asked for it by importing `FileBlockStore`; else None."""
    module = sys.modules.get(_FILE_STORE)
    if module is None:
        return None
    store: BlockStore = module.FileBlockStore()
    return store


def store_of(agent: Agent, default: BlockStore | None) -> BlockStore | None:
    """Give the store of an agent's blocks; None for an agent without blocks.

    Raises:
        NoStore: It has blocks, and there is neither a store of its own nor a default.
    """
    if agent.working_memory is None or not agent.working_memory.auto_load:
        return None
    own = agent.working_memory.store
    if own is not None:
        return own
    if default is None:
        raise NoStore(agent=agent.id)
    return default
