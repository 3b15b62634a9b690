"""Queues over HTTP."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from ..schemas import TicketId
from .models import Placement
from .schemas import PlacementView, QueuedTicketView, QueueView, RouteTicket, TicketQueryArguments
from .service import Queues

queues = ToolRouter(prefix="/queues", tags=["queues"])
routing = ToolRouter(prefix="/tickets/{ticket_id}/queue", tags=["queues"])
querying = ToolRouter(prefix="/query", tags=["queues"])


@queues.get(
    "",
    response_model=Page[QueueView],
    summary="List the queues",
    description="Returns each queue with the team that works it, what belongs in it, and who is on call.",
)
async def list_queues(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Queues(unit).list(**query.model_dump()), query.limit)


@routing.post(
    "",
    response_model=PlacementView,
    summary="Route a ticket to a queue",
    description="Takes the ticket out of the queue it is in. Its priority, assignee and service level stay.",
)
async def route_ticket(ticket_id: TicketId, body: RouteTicket, unit: InWorld) -> Placement:
    return await Queues(unit).route(ticket_id, **body.model_dump())


@querying.get(
    "",
    response_model=Page[QueuedTicketView],
    summary="Find or read several tickets by a query",
    description="Returns each match in full with queue, service level and first answer; `id:` reads several at once. "
    "The service level is that of the tier on file, which may have changed since; without a priority, the deadline is "
    "that of `medium`.",
)
async def query_tickets(query: Annotated[TicketQueryArguments, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Queues(unit).find(**query.model_dump()), query.limit)
