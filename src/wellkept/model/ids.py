"""Who and what: typed identities, valid from the moment they exist.

Ids are compared exactly: never normalised, folded or joined.
"""

import re
from typing import Final, NewType

from wellkept.model.errors import InvalidInput
from wellkept.model.text import checked_text, has_control, has_visible

TenantId = NewType("TenantId", str)
AgentId = NewType("AgentId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
PassageId = NewType("PassageId", str)

DEFAULT_TENANT: Final = TenantId("default")
"""The tenant of a library without a server."""

GENERAL: Final = ""
"""The partition of the memories that belong to no user."""

MAX_ID_CHARS: Final = 256
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MEMORY_ID: Final = re.compile(r"mem_[0-9A-Za-z]{16}")
_PASSAGE_ID: Final = re.compile(r"psg_[0-9A-Za-z]{16}")


def _opaque(value: object, *, param: str) -> str:
    text = checked_text(value, param=param)
    if not 1 <= len(text) <= MAX_ID_CHARS:
        raise InvalidInput(param=param, problem=f"must have 1 to {MAX_ID_CHARS} characters, not {len(text)}")
    if has_control(text):
        raise InvalidInput(param=param, problem="must not hold control characters or line breaks")
    if text[0].isspace() or text[-1].isspace():
        raise InvalidInput(param=param, problem="must not begin or end with a space")
    if not has_visible(text):
        raise InvalidInput(param=param, problem="must hold a letter, digit or symbol that can be seen")
    return text


def tenant_id(value: object, *, param: str = "tenantId") -> TenantId:
    """Check a tenant's id: 1–64 letters, digits, `_`, `.` or `-`.

    Raises:
        InvalidInput: It is anything else.
    """
    return TenantId(_name(value, param=param))


def agent_id(value: object, *, param: str = "agentId") -> AgentId:
    """Check an agent's id: like a user's.

    Raises:
        InvalidInput: It is not 1–256 visible characters without control characters.
    """
    return AgentId(_opaque(value, param=param))


def user_id(value: object, *, param: str = "userId") -> UserId:
    """Check the caller's id of a user: 1–256 characters, something visible, no control characters, no outer space.

    Raises:
        InvalidInput: It is anything else.
    """
    return UserId(_opaque(value, param=param))


def session_id(value: object, *, param: str = "sessionId") -> SessionId:
    """Check a session's id: like a user's.

    Raises:
        InvalidInput: It is not 1–256 visible characters without control characters.
    """
    return SessionId(_opaque(value, param=param))


def memory_id(value: object, *, param: str = "memoryId") -> MemoryId:
    """Check a memory's id: `mem_` and 16 letters or digits.

    Raises:
        InvalidInput: It is anything else.
    """
    text = checked_text(value, param=param)
    if not _MEMORY_ID.fullmatch(text):
        raise InvalidInput(param=param, problem="must be mem_ and 16 letters or digits")
    return MemoryId(text)


def passage_id(value: object, *, param: str = "passageId") -> PassageId:
    """Check a passage's id: `psg_` and 16 letters or digits.

    Raises:
        InvalidInput: It is anything else.
    """
    text = checked_text(value, param=param)
    if not _PASSAGE_ID.fullmatch(text):
        raise InvalidInput(param=param, problem="must be psg_ and 16 letters or digits")
    return PassageId(text)


def block_name(value: object, *, param: str = "key") -> str:
    """Check a block's key: 1–64 letters, digits, `_`, `.` or `-`.

    Raises:
        InvalidInput: It is anything else.
    """
    return _name(value, param=param)


def _name(value: object, *, param: str) -> str:
    text = checked_text(value, param=param)
    if not _NAME.fullmatch(text):
        raise InvalidInput(param=param, problem="must be 1 to 64 of the letters A-Z a-z, digits, `_`, `.` and `-`")
    return text
