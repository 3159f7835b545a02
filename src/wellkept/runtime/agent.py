"""What an agent is, declared in code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from wellkept.compose.recall import RecallDoor
from wellkept.contract.block_store import BlockStore
from wellkept.contract.extractor import Extractor
from wellkept.model.agents import MAX_NAME_CHARS, MEMORY_TOOLS, AgentConfig
from wellkept.model.blocks import DEFAULT_CHAR_LIMIT, BlockSpec, MissingUser, WorkingMemorySpec
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, agent_id
from wellkept.model.memories import POOL_CAP, MemorySettings
from wellkept.model.recall import RecallSettings
from wellkept.tools import memory_block, past_conversations

if TYPE_CHECKING:
    from pydantic_ai import Tool
    from pydantic_ai.models import Model

    # Any: a caller's own functions, whatever they take and give; pydantic-ai reads their signatures.
    AgentTool = Callable[..., Any] | Tool[Any]

RESERVED_NAMES: Final = frozenset({memory_block.NAME, past_conversations.NAME, *MEMORY_TOOLS})
"""Names of tools that an agent's own tools may not take, whether this agent has them or not."""


@dataclass(frozen=True)
class WorkingMemory:
    """The blocks that stand in an agent's prompt every turn.

    `store` keeps them; None: the runtime's (see `wellkept.Runtime`).
    `auto_load` declares them. `default_char_limit`, in code points, is the
    limit of a block that declares none. `scan_for_injection` False lets in
    text that reads like an instruction to the model. `on_missing_user`: what
    becomes of user and shared blocks in a turn without a user: "withhold"
    them, let all such turns share the owner "anonymous", or let the "session" own them.

    Raises:
        InvalidInput: Two blocks have the same key, or a value is out of range.
    """

    store: BlockStore | None = None
    auto_load: Sequence[BlockSpec] = (BlockSpec("user", "USER"), BlockSpec("agent", "MEMORY"))
    default_char_limit: int = DEFAULT_CHAR_LIMIT
    scan_for_injection: bool = True
    on_missing_user: MissingUser = "withhold"

    def __post_init__(self) -> None:
        _ = self.spec

    @property
    def spec(self) -> WorkingMemorySpec:
        """Give the part of it that an agent's configuration holds."""
        return WorkingMemorySpec(
            auto_load=tuple(self.auto_load),
            default_char_limit=self.default_char_limit,
            scan_for_injection=self.scan_for_injection,
            on_missing_user=self.on_missing_user,
        )


@dataclass(frozen=True)
class Memories:
    """The rows of durable text that an agent owns.

    `inject` renders visible rows into each prompt, up to `injection_words` and
    `injection_chars`. `tools` gives the model the memory tools: all, none, or
    those that are named. `pool_cap` is how many rows the agent may have, over
    all users; a user at or under `per_user_reserve` rows loses none while
    others are over theirs. `general_write`: what happens when a turn with a
    user changes a row that belongs to no user.

    Raises:
        InvalidInput: A number is out of range, or a tool is not one.
    """

    inject: bool = False
    tools: bool | Sequence[str] = True
    pool_cap: int = POOL_CAP
    per_user_reserve: int = 0
    general_write: Literal["open", "review", "closed"] = "review"
    injection_words: int = 4_000
    injection_chars: int = 40_000

    def __post_init__(self) -> None:
        _ = self.settings

    @property
    def settings(self) -> MemorySettings:
        """Give the part of it that an agent's configuration holds as its settings."""
        return MemorySettings(
            pool_cap=self.pool_cap,
            per_user_reserve=self.per_user_reserve,
            general_write=self.general_write,
            injection_words=self.injection_words,
            injection_chars=self.injection_chars,
        )

    @property
    def tool_choices(self) -> tuple[str, ...]:
        """Name the tools, as an agent's configuration does."""
        if isinstance(self.tools, bool):
            return ("memory",) if self.tools else ()
        return tuple(self.tools)


