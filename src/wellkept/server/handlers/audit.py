"""The audit log: for credentials of the whole tenant."""

from typing import Final

from wellkept.server.call import Answer, Call, Handler
from wellkept.wire.audit import AuditEntryAnswer, AuditPage, AuditQuery
from wellkept.wire.endpoint import NoBody


async def list_all(call: Call[AuditQuery, NoBody]) -> Answer:
    """Give a page of entries."""
    query = call.query
    page = await call.services.audit.list(
        call.caller.tenant, which=query.which(), cursor=query.cursor, limit=query.limit
    )
    return Answer(value=AuditPage(data=tuple(map(AuditEntryAnswer.of, page.data)), next_cursor=page.next_cursor))


HANDLERS: Final[dict[str, Handler]] = {"audit.list": list_all}
