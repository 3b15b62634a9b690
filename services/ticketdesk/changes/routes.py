"""Changes over HTTP."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from ..schemas import TicketId
from .models import PlannedRollout
from .schemas import ChangeId, ChangesQuery, ChangeView, PlanChange, RollBack
from .service import Changes

planning = ToolRouter(prefix="/tickets/{ticket_id}/changes", tags=["changes"])
changes = ToolRouter(prefix="/changes", tags=["changes"])


@planning.post(
    "",
    response_model=ChangeView,
    status_code=201,
    summary="Plan a change for a ticket",
    description="Replaces one still planned. An emergency goes live with ticketdesk_roll_out_change; an "
    "ordinary one at `starts_at`, by its team.",
)
async def plan_change(ticket_id: TicketId, body: PlanChange, unit: InWorld) -> PlannedRollout:
    return await Changes(unit).plan(ticket_id, **body.model_dump())


@changes.get(
    "",
    response_model=Page[ChangeView],
    summary="List changes",
    description="By id: what is planned, was rolled out or rolled back, and when.",
)
async def list_changes(query: Annotated[ChangesQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Changes(unit).page(**query.model_dump()), query.limit)


@changes.post(
    "/{change_id}/roll-out",
    response_model=ChangeView,
    summary="Roll a change out to production",
    description="Takes effect at once and interrupts the system's users, which no rollback undoes. Approvals and "
    "freezes are not checked.",
)
async def roll_out_change(change_id: ChangeId, unit: InWorld) -> PlannedRollout:
    return await Changes(unit).roll_out(change_id)


@changes.post(
    "/{change_id}/roll-back",
    response_model=ChangeView,
    summary="Roll a change back",
    description="The system is as it was before; the ticket can have another change.",
)
async def roll_back_change(change_id: ChangeId, body: RollBack, unit: InWorld) -> PlannedRollout:
    return await Changes(unit).roll_back(change_id, reason=body.reason)
