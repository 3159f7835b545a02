"""Durable memory for AI agents.

Every public name is here, and importing this loads nothing else: a name's
module is imported when the name is first used.
"""

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wellkept.compose.clients import AsyncClient, Client
    from wellkept.compose.file_store import FileBlockStore
    from wellkept.compose.open import open_memory as open
    from wellkept.compose.recall import InProcessRecall, PostgresRecall, RedisRecall, SqliteRecall
    from wellkept.model.blocks import BlockSpec
    from wellkept.model.errors import WellkeptError
    from wellkept.model.passages import Said
    from wellkept.model.recall import RecallFilter
    from wellkept.runtime.agent import Agent, Memories, Recall, WorkingMemory
    from wellkept.runtime.runtime import Runtime
    from wellkept.wrappers.routed import Routed
    from wellkept.wrappers.tiered import Tiered

_WHERE: Final = {
    "Agent": ("wellkept.runtime.agent", "Agent"),
    "AsyncClient": ("wellkept.compose.clients", "AsyncClient"),
    "BlockSpec": ("wellkept.model.blocks", "BlockSpec"),
    "Client": ("wellkept.compose.clients", "Client"),
    "FileBlockStore": ("wellkept.compose.file_store", "FileBlockStore"),
    "InProcessRecall": ("wellkept.compose.recall", "InProcessRecall"),
    "Memories": ("wellkept.runtime.agent", "Memories"),
    "PostgresRecall": ("wellkept.compose.recall", "PostgresRecall"),
    "Recall": ("wellkept.runtime.agent", "Recall"),
    "RecallFilter": ("wellkept.model.recall", "RecallFilter"),
    "RedisRecall": ("wellkept.compose.recall", "RedisRecall"),
    "Routed": ("wellkept.wrappers.routed", "Routed"),
    "Runtime": ("wellkept.runtime.runtime", "Runtime"),
    "Said": ("wellkept.model.passages", "Said"),
    "SqliteRecall": ("wellkept.compose.recall", "SqliteRecall"),
    "Tiered": ("wellkept.wrappers.tiered", "Tiered"),
    "WellkeptError": ("wellkept.model.errors", "WellkeptError"),
    "WorkingMemory": ("wellkept.runtime.agent", "WorkingMemory"),
    "open": ("wellkept.compose.open", "open_memory"),
}

__all__ = [
    "Agent",
    "AsyncClient",
    "BlockSpec",
    "Client",
    "FileBlockStore",
    "InProcessRecall",
    "Memories",
    "PostgresRecall",
    "Recall",
    "RecallFilter",
    "RedisRecall",
    "Routed",
    "Runtime",
    "Said",
    "SqliteRecall",
    "Tiered",
    "WellkeptError",
    "WorkingMemory",
    "open",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used.

    Raises:
        MissingExtra: A package that it needs is not installed.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _WHERE[name]
    try:
        value: object = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        from wellkept.compose.extras import missing  # here: importing the package loads nothing

        raise missing(error, needed_by=name) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public."""
    return __all__
