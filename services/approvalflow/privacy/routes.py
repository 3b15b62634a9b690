"""Personal data over HTTP."""

from typing import Any

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from ..schemas import RequestId
from .models import Erasure
from .schemas import FindPersonalData, FoundRequest, RedactionView, RedactPersonalData
from .service import Privacy

personal_data = ToolRouter(prefix="/personal-data", tags=["privacy"])


@personal_data.post(
    "/find",
    idempotent=True,
    response_model=Page[FoundRequest],
    summary="Find requests that mention a person",
    description="Looks in fields and reasons, also of decided requests.",
)
async def find_personal_data(body: FindPersonalData, unit: InWorld) -> dict[str, Any]:
    found = await Privacy(unit).find(body.identifiers, cursor=body.cursor, limit=body.limit)
    return page_of(found, body.limit)


@personal_data.post(
    "/{request_id}/redact",
    response_model=RedactionView,
    summary="Redact a decided request",
    description="Irreversible: masks the identifiers in its fields, reason and audit. Retention and holds are not "
    "checked.",
)
async def redact_personal_data(request_id: RequestId, body: RedactPersonalData, unit: InWorld) -> Erasure:
    return await Privacy(unit).redact(request_id, basis=body.basis, identifiers=body.identifiers)
