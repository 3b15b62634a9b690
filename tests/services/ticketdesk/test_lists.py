"""Listing, searching and reading tickets."""

import pytest

from .company import KINDS, a_rule, a_ticket, open_company


def ids(answer):
    return [item["id"] for item in answer.json()["items"]]


async def test_tickets_are_listed_in_order_of_their_ids(desk):
    world = await open_company(desk, a_ticket("TD-1003"), a_ticket("TD-1001"), a_ticket("TD-1002"))

    answer = await world.get("/tickets")

    assert answer.status_code == 200
    assert ids(answer) == ["TD-1001", "TD-1002", "TD-1003"]
    assert answer.json()["next_cursor"] is None


async def test_a_list_keeps_what_passes_every_filter(desk):
    world = await open_company(
        desk,
        a_ticket("TD-1001", kind="bug", status="triage", priority="high", assignee="ana.lopez"),
        a_ticket("TD-1002", kind="bug", status="triage", priority="high", assignee="ben.okafor"),
        a_ticket("TD-1003", kind="bug", status="new", priority="high", assignee="ana.lopez"),
        a_ticket("TD-1004", kind="task", status="triage", priority="high", assignee="ana.lopez"),
        a_ticket("TD-1005", kind="bug", status="triage", priority="low", assignee="ana.lopez"),
    )
    filters = {"kind": "bug", "status": "triage", "priority": "high", "assignee": "ana.lopez"}

    assert ids(await world.get("/tickets", params=filters)) == ["TD-1001"]


async def test_a_search_finds_text_in_id_title_description_and_subject_in_any_case(desk):
    nothing = {"title": "x", "description": "x", "subject": None}
    world = await open_company(
        desk,
        a_ticket("TD-1001", **{**nothing, "title": "Onboard ACME"}),
        a_ticket("TD-1002", **{**nothing, "description": "for Acme"}),
        a_ticket("TD-1003", **{**nothing, "subject": "V-acme"}),
        a_ticket("TD-1004", **nothing),
    )

    assert ids(await world.get("/search", params={"q": "acme"})) == ["TD-1001", "TD-1002", "TD-1003"]
    assert ids(await world.get("/search", params={"q": "td-1004"})) == ["TD-1004"]


async def test_a_search_takes_wildcards_as_the_characters_they_are(desk):
    world = await open_company(desk, a_ticket("TD-1001", title="100% done_"), a_ticket("TD-1002"))

    assert ids(await world.get("/search", params={"q": "%"})) == ["TD-1001"]
    assert ids(await world.get("/search", params={"q": "done_"})) == ["TD-1001"]
    assert ids(await world.get("/search", params={"q": "\\"})) == []


async def test_a_search_finds_the_kind_in_another_spelling(desk):
    world = await open_company(desk, a_ticket("TD-1001", kind="call_back"), a_ticket("TD-1002"))

    assert ids(await world.get("/search", params={"q": "call-back"})) == ["TD-1001"]


async def test_a_search_needs_a_text_or_a_filter(desk):
    world = await open_company(desk, a_ticket("TD-1001"), a_ticket("TD-1002", status="done"))

    refused = await world.get("/search")

    assert (refused.status_code, refused.json()["type"]) == (422, "query_required")
    assert ids(await world.get("/search", params={"status": "done"})) == ["TD-1002"]


async def test_a_ticket_is_shown_whole_with_its_times_as_instants(desk):
    row = a_ticket(
        priority="high", verified_by="ana.lopez", verified_at=86_400, evidence="V-104", status="verified"
    )
    world = await open_company(desk, row)

    answer = await world.get("/tickets/TD-1042")

    assert answer.json() == {
        **row,
        "assignee": None,
        "cost_centre": None,
        "blocked_by": [],
        "resolution": None,
        "references": [],
        "approval": "none",
        "version": 1,
        "created_at": "2030-01-01T00:01:40Z",
        "updated_at": "2030-01-01T00:01:40Z",
        "verified_at": "2030-01-02T00:00:00Z",
    }


async def test_an_unknown_ticket_is_refused_with_the_way_to_find_one(desk):
    world = await open_company(desk)

    answer = await world.get("/tickets/TD-9")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "ticket_unknown",
        "title": "Ticket unknown",
        "status": 404,
        "detail": "No ticket has this id: 'TD-9'. Find ids with ticketdesk_search_tickets.",
        "field": "ticket_id",
        "remedy": "ticketdesk_search_tickets",
    }


async def test_a_world_cannot_see_the_tickets_of_another(desk):
    await open_company(desk, a_ticket("TD-1001"))
    world = await open_company(desk, a_ticket("TD-1002"))

    assert ids(await world.get("/tickets")) == ["TD-1002"]
    assert (await world.get("/tickets/TD-1001")).status_code == 404


async def test_the_rules_of_a_kind_can_be_read(desk):
    world = await open_company(desk)

    answer = await world.get("/rules/expense")

    assert answer.json() == {
        "kind": "expense",
        "name": "Expense",
        "allowed_priorities": ["medium", "high"],
        "required_fields": ["priority", "assignee"],
        "verifier_roles": ["analyst", "manager"],
        "needs_approval": True,
        "all_kinds": sorted(KINDS),
    }


@pytest.mark.parametrize("path", ["/rules/{kind}", "/tickets?kind={kind}", "/search?q=x&kind={kind}"])
async def test_a_kind_that_the_company_does_not_have_is_refused_with_those_it_has(desk, path):
    world = await desk.world({"ticket_kinds": [a_rule("lamp"), a_rule("chair")]})

    answer = await world.get(path.format(kind="expense"))

    assert (answer.status_code, answer.json()["type"]) == (404, "kind_unknown")
    assert "chair, lamp" in answer.json()["detail"]


async def test_a_kind_is_known_in_any_case(desk):
    world = await desk.world({"ticket_kinds": [a_rule("Lamp")]})

    assert (await world.get("/rules/lAMP")).json()["kind"] == "Lamp"
