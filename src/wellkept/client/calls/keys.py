"""Calls about API keys."""

from wellkept.client.call import Call, call, order
from wellkept.wire import admin as wire
from wellkept.wire.endpoints import admin as table


def create(*, name: str, user_id: str = "") -> Call[wire.KeyCreated]:
    """Create a key; its secret is in this answer and in no other. With `user_id` it acts for that user alone."""
    return call(table.CREATE_KEY, body=wire.KeyCreate(name=name, user_id=user_id))


def list_() -> Call[wire.KeysAnswer]:
    """Give all keys, newest first, without their secrets."""
    return call(table.LIST_KEYS)


def revoke(key_id: str) -> Call[None]:
    """Let a key open nothing any more."""
    return order(table.REVOKE_KEY, {"keyId": key_id})
