"""From the headers of a request to its caller."""

import re
from typing import Final

from wellkept.model.errors import InvalidInput, Unauthorized, UserMismatch
from wellkept.model.ids import UserId, user_id
from wellkept.server.caller import Caller
from wellkept.server.head import Head
from wellkept.services.keys import Keys

USER_HEADERS: Final = ("X-Wellkept-User-Id", "X-BA-User-Id")
"""What limits a request to one user. The second name is that of another system, whose client works here."""

_BEARER: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/=-]{1,512})")


async def authenticate(head: Head, keys: Keys) -> Caller:
    """Say who asks.

    Raises:
        Unauthorized: There is no key, or it is not known. Every bad header has this one answer.
        InvalidInput: A header that names a user does not hold the UTF-8 of a user's id.
        UserMismatch: The key acts for one user, and a header names another; or two headers differ.
    """
    values = head.all("Authorization")
    match = _BEARER.fullmatch(values[0]) if len(values) == 1 else None
    if match is None:
        raise Unauthorized
    key = await keys.authenticate(match[1])
    named = {_user(value, name) for name in USER_HEADERS for value in head.all(name)}
    if key.user_id:
        named.add(UserId(key.user_id))
    if len(named) > 1:
        raise UserMismatch
    return Caller(tenant=key.tenant, user=next(iter(named), None), key=key.id)


def _user(value: str, header: str) -> UserId:
    try:
        named = value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(param=header, problem="must be UTF-8") from error
    return user_id(named, param=header)
