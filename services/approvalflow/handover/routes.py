"""The area over HTTP. Agents read each route's summary and description as the tool's description."""

from companyos.chassis import InWorld, ToolRouter

from ..models import Request
from ..schemas import RequestId, RequestView
from .schemas import ReassignRequest
from .service import Handover

requests = ToolRouter(prefix="/requests", tags=["requests"])


@requests.post(
    "/{request_id}/reassign",
    response_model=RequestView,
    summary="Reassign an approval request",
    description="Hands a pending request over to another person who may decide it now: a holder of the role, or the "
    "delegate of one who is away. The new approver's time starts afresh.",
)
async def reassign_request(request_id: RequestId, body: ReassignRequest, unit: InWorld) -> Request:
    return await Handover(unit).reassign(request_id, to=body.to, reason=body.reason, version=body.version)
