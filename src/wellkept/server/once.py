"""`Idempotency-Key`: the same request again is done once."""

import hashlib
from typing import Final

import msgspec

from wellkept.model.directory import Once
from wellkept.model.errors import InvalidInput
from wellkept.server.call import B, Call, Q
from wellkept.server.conditions import MATCH, NONE_MATCH
from wellkept.server.head import Head
from wellkept.wire.endpoint import Endpoint

KEY: Final = "Idempotency-Key"


def once_of(call: Call[Q, B]) -> Once | None:
    """Give the request's idempotency key, with the fingerprint of who asks for what; None: it has none.

    Two users of a tenant may use the same key: it is another operation.

    Raises:
        InvalidInput: The key is not 1 to 200 printable ASCII characters.
    """
    key = call.head.only(KEY)
    if key is None:
        return None
    user = call.caller.user or ""
    asked = (call.endpoint.name, call.caller.tenant, user, sorted(call.path.items()), call.body)
    return Once(
        operation=f"{call.endpoint.name} {user}",
        key=key,
        fingerprint=hashlib.sha256(msgspec.json.encode(asked, order="sorted")).hexdigest(),
    )


def refuse_what_is_not_minded(endpoint: Endpoint[object], head: Head) -> None:
    """Refuse a header that asks for safety the endpoint does not give. To ignore it would be a trap.

    Raises:
        InvalidInput: An `Idempotency-Key` where a repetition is done again, or a condition on a write that minds none.
    """
    if not endpoint.idempotent and head.all(KEY):
        raise InvalidInput(param=KEY, problem="is not taken here: what is sent twice is done twice")
    if endpoint.method != "GET" and endpoint.etags != "writes":
        for name in (MATCH, NONE_MATCH):
            if head.all(name):
                raise InvalidInput(param=name, problem="is not taken here: this write minds no condition")
