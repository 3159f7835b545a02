"""Who acts: known where a request, a command or a turn begins, and wanted where something is changed.

It goes with the task and those it starts, as a trace's id does, and says nothing about what may be done.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import msgspec

from wellkept.model.audit import SYSTEM, Actor, ActorRole
from wellkept.model.ids import SessionId
from wellkept.model.turns import Turn


class Acting(msgspec.Struct, frozen=True):
    """Who acts, and in which session."""

    actor: Actor
    session: SessionId | None = None


_ACTING: Final[ContextVar[Acting | None]] = ContextVar("acting", default=None)


def acting() -> Acting:
    """Say who acts here."""
    return _ACTING.get() or Acting(SYSTEM)


@contextmanager
def acting_as(actor: Actor, *, session: SessionId | None = None) -> Generator[None]:
    """Let what the block changes be done by `actor`."""
    token = _ACTING.set(Acting(actor, session))
    try:
        yield
    finally:
        _ACTING.reset(token)


@contextmanager
def acting_in(turn: Turn) -> Generator[None]:
    """Let what the block changes be done by a turn, which came with the key that is known here, if one is."""
    role: ActorRole = "agent_turn" if turn.user is None else "user_turn"
    actor = Actor(role=role, key_id=acting().actor.key_id, user_id=turn.user)
    with acting_as(actor, session=turn.session):
        yield
