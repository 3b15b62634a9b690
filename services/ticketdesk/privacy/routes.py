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
    summary="Find tickets and comments that mention a person",
    description="Looks for any of the identifiers, in closed tickets too. Comments are listed by themselves.",
)
async def find_personal_data(body: FindPersonalData, unit: InWorld) -> dict[str, Any]:
    found = await Privacy(unit).find(body.identifiers, cursor=body.cursor, limit=body.limit)
    return page_of(found, body.limit)


@personal_data.post(
    "/{object_id}/erase",
    response_model=ErasureView,
    summary="Erase or redact a ticket or a comment",
    description="Irreversible. `erase` deletes a closed ticket with all that belongs to it, or one comment; `redact` "
    "only masks the identifiers in it. Retention and holds are not checked.",
)
async def erase_personal_data(object_id: ObjectId, body: ErasePersonalData, unit: InWorld) -> Erasure:
    return await Privacy(unit).erase(
        object_id, mode=body.mode, basis=body.basis, identifiers=body.identifiers
    )
