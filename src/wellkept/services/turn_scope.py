"""What a turn has: its agent, its blocks with their owners, and the partitions that it sees."""

import msgspec

from wellkept.contract.block_store import BlockStore
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec, WritePolicy
from wellkept.model.errors import BlockUnavailable
from wellkept.model.keys import BlockKey
from wellkept.model.memories import visible_to
from wellkept.model.outcomes import Declared, DeclaredBlock
from wellkept.model.recall import RecallSettings
from wellkept.model.turns import Turn
from wellkept.rules.owner import owner_of, write_policy
from wellkept.services.agent_source import ResolvedAgent


class PlacedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A declared block with its address in this turn."""

    spec: BlockSpec
    key: BlockKey
    limit: int
    policy: WritePolicy


class TurnScope(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn has. `withheld` are declared blocks that have no owner in it."""

    turn: Turn
    agent: ResolvedAgent
    store: BlockStore
    placed: tuple[PlacedBlock, ...]
    withheld: tuple[BlockSpec, ...]

    @property
    def partitions(self) -> tuple[str, ...]:
        """Name the partitions that the turn sees."""
        return visible_to(self.turn.user)

    @property
    def recall(self) -> RecallSettings | None:
        """Give the agent's rules for recall; None: the agent does without, or the turn has no user."""
        return None if self.turn.user is None else self.agent.config.recall

    @property
    def without_user(self) -> bool:
        """Say whether the agent has something that this turn lacks for want of a user."""
        return bool(self.withheld) or (self.turn.user is None and self.agent.config.recall is not None)

    @property
    def screened(self) -> bool:
        """Say whether what this turn writes is screened."""
        memory = self.agent.config.working_memory
        return memory is None or memory.scan_for_injection

    def block(self, key: str) -> PlacedBlock:
        """Find a block by the key that its agent declares.

        Raises:
            BlockUnavailable: It does not, or the block has no owner in this turn.
        """
        for placed in self.placed:
            if placed.spec.key == key:
                return placed
        raise BlockUnavailable(available=[placed.spec.key for placed in self.placed])

    def declared(self) -> Declared:
        """Say what the turn has."""
        return Declared(
            agent=self.agent.id,
            version=self.agent.version,
            blocks=tuple(
                DeclaredBlock(
                    key=placed.spec.key,
                    scope=placed.spec.scope,
                    limit=placed.limit,
                    description=placed.spec.description,
                    writable=placed.policy != "closed",
                )
                for placed in self.placed
            ),
            memory_tools=self.agent.config.memory_tools,
            memory_injection_enabled=self.agent.config.memory_injection_enabled,
            recall_tool=self.recall is not None and self.recall.tool,
        )


def scope_of(turn: Turn, agent: ResolvedAgent, *, store: BlockStore) -> TurnScope:
    """Say what a turn of this agent has; `store` keeps the blocks of agents without a store of their own.

    Raises:
        InvalidInput: The turn's user has a name that this agent cannot take (see `wellkept.rules.owner`).
    """
    memory = agent.config.working_memory or WorkingMemorySpec(auto_load=())
    placed: list[PlacedBlock] = []
    withheld: list[BlockSpec] = []
    for spec in memory.auto_load:
        owner = owner_of(spec, turn, on_missing_user=memory.on_missing_user)
        if owner is None:
            withheld.append(spec)
            continue
        key = BlockKey(tenant=turn.tenant, scope=spec.scope, owner=owner, key=spec.key)
        policy = write_policy(spec, turn)
        placed.append(PlacedBlock(spec=spec, key=key, limit=memory.limit_of(spec), policy=policy))
    return TurnScope(
        turn=turn, agent=agent, store=agent.blocks or store, placed=tuple(placed), withheld=tuple(withheld)
    )
