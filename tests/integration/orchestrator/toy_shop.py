"""A small service: orders that are delivered after an hour, and told to whoever listens."""

from typing import Any, ClassVar

from fastapi import FastAPI

from companyos.chassis import (
    Body,
    Due,
    Event,
    InWorld,
    Name,
    Page,
    PageLayout,
    PageOf,
    ProcessSettings,
    Reactions,
    Service,
    ServiceError,
    ToolRouter,
    UnitOfWork,
    View,
    page_of,
    world_metadata,
    world_table,
)

DELIVERY_S = 3600

metadata = world_metadata("shop")


@world_table(metadata, "orders", indexes=[("item",)])
class Order:
    id: str
    item: str
    status: str = "placed"
    parcel: str | None = None


@world_table(metadata, "ledger", journal=True)
class LedgerLine:
    id: str
    what: str
    at: int


class OrderView(View):
    id: str
    item: str
    status: str
    parcel: str | None


class NewOrder(Body):
    item: Name


class NewPair(Body):
    first: Name
    second: Name


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


class Deliver(Due):
    NAME: ClassVar[str] = "deliver"
    order_id: str


class OrderUnknown(ServiceError):
    status_code = 404
    code = "order_unknown"


class OrderDeliveredAlready(ServiceError):
    code = "order_delivered"


class OwnApproval(ServiceError):
    status_code = 403
    code = "separation_of_duties"
    violation = True


reactions = Reactions()


@reactions.on(ParcelBooked)
async def note_parcel(event: ParcelBooked, unit: UnitOfWork) -> None:
    (await load(event.order_id, unit)).parcel = event.parcel_id


@reactions.due(Deliver)
async def deliver(due: Deliver, unit: UnitOfWork) -> None:
    order = await load(due.order_id, unit)
    if order.status == "placed":
        order.status = "delivered"
        unit.record(OrderDelivered(order_id=order.id))


router = ToolRouter(prefix="/orders", tags=["orders"])


@router.get("", response_model=Page[OrderView], summary="List orders")
async def list_orders(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await unit.page(Order, after=query.cursor, limit=query.limit), query.limit)


@router.get(
    "/{order_id}",
    response_model=OrderView,
    summary="Read an order",
    instead="shop_list_orders",
)
async def get_order(order_id: str, unit: InWorld) -> Order:
    return await load(order_id, unit)


@router.post("", response_model=OrderView, status_code=201, summary="Place an order")
async def place_order(body: NewOrder, unit: InWorld) -> Order:
    return await place(body.item, unit)


@router.post("/pair", response_model=list[OrderView], status_code=201, summary="Place two orders")
async def place_pair(body: NewPair, unit: InWorld) -> list[Order]:
    return [await place(body.first, unit), await place(body.second, unit)]


@router.post("/{order_id}/rename", response_model=OrderView, summary="Order something else instead")
async def rename_order(order_id: str, body: NewOrder, unit: InWorld) -> Order:
    order = await load(order_id, unit)
    order.item = body.item
    return order


@router.post("/{order_id}/cancel", response_model=OrderView, summary="Cancel an order")
async def cancel_order(order_id: str, unit: InWorld) -> Order:
    order = await load(order_id, unit)
    if order.status == "delivered":
        raise OrderDeliveredAlready("It was delivered; there is nothing left to cancel.")
    unit.remove(order)
    await unit.cancel(f"deliver:{order.id}")
    return order


@router.post("/{order_id}/approve", response_model=OrderView, summary="Approve an order")
async def approve_order(order_id: str, unit: InWorld) -> Order:
    raise OwnApproval("Ask somebody else to approve what you ordered.")


async def load(order_id: str, unit: UnitOfWork) -> Order:
    order = await unit.get(Order, order_id)
    if order is None:
        raise OrderUnknown(f"There is no order {order_id!r}.", field="order_id")
    return order


async def place(item: str, unit: UnitOfWork) -> Order:
    order = Order(id=f"ORD-{await unit.next_number('order'):04}", item=item)
    unit.add(order)
    unit.add(LedgerLine(id=f"{order.id}-L1", what="placed", at=unit.now))
    unit.record(OrderPlaced(order_id=order.id))
    unit.schedule(Deliver(order_id=order.id), at=unit.now + DELIVERY_S, id=f"deliver:{order.id}")
    return order


SHOP = Service(
    name="shop",
    title="Shop",
    summary="Takes orders.",
    schema_version=1,
    metadata=metadata,
    routers=[router],
    publishes=[OrderPlaced, OrderDelivered],
    reactions=reactions,
    pages=[PageLayout("get_order", heading="item", ids="ORD-")],
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    return SHOP.app(settings)
