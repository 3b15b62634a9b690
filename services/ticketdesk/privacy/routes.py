"""Personal data over HTTP."""

from typing import Any

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Erasure
from .schemas import ErasePersonalData, ErasureView, FindPersonalData, FoundData, ObjectId
from .service import Privacy

personal_data = ToolRouter(prefix="/personal-data", tags=["privacy"])


@personal_data.post(
    "/find",
    response_model=Page[FoundData],
    summary="Find tickets and comments that mention a person",
    description="Looks for any of the identifiers in tickets, closed ones included, and in single comments. People can "
    "share a name: compare numbers and addresses.",
)
async def find_personal_data(body: FindPersonalData, unit: InWorld) -> dict[str, Any]:
    found = await Privacy(unit).find(body.identifiers, cursor=body.cursor, limit=body.limit)
    return page_of(found, body.limit)


@personal_data.post(
    "/{object_id}/erase",
    response_model=ErasureView,
    summary="Erase or redact a ticket or a comment",
    description="Irreversible. `erase` deletes a closed ticket with its comments, links and history, or one comment; "
    "`redact` keeps it and masks the identifiers. Retention rules and legal holds are not checked.",
)
async def erase_personal_data(object_id: ObjectId, body: ErasePersonalData, unit: InWorld) -> Erasure:
    return await Privacy(unit).erase(
        object_id, mode=body.mode, basis=body.basis, identifiers=body.identifiers
    )
