"""Personal data over HTTP."""

from typing import Any

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Erasure
from .schemas import ErasePersonalData, ErasureView, FindPersonalData, FoundData, ObjectId
from .service import Privacy

personal_data = ToolRouter(prefix="/personal-data", tags=["privacy"])


@personal_data.post(
    "/find",
    idempotent=True,
    response_model=Page[FoundData],
    summary="Find what mentions a person",
    description="Looks in records, documents, all messages and entitlements. People can share a name: compare numbers.",
)
async def find_personal_data(body: FindPersonalData, unit: InWorld) -> dict[str, Any]:
    found = await Privacy(unit).find(body.identifiers, cursor=body.cursor, limit=body.limit)
    return page_of(found, body.limit)


@personal_data.post(
    "/{object_id}/erase",
    response_model=ErasureView,
    summary="Erase or redact an object",
    description="Irreversible. `erase` deletes a record, document, message or entitlement; `redact` only masks the "
    "identifiers in it. Retention and holds are not checked.",
)
async def erase_personal_data(object_id: ObjectId, body: ErasePersonalData, unit: InWorld) -> Erasure:
    return await Privacy(unit).erase(
        object_id, mode=body.mode, basis=body.basis, identifiers=body.identifiers
    )
