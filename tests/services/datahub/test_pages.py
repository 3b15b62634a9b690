"""Lists that are longer than a page: read to their end, they show every row once, under any filter."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    entitlement,
    invoice,
    orders,
    owned,
    period,
    person,
    score,
    start,
    vendor,
)

ALEX = "alex.agent"


@dataclass(frozen=True)
class Listing:
    """A list tool over a table of five rows, of which a filter leaves three.

    Attributes:
        ids: The ids of the rows in the order of the list.
        kept: Those that the filter leaves, in order.
        key: The field that holds an item's id.
    """

    path: str
    tables: dict[str, list[Row]]
    ids: list[str]
    query: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    key: str = "id"


def numbered(prefix: str, count: int = 5) -> list[str]:
    return [f"{prefix}{number}" for number in range(1, count + 1)]


def every_other(ids: list[str]) -> list[str]:
    return ids[::2]


def rows_of(ids: list[str], row: Any, first: Row, second: Row) -> list[Row]:
    """Return a row for each id, with the values of `first` and `second` in turns."""
    return [row(one, **(second if number % 2 else first)) for number, one in enumerate(ids)]


def asset(asset_id: str, **changes: Any) -> Row:
    return {"id": asset_id, "name": "Key", "asset_class": "A", **changes}


def budget(budget_id: str, **changes: Any) -> Row:
    row = {"id": budget_id, "name": "Workshop", "owner": "sarah.chen", "limit_amount": 100.0}
    return {**row, "starts_at": NOW - DAY, "ends_at": NOW + DAY, **changes}


def document(document_id: str, **changes: Any) -> Row:
    row = {"id": document_id, "kind": "policy", "title": "Travel", "department": "people"}
    return {**row, "author": "priya.nair", "written_at": NOW - DAY, "body": "Book hotels early.", **changes}


def job(job_id: str, **changes: Any) -> Row:
    row = {"id": job_id, "metric_id": "MET-0104", "requested_by": ALEX, "started_at": 0, "due_at": 60}
    return {**row, "finished_at": 60, "status": "succeeded", **changes}


def message(message_id: str, **changes: Any) -> Row:
    row = {"id": message_id, "thread": message_id, "sender": "sarah.chen", "recipient": ALEX}
    return {**row, "sent_at": NOW - HOUR, "subject": "Bank", "body": "A new account.", **changes}


def permission(permission_id: str, **changes: Any) -> Row:
    return {"id": permission_id, "allows": "Something.", "grant_s": HOUR, **changes}


def one_entitlement(entitlement_id: str, **changes: Any) -> Row:
    return {**entitlement(), "id": entitlement_id, **changes}


def one_dataset(dataset_id: str, **changes: Any) -> Row:
    return orders(id=dataset_id, **changes)


def one_metric(metric_id: str, **changes: Any) -> Row:
    return score(id=metric_id, **changes)


def one_period(period_id: str, **changes: Any) -> Row:
    return period(id=period_id, **changes)


def one_record(record_id: str, **changes: Any) -> Row:
    return vendor(id=record_id, **changes)


def listing(
    path: str, table: str, prefix: str, row: Any, query: dict[str, str], first: Row, second: Row, **more: Any
) -> Listing:
    """Return a listing whose filter leaves every other row, beginning with the first."""
    ids = numbered(prefix)
    return Listing(path, {table: rows_of(ids, row, first, second)}, ids, query, every_other(ids), **more)


MESSAGES = numbered("MSG-000")
LISTINGS = [
    listing("/assets", "assets", "AST-", asset, {"holder": "a"}, {"holder": "a"}, {"holder": "b"}),
    listing(
        "/budgets",
        "budgets",
        "BUD-",
        budget,
        {"cost_centre": "CC-1"},
        {"cost_centre": "CC-1"},
        {"cost_centre": "CC-2"},
    ),
    listing(
        "/datasets", "datasets", "DS-", one_dataset, {"q": "ORDERS"}, {}, {"name": "r", "description": "r"}
    ),
    listing(
        "/entitlements",
        "entitlements",
        "ENT-",
        one_entitlement,
        {"system": "ledger"},
        {},
        {"system": "archive"},
    ),
    listing(
        "/ownerships",
        "ownerships",
        "V-",
        owned,
        {"owner": "a"},
        {"owner": "a"},
        {"owner": "b"},
        key="object_id",
    ),
    listing("/invoices", "invoices", "INV-", invoice, {"clerk": ALEX}, {}, {"clerk": "ben.okafor"}),
    listing("/periods", "periods", "PER-", one_period, {"status": "open"}, {}, {"status": "locked"}),
    listing("/catalog/metrics", "metrics", "MET-", one_metric, {"subject": "V-104"}, {}, {"subject": None}),
    listing("/jobs", "jobs", "JOB-", job, {"status": "succeeded"}, {}, {"status": "failed"}),
    listing("/records", "records", "R-", one_record, {"kind": "vendor"}, {}, {"kind": "contract"}),
    listing("/people", "people", "p", person, {"role": "cfo"}, {}, {"role": "analyst"}),
    listing(
        "/documents",
        "documents",
        "DOC-",
        document,
        {"q": "hotels", "kind": "policy"},
        {},
        {"kind": "handbook"},
    ),
    Listing("/access", {"permissions": [permission(one) for one in numbered("may_")]}, numbered("may_")),
    Listing(
        "/messages",
        {"messages": rows_of(MESSAGES, message, {"about": "V-104"}, {"about": "V-105"})},
        MESSAGES[::-1],
        {"about": "V-104"},
        every_other(MESSAGES)[::-1],
    ),
]
named = pytest.mark.parametrize("listing", LISTINGS, ids=lambda one: one.path.strip("/").replace("/", "-"))


async def page(world: World, listing: Listing, **query: Any) -> Row:
    """Return a page of a list; documents cannot be listed without words to search for."""
    always = {"q": "hotels"} if listing.path == "/documents" else {}
    answer = await world.get(listing.path, params={**always, **query})
    assert answer.status_code == 200, answer.text
    found: Row = answer.json()
    return found


async def read_to_the_end(world: World, listing: Listing, **query: Any) -> tuple[list[str], set[int], int]:
    """Return the ids of all pages, the totals that they tell, and how many pages there were."""
    ids, totals, pages, cursor = [], set(), 0, None
    while pages == 0 or (cursor is not None and pages < 9):
        one = await page(world, listing, **query, **({"cursor": cursor} if cursor else {}))
        ids += [item[listing.key] for item in one["items"]]
        totals.add(one["total"])
        pages, cursor = pages + 1, one["next_cursor"]
    return ids, totals, pages


@named
async def test_a_list_is_read_to_its_end_without_a_gap_or_a_repetition(
    datahub: Desk, listing: Listing
) -> None:
    world = await start(datahub, **listing.tables)

    by_one = await read_to_the_end(world, listing, limit=1)
    by_two = await read_to_the_end(world, listing, limit=2)
    at_once = await read_to_the_end(world, listing)

    # A full page leads on, so the fifth page of one item leads to an empty one.
    assert by_one == (listing.ids, {5}, 6)
    assert by_two == (listing.ids, {5}, 3)
    assert at_once == (listing.ids, {5}, 1)


@pytest.mark.parametrize(
    "listing",
    [one for one in LISTINGS if one.query],
    ids=lambda one: one.path.strip("/").replace("/", "-"),
)
async def test_a_filter_holds_on_every_page_and_the_total_counts_what_it_leaves(
    datahub: Desk, listing: Listing
) -> None:
    world = await start(datahub, **listing.tables)

    by_two = await read_to_the_end(world, listing, limit=2, **listing.query)
    at_once = await read_to_the_end(world, listing, **listing.query)

    assert by_two == (listing.kept, {3}, 2)
    assert at_once == (listing.kept, {3}, 1)


async def test_a_full_page_leads_on_even_if_nothing_follows_and_a_short_one_does_not(datahub: Desk) -> None:
    assets = LISTINGS[0]
    world = await start(datahub, **assets.tables)

    full = await page(world, assets, limit=5)
    after = await page(world, assets, limit=5, cursor=full["next_cursor"])

    assert full["next_cursor"] == "AST-5"
    assert after == {"items": [], "total": 5, "next_cursor": None}
    assert (await page(world, assets, limit=6))["next_cursor"] is None
