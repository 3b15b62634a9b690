"""Rows of a small company: each function returns one row, complete but for what a test changes."""

from typing import Any

import httpx

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

Row = dict[str, Any]

#: Where the worlds of these tests start: four days after the scores were taken.
NOW = 10 * DAY


def score(**changes: Any) -> Row:
    """The compliance score of vendor V-104: 72, four days old where two are allowed."""
    row = {
        "id": "MET-0104",
        "name": "compliance_score",
        "subject": "V-104",
        "value": 72.0,
        "unit": "points",
        "as_of": NOW - 4 * DAY,
        "ttl_s": 2 * DAY,
        "source": "vendor_screening",
        "refresh_s": HOUR,
    }
    return {**row, **changes}


def source(**changes: Any) -> Row:
    """What refreshes of that score bring: 85, then 76."""
    return {"id": "MET-0104", "values": [85.0, 76.0], **changes}


def vendor(**changes: Any) -> Row:
    return {
        "id": "V-104",
        "kind": "vendor",
        "name": "Acme Logistics",
        "fields": {"tax_id": "DE-1", "country": None},
        **changes,
    }


def person(person_id: str = "sarah.chen", **changes: Any) -> Row:
    name = person_id.replace(".", " ").title()
    row = {
        "id": person_id,
        "name": name,
        "role": "cfo",
        "team": "finance",
        "email": f"{person_id}@acme.example",
    }
    return {**row, **changes}


def absence(**changes: Any) -> Row:
    """Sarah Chen away from a day before until a day after the start."""
    row = {
        "id": "A-0001",
        "person_id": "sarah.chen",
        "starts_at": NOW - DAY,
        "ends_at": NOW + DAY,
        "reason": "leave",
    }
    return {**row, **changes}


COLUMNS = [
    {"name": "order", "type": "string", "description": "Number of the order."},
    {"name": "region", "type": "string", "description": "Where it was placed."},
    {"name": "amount", "type": "number", "description": "In euros."},
    {"name": "booked", "type": "boolean", "description": "Whether it was booked."},
    {"name": "day", "type": "date", "description": "When it was placed."},
]
ORDERS = [
    ("O-1", "north", 0.1, True, "2031-01-04"),
    ("O-2", "north", 0.2, True, "2031-01-05"),
    ("O-3", "south", 30.0, False, "2031-01-05"),
    ("O-4", "south", 12.5, True, "2031-01-06"),
    ("O-5", None, None, True, "2031-01-06"),
    ("O-6", "north", 0.3, False, "2031-01-07"),
]


def orders(**changes: Any) -> Row:
    row = {
        "id": "DS-0001",
        "name": "orders",
        "description": "One row per order; net_orders is the sum of the booked amounts.",
        "owner": "sarah.chen",
        "source": "orders-load",
        "loaded_at": NOW - DAY,
        "row_count": len(ORDERS),
        "columns": COLUMNS,
        "metrics": ["MET-0104"],
    }
    return {**row, **changes}


def rows(dataset_id: str = "DS-0001") -> list[Row]:
    names = [column["name"] for column in COLUMNS]
    return [
        {
            "id": f"{dataset_id}:{number:06}",
            "dataset_id": dataset_id,
            "values": dict(zip(names, values, strict=True)),
        }
        for number, values in enumerate(ORDERS, start=1)
    ]


async def start(datahub: Desk, **rows: list[Row]) -> World:
    """Return a world that starts with these rows."""
    return await datahub.world(rows, now=NOW, actor="alex.agent", role="analyst")


async def published(world: World, name: str) -> list[Row]:
    """Return the payloads of the events of a name that DataHub recorded in this world."""
    return [event["payload"] for event in await world.events() if event["name"] == name]


def entitlement(number: int = 1, holder: str = "sarah.chen", **changes: Any) -> Row:
    """Access of Sarah Chen to the ledger, which comes with her role."""
    row = {
        "id": f"ENT-{number}",
        "person_id": holder,
        "system": "ledger",
        "level": "write",
        "basis": "role",
        "owner": "david.kim",
        "granted_at": NOW - 30 * DAY,
    }
    return {**row, **changes}


def owned(object_id: str, owner: str = "sarah.chen", **changes: Any) -> Row:
    """An object that Sarah Chen answers for."""
    return {"id": object_id, "owner": owner, "since": NOW - 9 * DAY, **changes}


def bolts(quantity: int = 100, **changes: Any) -> Row:
    """A line of bolts at 20 euros for a hundred."""
    row = {"line": 1, "text": "Bolts", "quantity": quantity, "unit": "piece"}
    return {**row, "unit_price": 20.0, "price_per": 100, **changes}


def order(order_id: str = "PO-101", **changes: Any) -> Row:
    """An order of a thousand bolts from V-104."""
    row = {"id": order_id, "supplier_id": "V-104", "currency": "EUR", "lines": [bolts(1000)]}
    return {
        **row,
        "ordered_by": "sarah.chen",
        "receiver": "david.kim",
        "ordered_at": NOW - 20 * DAY,
        **changes,
    }


def invoice(invoice_id: str = "INV-101", **changes: Any) -> Row:
    """V-104's invoice of 200 euros for the thousand bolts."""
    row = {
        "id": invoice_id,
        "number": "RE-7",
        "supplier_id": "V-104",
        "clerk": "alex.agent",
        "currency": "EUR",
    }
    row |= {"order_id": "PO-101", "delivery_note": "DN-1", "account": "DE1", "total": 200.0}
    return {**row, "invoiced_at": NOW - DAY, "lines": [bolts(1000, amount=200.0)], **changes}


def period(**changes: Any) -> Row:
    """A quarter of entity LE-101 that ended three days ago."""
    row = {"id": "PER-101", "entity": "LE-101", "name": "Q3 2030"}
    return {**row, "starts_at": NOW - 95 * DAY, "ends_at": NOW - 3 * DAY, **changes}


def period_line(metric_id: str, reference: float = 10.0, period_id: str = "PER-101") -> Row:
    """A metric that the quarter is closed on."""
    row = {"id": f"{period_id}:{metric_id}", "period_id": period_id, "metric_id": metric_id}
    return {**row, "category": "balance", "owner": "sarah.chen", "reference": reference}


async def a_week(datahub: Desk, *invoices: Row, **tables: list[Row]) -> World:
    """Return a world with an order of V-104, and invoices for it."""
    rows = {
        "people": [person("alex.agent"), person("david.kim")],
        "records": [vendor(fields={"account": "DE-ON-RECORD"})],
        "purchase_orders": [order()],
        "invoices": [*invoices] or [invoice()],
        **tables,
    }
    return await start(datahub, **rows)


async def settle(world: World, disposition: str, invoice_id: str = "INV-101", **given: Any) -> httpx.Response:
    return await world.post(f"/invoices/{invoice_id}/settle", json={"disposition": disposition, **given})


async def settled_invoice(world: World, disposition: str, invoice_id: str = "INV-101", **given: Any) -> Row:
    answer = await settle(world, disposition, invoice_id, **given)
    assert answer.status_code == 200, answer.text
    row: Row = answer.json()
    return row
