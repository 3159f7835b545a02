"""The audit log."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import audit
from wellkept.wire.endpoint import Endpoint

LIST_AUDIT: Final = Endpoint(
    name="audit.list",
    method="GET",
    path="/v1/audit",
    summary="List who changed what",
    query=audit.AuditQuery,
    answer=audit.AuditPage,
    errors=(e.InvalidCursor,),
)