@dataclass(frozen=True)
class Recall:
    """What an agent remembers of past conversations with a user.

    `ingest` keeps what is said in its turns, in the background, in the words
    in which it was said. `preload` puts into each prompt the `limit` passages
    of other sessions that best fit what the user says, those of at least
    `threshold` (of 1) and up to `tokens` (of four characters) in all. `tool`
    gives the model `search_past_conversations`. `strategy="facts"` lets a
    model (`facts_model`, else the agent's own; or your `extractor`) write
    short facts beside the messages; it can only propose. `store` is a recall
    service of the agent's own, like `wellkept.SqliteRecall("recall.db")`;
    None: the runtime's store.

    A turn without a user keeps and recalls nothing.

    Raises:
        InvalidInput: A number is out of range.
    """

    ingest: bool = True
    preload: bool = True
    tool: bool = True
    limit: int = 10
    tokens: int = 500
    threshold: float = 0.0
    strategy: Literal["messages", "facts"] = "messages"
    facts_model: "str | Model | None" = None
    extractor: Extractor | None = None
    store: RecallDoor | None = None

    def __post_init__(self) -> None:
        _ = self.settings

    @property
    def settings(self) -> RecallSettings:
        """Give the part of it that an agent's configuration holds."""
        return RecallSettings(
            ingest=self.ingest,
            preload=self.preload,
            tool=self.tool,
            limit=self.limit,
            tokens=self.tokens,
            threshold=self.threshold,
            strategy=self.strategy,
            facts_model=self.facts_model if isinstance(self.facts_model, str) else None,
        )


@dataclass(frozen=True)
class Agent:
    """An agent, declared in code: `Agent("support", model="openai:gpt-5.2", working_memory=WorkingMemory())`.

    `model` is a name that pydantic-ai accepts, one of its `Model`s, or
    `"offline"`; None takes the runtime's default. `tools` are the model's
    tools beyond ours: functions, or pydantic-ai `Tool`s. They may take a
    pydantic-ai `RunContext`, whose `deps` is the `wellkept.model.turns.Turn`
    (tenant, agent, user, session). Without `working_memory` there are no
    blocks, without `memories` no memory tools and none in the prompt, and
    without `recall` nothing is kept of conversations or looked for in them.

    Raises:
        InvalidInput: A part is not valid, two tools have the same name, or one has the name of a memory tool.
    """

    id: str
    model: "str | Model | None" = None
    instructions: str = ""
    tools: "Sequence[AgentTool]" = ()
    working_memory: WorkingMemory | None = None
    memories: Memories | None = None
    recall: Recall | None = None

    def __post_init__(self) -> None:
        _ = self.key, self.config
        names = [_name(tool) for tool in self.tools]
        for name in names:
            if name in RESERVED_NAMES:
                raise InvalidInput(
                    param="tools", problem=f"{name} is the name of a memory tool; call yours differently"
                )
            if names.count(name) > 1:
                raise InvalidInput(param="tools", problem=f"names {name} twice")

    @property
    def key(self) -> AgentId:
        """Give the agent's id, checked."""
        return agent_id(self.id, param="id")

    @property
    def config(self) -> AgentConfig:
        """Give what the directory would keep of it: everything but Python objects."""
        memories = self.memories or Memories(tools=False)
        return AgentConfig(
            name=self.id[:MAX_NAME_CHARS],
            model=self.model if isinstance(self.model, str) else None,
            instructions=self.instructions,
            tools=memories.tool_choices,
            memory_injection_enabled=memories.inject,
            working_memory=self.working_memory.spec if self.working_memory else None,
            memories=memories.settings,
            recall=self.recall.settings if self.recall else None,
        )


def _name(tool: "AgentTool") -> str:
    """Say what the model will call a tool, as pydantic-ai does: its own name, or its function's."""
    for attribute in ("name", "__name__"):
        name = getattr(tool, attribute, None)
        if isinstance(name, str):
            return name
    raise InvalidInput(param="tools", problem=f"must be functions or pydantic-ai tools, not {type(tool).__name__}")
