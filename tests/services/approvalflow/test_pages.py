"""Lists that are longer than a page: read to their end, they show every row once, under any filter."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.live_services import Desk, World

from .company import NOW, Row, plain_approval, request, start

AGENT = "alex.agent"
NAME = "Ada King"
REQUESTS = [f"APR-000{number}" for number in range(1, 6)]
PURCHASES = [f"PUR-000{number}" for number in range(1, 6)]
TYPES = [f"type_{number}" for number in range(1, 6)]
ENTRIES = [f"APR-0007-A{number}" for number in range(8, 13)]


@dataclass(frozen=True)
class Listing:
    """A list tool over a table of five rows, of which a filter leaves the odd ones."""

    path: str
    tables: dict[str, list[Row]]
    ids: list[str]
    filters: list[dict[str, str]] = field(default_factory=list)


def purchase(number: int, purchase_id: str) -> list[Row]:
    status = "ordered" if number % 2 else "open"
    row = {"id": purchase_id, "item": "Van", "quantity": 1, "requester": AGENT, "amount": 5.0}
    return [{**row, "status": status, "requested_at": NOW}]


def paid_by(number: int, purchase_id: str) -> Row:
    budget_id = f"BUD-{1 + number % 2}"
    return {"id": f"{purchase_id}-L1", "purchase_id": purchase_id, "budget_id": budget_id, "amount": 5.0} | {
        "cost_centre": "CC-1"
    }


def asked(number: int, request_id: str) -> Row:
    """Return a request of the caller's inbox that differs from its neighbors in type, status and ticket."""
    other = {"type": "plain_approval", "status": "escalated", "ticket_id": "TD-9"}
    return request(id=request_id, approver=AGENT, **(other if number % 2 else {}))


def entry(entry_id: str) -> Row:
    row = {"id": entry_id, "request_id": "APR-0007", "at": NOW, "actor": "x"}
    return {**row, "action": "held", "detail": "-"}


INBOX = {"requests": [asked(number, one) for number, one in enumerate(REQUESTS)]}
LISTINGS = [
    Listing("/types", {"approval_types": [plain_approval(id=one) for one in TYPES]}, TYPES),
    Listing(
        "/requests",
        INBOX,
        REQUESTS,
        [{"type": "vendor_approval"}, {"status": "pending"}, {"ticket_id": "TD-1042"}],
    ),
    Listing("/inbox", INBOX, REQUESTS),
    Listing("/requests/APR-0007/audit", {"requests": [request()], "audit": [*map(entry, ENTRIES)]}, ENTRIES),
    Listing(
        "/purchases",
        {
            "purchases": [row for number, one in enumerate(PURCHASES) for row in purchase(number, one)],
            "purchase_shares": [paid_by(number, one) for number, one in enumerate(PURCHASES)],
        },
        PURCHASES,
        [{"status": "open"}, {"budget_id": "BUD-1"}, {"budget_id": "BUD-1", "status": "open"}],
    ),
]
named = pytest.mark.parametrize("listing", LISTINGS, ids=lambda one: one.path.strip("/").replace("/", "-"))


async def read_to_the_end(world: World, listing: Listing, **query: Any) -> tuple[list[str], set[int]]:
    """Return the ids of all pages, and the totals that they tell."""
    ids: list[str] = []
    totals: set[int] = set()
    cursor = ""
    for _ in range(9):
        given = {**query, **({"cursor": cursor} if cursor else {})}
        page = (await world.get(listing.path, params=given)).json()
        ids += [item["id"] for item in page["items"]]
        totals.add(page["total"])
        if (cursor := page["next_cursor"] or "") == "":
            break
    return ids, totals


@named
@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_a_list_is_read_to_its_end_without_a_gap_or_a_repetition(
    approvalflow: Desk, listing: Listing, limit: int
) -> None:
    world = await start(approvalflow, **listing.tables)

    assert await read_to_the_end(world, listing, limit=limit) == (listing.ids, {5})


@pytest.mark.parametrize(
    ("listing", "query"),
    [(one, query) for one in LISTINGS for query in one.filters],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
async def test_a_filter_holds_on_every_page_and_the_total_counts_what_it_leaves(
    approvalflow: Desk, listing: Listing, query: dict[str, str]
) -> None:
    world = await start(approvalflow, **listing.tables)

    assert await read_to_the_end(world, listing, limit=2, **query) == (listing.ids[::2], {3})


async def test_found_requests_are_read_to_the_end(approvalflow: Desk) -> None:
    requests = [request(id=one, fields={"vendor_name": NAME}) for one in REQUESTS]
    world = await start(approvalflow, requests=requests)

    async def page(**more: Any) -> Row:
        body = {"identifiers": [NAME], "limit": 2, **more}
        found: Row = (await world.post("/personal-data/find", json=body)).json()
        return found

    first = await page()
    second = await page(cursor=first["next_cursor"])
    third = await page(cursor=second["next_cursor"])
    assert [item["id"] for one in (first, second, third) for item in one["items"]] == REQUESTS
    assert (first["total"], third["next_cursor"]) == (5, None)
