"""Keys and held writes: for credentials of the whole tenant."""

from typing import Final

from wellkept.server.call import Answer, Call, Handler
from wellkept.wire.admin import HeldWriteAnswer, KeyAnswer, KeyCreate, KeyCreated, KeysAnswer, ReviewPage
from wellkept.wire.agents import PageQuery
from wellkept.wire.endpoint import NoBody, NoQuery


async def create_key(call: Call[NoQuery, KeyCreate]) -> Answer:
    """Make a key, and show its secret this once."""
    key, secret = await call.services.keys.create(call.caller.tenant, call.body.name, user_id=call.body.user_id)
    return Answer(value=KeyCreated(key=KeyAnswer.of(key), secret=secret))


async def list_keys(call: Call[NoQuery, NoBody]) -> Answer:
    """Give all keys."""
    keys = await call.services.keys.list(call.caller.tenant)
    return Answer(value=KeysAnswer(data=tuple(map(KeyAnswer.of, keys))))


async def revoke_key(call: Call[NoQuery, NoBody]) -> Answer:
    """Make a key useless."""
    await call.services.keys.revoke(call.caller.tenant, call.path["keyId"])
    return Answer()


async def list_review(call: Call[PageQuery, NoBody]) -> Answer:
    """Give a page of held writes."""
    page = await call.services.review.list(call.caller.tenant, cursor=call.query.cursor, limit=call.query.limit)
    return Answer(value=ReviewPage(data=tuple(map(HeldWriteAnswer.of, page.data)), next_cursor=page.next_cursor))


async def get_review(call: Call[NoQuery, NoBody]) -> Answer:
    """Read a held write."""
    return Answer(value=HeldWriteAnswer.of(await call.services.review.get(call.caller.tenant, call.path["holdId"])))


async def approve(call: Call[NoQuery, NoBody]) -> Answer:
    """Do a held write."""
    return Answer(value=HeldWriteAnswer.of(await call.services.review.approve(call.caller.tenant, call.path["holdId"])))


async def reject(call: Call[NoQuery, NoBody]) -> Answer:
    """Throw a held write away."""
    return Answer(value=HeldWriteAnswer.of(await call.services.review.reject(call.caller.tenant, call.path["holdId"])))


HANDLERS: Final[dict[str, Handler]] = {
    "keys.create": create_key,
    "keys.list": list_keys,
    "keys.revoke": revoke_key,
    "review.list": list_review,
    "review.get": get_review,
    "review.approve": approve,
    "review.reject": reject,
}
