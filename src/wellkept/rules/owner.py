"""Whose a block is in a turn, and what the turn may do to it."""

from typing import Final

from wellkept.model.blocks import BlockSpec, MissingUser, WritePolicy
from wellkept.model.errors import InvalidInput
from wellkept.model.keys import session_owner
from wellkept.model.turns import Turn

ANONYMOUS: Final = "anonymous"
"""Who owns the user blocks of all turns without a user, where the agent wants that."""


def owner_of(spec: BlockSpec, turn: Turn, *, on_missing_user: MissingUser) -> str | None:
    """Name the owner of a declared block in this turn; None: it has none, so the block is withheld.

    Raises:
        InvalidInput: A real user is called `anonymous` where that name means all turns without one.
    """
    if spec.scope == "agent":
        return turn.agent
    if turn.user is not None:
        if on_missing_user == "anonymous" and turn.user == ANONYMOUS:
            raise InvalidInput(param="userId", problem=f"must not be {ANONYMOUS}, the owner of turns without a user")
        return turn.user
    if on_missing_user == "anonymous":
        return ANONYMOUS
    if on_missing_user == "session" and turn.session is not None:
        return session_owner(turn.session)
    return None


def write_policy(spec: BlockSpec, turn: Turn) -> WritePolicy:
    """Say what happens to a write: a user's turn must not change what every other user's prompt says."""
    if spec.write is not None:
        return spec.write
    return "review" if spec.scope == "agent" and turn.user is not None else "open"
