"""Whose blocks a turn has, and what it may do to them."""

import pytest

from wellkept.model.blocks import BlockSpec, MissingUser, WritePolicy
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.keys import Scope, session_owner
from wellkept.model.turns import Turn
from wellkept.rules.owner import owner_of, write_policy


def turn(user: str | None, session: str | None = None) -> Turn:
    return Turn(
        tenant=TenantId("t"),
        agent=AgentId("helper"),
        user=None if user is None else UserId(user),
        session=None if session is None else SessionId(session),
    )


@pytest.mark.parametrize("mode", ["withhold", "anonymous", "session"])
@pytest.mark.parametrize(("scope", "owner"), [("user", "maya"), ("shared", "maya"), ("agent", "helper")])
def test_a_user_owns_user_and_shared_blocks(mode: MissingUser, scope: Scope, owner: str) -> None:
    assert owner_of(BlockSpec(scope, "K"), turn("maya", "s"), on_missing_user=mode) == owner


# ISO-17, ISO-18: visitors without an id shared one owner.
@pytest.mark.parametrize(
    ("mode", "session", "owner"),
    [
        ("withhold", "s", None),
        ("anonymous", "s", "anonymous"),
        ("session", "s", session_owner(SessionId("s"))),
        ("session", None, None),
    ],
)
def test_without_a_user_the_agent_says_who_owns(mode: MissingUser, session: str | None, owner: str | None) -> None:
    assert owner_of(BlockSpec("user", "K"), turn(None, session), on_missing_user=mode) == owner
    assert owner_of(BlockSpec("agent", "K"), turn(None, session), on_missing_user=mode) == "helper"


def test_nobody_may_be_called_like_the_turns_without_a_user() -> None:
    with pytest.raises(InvalidInput):
        owner_of(BlockSpec("user", "K"), turn("anonymous"), on_missing_user="anonymous")
    assert owner_of(BlockSpec("user", "K"), turn("anonymous"), on_missing_user="withhold") == "anonymous"


def test_a_session_never_owns_what_a_user_of_its_name_owns() -> None:
    ours = owner_of(BlockSpec("user", "K"), turn(None, "maya"), on_missing_user="session")
    assert ours != owner_of(BlockSpec("user", "K"), turn("maya"), on_missing_user="session")


@pytest.mark.parametrize(
    ("scope", "write", "user", "policy"),
    [
        ("user", None, "maya", "open"),
        ("shared", None, "maya", "open"),
        ("agent", None, None, "open"),
        ("agent", None, "maya", "review"),
        ("agent", "open", "maya", "open"),
        ("agent", "closed", None, "closed"),
        ("user", "review", "maya", "review"),
    ],
)
def test_a_users_turn_does_not_change_everybodys_prompt(
    scope: Scope, write: WritePolicy | None, user: str | None, policy: WritePolicy
) -> None:
    assert write_policy(BlockSpec(scope, "K", write=write), turn(user)) == policy
