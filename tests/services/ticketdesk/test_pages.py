"""Lists and queries that are longer than a page: read to their end, they show every row once, under any filter."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from services.ticketdesk.queues.domain import MOST_IDS
from tests.live_services import Desk, World

from .company import NOON, a_ticket, open_company
from .support import a_clock, open_support

Row = dict[str, Any]
TICKETS = [f"TD-100{number}" for number in range(1, 6)]
CHANGES = [f"CHG-10{number}" for number in range(1, 6)]
#: Ids whose order as texts is not that of their numbers.
COMMENTS = [f"TD-1001-C{number}" for number in range(8, 13)]


@dataclass(frozen=True)
class Listing:
    """A list tool over a table of five rows, of which a filter leaves the odd ones."""

    path: str
    tables: dict[str, list[Row]]
    ids: list[str]
    filters: list[dict[str, str]] = field(default_factory=list)
    query: dict[str, str] = field(default_factory=dict)


def ticket(number: int, ticket_id: str) -> Row:
    """Return a ticket that differs from its neighbors in everything that a list can be filtered by."""
    other = {"kind": "bug", "status": "done", "priority": "high", "assignee": "ana.lopez", "reporter": "x"}
    mine = {"kind": "task", "status": "new", "priority": "low", "assignee": "ben.okafor"}
    return a_ticket(ticket_id, **(other if number % 2 else mine))


def change(number: int, change_id: str) -> Row:
    row = {"id": change_id, "procedure": "restart", "category": "emergency", "planned_by": "x"}
    where = {"ticket_id": f"TD-100{1 + number % 2}", "system": f"SYS-{number % 2}"}
    return {**row, **where, "planned_at": NOON}


def comment(comment_id: str) -> Row:
    return {"id": comment_id, "ticket_id": "TD-1001", "author": "x", "body": "-", "created_at": NOON}


FIVE = [ticket(number, one) for number, one in enumerate(TICKETS)]
LISTINGS = [
    Listing(
        "/tickets",
        {"tickets": FIVE},
        TICKETS,
        [{"kind": "task"}, {"status": "new"}, {"priority": "low"}, {"assignee": "ben.okafor"}],
    ),
    Listing("/search", {"tickets": FIVE}, TICKETS, [{"kind": "task"}], {"q": "acme"}),
    Listing(
        "/query",
        {"tickets": FIVE},
        TICKETS,
        [
            {"q": "acme kind:task"},
            {"q": "status:new"},
            {"q": "priority:low"},
            {"q": "reporter:ana.lopez"},
            {"q": "assignee:ben.okafor"},
            {"q": "id:TD-1001,TD-1003,TD-1005"},
        ],
        {"q": "acme"},
    ),
    Listing(
        "/changes",
        {"changes": [change(number, one) for number, one in enumerate(CHANGES)], "tickets": FIVE},
        CHANGES,
        [{"ticket_id": "TD-1001"}, {"system": "SYS-0"}],
    ),
    Listing("/tickets/TD-1001/comments", {"tickets": FIVE, "comments": [*map(comment, COMMENTS)]}, COMMENTS),
]
named = pytest.mark.parametrize("listing", LISTINGS, ids=lambda one: one.path.strip("/").replace("/", "-"))


async def opened(desk: Desk, tables: dict[str, list[Row]]) -> World:
    others = {table: rows for table, rows in tables.items() if table != "tickets"}
    return await open_company(desk, *tables["tickets"], **others)


async def read_to_the_end(world: World, path: str, **query: Any) -> tuple[list[str], set[int]]:
    """Return the ids of all pages, and the totals that they tell."""
    ids: list[str] = []
    totals: set[int] = set()
    cursor = ""
    for _ in range(9):
        page = (await world.get(path, params={**query, **({"cursor": cursor} if cursor else {})})).json()
        ids += [item["id"] for item in page["items"]]
        totals.add(page["total"])
        if (cursor := page["next_cursor"] or "") == "":
            break
    return ids, totals


@named
@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_a_list_is_read_to_its_end_without_a_gap_or_a_repetition(
    desk: Desk, listing: Listing, limit: int
) -> None:
    world = await opened(desk, listing.tables)

    found = await read_to_the_end(world, listing.path, limit=limit, **listing.query)

    assert found == (listing.ids, {5})


@pytest.mark.parametrize(
    ("listing", "query"),
    [(one, query) for one in LISTINGS for query in one.filters],
    ids=lambda value: ",".join(value.values()) if isinstance(value, dict) else "",
)
async def test_a_filter_holds_on_every_page_and_the_total_counts_what_it_leaves(
    desk: Desk, listing: Listing, query: dict[str, str]
) -> None:
    world = await opened(desk, listing.tables)

    found = await read_to_the_end(world, listing.path, limit=2, **{**listing.query, **query})

    assert found == (listing.ids[::2], {3})


async def test_queues_are_read_to_the_end(desk: Desk) -> None:
    world = await open_support(desk)

    assert await read_to_the_end(world, "/queues", limit=1) == (["billing", "intake"], {2})


async def test_tickets_and_comments_that_mention_a_person_are_read_to_the_end(desk: Desk) -> None:
    tickets = [a_ticket(one, title="Ada King") for one in TICKETS]
    world = await open_company(desk, *tickets, comments=[{**comment("TD-1001-C1"), "body": "For Ada King."}])

    async def page(**more: Any) -> Row:
        body = {"identifiers": ["Ada King"], "limit": 4, **more}
        found: Row = (await world.post("/personal-data/find", json=body)).json()
        return found

    first = await page()
    rest = await page(cursor=first["next_cursor"])
    ids = [item["id"] for one in (first, rest) for item in one["items"]]
    assert ids == ["TD-1001", "TD-1001-C1", *TICKETS[1:]]
    assert (first["total"], rest["next_cursor"]) == (6, None)


@pytest.mark.parametrize(("count", "status"), [(MOST_IDS, 200), (MOST_IDS + 1, 422)])
async def test_a_query_names_at_most_so_many_ids(desk: Desk, count: int, status: int) -> None:
    world = await open_support(desk)

    answer = await world.get("/query", params={"q": "id:" + ",".join(["TD-1042"] * count)})

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("id:TD-1042,,TD-1043,", ["TD-1042", "TD-1043"]),
        ("id:TD-1043 id:TD-1042", ["TD-1042", "TD-1043"]),
        ("reporter:Ana.Lopez", []),
        ("answered:YES", ["TD-1043"]),
        ("answered:no", ["TD-1042", "TD-1044"]),
        ("answered:no status:new", ["TD-1042"]),
        ("supplies paper acme", ["TD-1042", "TD-1043"]),
        ("supplies paper rocks", []),
    ],
)
async def test_a_query_compares_ids_people_answers_and_every_text(
    desk: Desk, q: str, found: list[str]
) -> None:
    tickets = [a_ticket(), a_ticket("TD-1043"), a_ticket("TD-1044", status="done", title="-", reporter="x")]
    clocks = [a_clock(), a_clock("TD-1043", answered_at=NOON - 1)]
    world = await open_support(desk, *tickets, answer_clocks=clocks)

    answer = await world.get("/query", params={"q": q})

    assert [one["id"] for one in answer.json()["items"]] == found
