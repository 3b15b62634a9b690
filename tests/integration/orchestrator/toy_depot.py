"""A small service that reacts to the shop: it packs what was ordered and keeps a tally."""

from dataclasses import field
from typing import Any, ClassVar

from fastapi import FastAPI

from companyos.chassis import (
    Event,
    InWorld,
    Page,
    PageLayout,
    PageOf,
    ProcessSettings,
    Reactions,
    Service,
    ToolRouter,
    UnitOfWork,
    View,
    page_of,
    world_metadata,
    world_table,
)

metadata = world_metadata("depot")


@world_table(metadata, "parcels")
class Parcel:
    id: str
    order_id: str
    status: str = "packed"


@world_table(metadata, "tally")
class Tally:
    id: str
    orders: list[str] = field(default_factory=list)


@world_table(metadata, "vault", hidden=True)
class Secret:
    id: str
    answer: str = ""


class ParcelView(View):
    id: str
    order_id: str
    status: str


class OrderPlaced(Event):
    NAME: ClassVar[str] = "order.placed"
    OBJECT: ClassVar[str] = "order_id"
    order_id: str


class OrderDelivered(Event):
    NAME: ClassVar[str] = "order.delivered"
    OBJECT: ClassVar[str] = "order_id"
    order_id: str


class ParcelBooked(Event):
    NAME: ClassVar[str] = "parcel.booked"
    OBJECT: ClassVar[str] = "order_id"
    order_id: str
    parcel_id: str


reactions = Reactions()


@reactions.on(OrderPlaced)
async def pack(event: OrderPlaced, unit: UnitOfWork) -> None:
    parcel = Parcel(id=f"P-{event.order_id}", order_id=event.order_id)
    unit.add(parcel)
    tally = await unit.get(Tally, "all")
    if tally is None:
        unit.add(tally := Tally(id="all"))
    tally.orders = sorted([*tally.orders, event.order_id])
    unit.record(ParcelBooked(order_id=event.order_id, parcel_id=parcel.id))


@reactions.on(OrderDelivered)
async def hand_over(event: OrderDelivered, unit: UnitOfWork) -> None:
    parcel = await unit.get(Parcel, f"P-{event.order_id}")
    if parcel is not None:
        parcel.status = "handed_over"


router = ToolRouter(prefix="/parcels", tags=["parcels"])


@router.get("", response_model=Page[ParcelView], summary="List parcels")
async def list_parcels(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await unit.page(Parcel, after=query.cursor, limit=query.limit), query.limit)


DEPOT = Service(
    name="depot",
    title="Depot",
    summary="Packs parcels.",
    schema_version=1,
    metadata=metadata,
    routers=[router],
    publishes=[ParcelBooked],
    reactions=reactions,
    pages=[PageLayout("list_parcels", title="What was packed", columns=("id", "status"))],
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    return DEPOT.app(settings)
