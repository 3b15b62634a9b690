"""Creating, changing and assigning tickets."""

import pytest

from .company import NOON, a_complete_ticket, a_rule, a_ticket, open_company

A_BUG = {"kind": "bug", "title": "Sign-in fails", "description": "One in twenty sign-ins fails since noon."}


async def test_a_new_ticket_is_filed_in_the_callers_name(desk):
    world = await open_company(desk, a_ticket("TD-1042"))

    answer = await world.post("/tickets", json={**A_BUG, "subject": "MET-0104", "priority": "high"})

    assert answer.status_code == 201
    assert (await world.rows("tickets"))["TD-1043"] == {
        **A_BUG,
        "id": "TD-1043",
        "status": "new",
        "reporter": "ben.okafor",
        "subject": "MET-0104",
        "priority": "high",
        "requires_approval": False,
        "approval": "none",
        "assignee": None,
        "cost_centre": None,
        "blocked_by": [],
        "resolution": None,
        "evidence": None,
        "references": [],
        "verified_by": None,
        "verified_at": None,
        "created_at": NOON,
        "updated_at": NOON,
        "version": 1,
    }


async def test_new_tickets_are_numbered_on_from_the_greatest_number(desk):
    world = await open_company(desk, a_ticket("TD-9999"), a_ticket("TD-10000"), a_ticket("TD-archive"))

    first = await world.post("/tickets", json=A_BUG)
    second = await world.post("/tickets", json=A_BUG)

    assert [first.json()["id"], second.json()["id"]] == ["TD-10001", "TD-10002"]


async def test_the_first_ticket_of_a_company_is_td_1001(desk):
    world = await open_company(desk)

    assert (await world.post("/tickets", json=A_BUG)).json()["id"] == "TD-1001"


async def test_a_new_ticket_that_binds_the_company_requires_an_approval(desk):
    world = await open_company(desk)

    answer = await world.post("/tickets", json={**A_BUG, "kind": "license"})

    assert answer.json()["requires_approval"] is True


async def test_a_ticket_is_of_a_kind_that_the_company_has(desk):
    world = await desk.world({"ticket_kinds": [a_rule("lamp"), a_rule("chair")]})

    refused = await world.post("/tickets", json=A_BUG)
    filed = await world.post("/tickets", json={**A_BUG, "kind": "Chair"})

    assert (refused.status_code, refused.json()["type"]) == (404, "kind_unknown")
    assert "chair, lamp" in refused.json()["detail"]
    assert filed.json()["kind"] == "chair"


async def test_a_new_ticket_has_no_priority_outside_its_rules(desk):
    world = await open_company(desk)

    answer = await world.post("/tickets", json={**A_BUG, "priority": "urgent"})

    assert (answer.status_code, answer.json()["type"]) == (409, "priority_not_allowed")
    assert await world.rows("tickets") == {}


async def test_an_update_changes_the_fields_given_and_counts_the_version_up(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.patch(
        "/tickets/TD-1042", json={"priority": "high", "cost_centre": "CC-210", "title": None}
    )

    assert answer.status_code == 200
    assert (await world.rows("tickets", scope="diff"))["TD-1042"] == {
        **a_ticket(priority="high", cost_centre="CC-210", version=2, updated_at=NOON),
        "assignee": None,
        "blocked_by": [],
        "resolution": None,
        "evidence": None,
        "references": [],
        "verified_by": None,
        "verified_at": None,
        "approval": "none",
    }


async def test_a_priority_outside_the_rules_is_refused_with_those_allowed(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.patch("/tickets/TD-1042", json={"priority": "urgent", "title": "Now!"})

    assert (answer.status_code, answer.json()["type"]) == (409, "priority_not_allowed")
    assert answer.json()["field"] == "priority"
    assert "medium or high" in answer.json()["detail"]
    assert await world.rows("tickets", scope="diff") == {}


async def test_subject_of_a_ticket_can_be_set_later(desk):
    world = await open_company(desk, a_ticket(subject=None))

    answer = await world.patch("/tickets/TD-1042", json={"subject": "V-104"})

    assert (answer.status_code, answer.json()["subject"], answer.json()["version"]) == (200, "V-104", 2)


async def test_subject_of_a_verified_ticket_cannot_change(desk):
    verified = a_ticket(subject="V-104", status="verified", verified_by="ana.lopez", verified_at=NOON)
    world = await open_company(desk, verified)

    same = await world.patch("/tickets/TD-1042", json={"subject": "V-104"})
    other = await world.patch("/tickets/TD-1042", json={"subject": "V-105"})

    assert same.status_code == 200
    assert (other.status_code, other.json()["type"]) == (409, "subject_verified")
    assert other.json()["field"] == "subject"
    assert await world.rows("tickets", scope="diff") == {}


@pytest.mark.parametrize("body", [{}, {"title": None}, {"version": 1}])
async def test_an_update_that_names_no_field_is_refused(desk, body):
    world = await open_company(desk, a_ticket())

    answer = await world.patch("/tickets/TD-1042", json=body)

    assert (answer.status_code, answer.json()["type"]) == (422, "nothing_to_change")


async def test_an_update_to_what_is_so_already_changes_nothing(desk):
    world = await open_company(desk, a_ticket(priority="high"))

    answer = await world.patch("/tickets/TD-1042", json={"priority": "high"})

    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert await world.rows("tickets", scope="diff") == {}
    assert await world.rows("history") == {}


async def test_a_ticket_is_assigned_to_an_active_colleague(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/assign", json={"assignee": "ana.lopez"})

    assert (answer.status_code, answer.json()["assignee"]) == (200, "ana.lopez")


@pytest.mark.parametrize(
    ("assignee", "status", "code"),
    [("nobody", 404, "person_unknown"), ("eve.gone", 409, "person_inactive")],
)
async def test_a_ticket_is_not_assigned_to_who_cannot_take_it(desk, assignee, status, code):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/assign", json={"assignee": assignee})

    assert (answer.status_code, answer.json()["type"], answer.json()["field"]) == (status, code, "assignee")
    assert await world.rows("tickets", scope="diff") == {}


CHANGES = [
    ("PATCH", "", {"priority": "high"}),
    ("POST", "/assign", {"assignee": "ana.lopez"}),
    ("POST", "/transition", {"to": "triage", "reason": "ours"}),
    ("POST", "/verify", {"evidence": "V-104 exists", "references": ["V-104"]}),
    ("POST", "/reopen", {"reason": "wrong"}),
    ("POST", "/close", {"resolution": "done"}),
    ("POST", "/blockers/TD-1001/resolve", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
async def test_a_change_to_another_version_is_refused(desk, method, path, body):
    world = await open_company(desk, a_complete_ticket(version=3))

    answer = await world.call(method, f"/tickets/TD-1042{path}", json={**body, "version": 2})

    assert (answer.status_code, answer.json()["type"]) == (409, "version_conflict")
    assert await world.rows("tickets", scope="diff") == {}


async def test_a_change_to_the_version_that_was_read_is_made(desk):
    world = await open_company(desk, a_ticket(version=3))

    answer = await world.patch("/tickets/TD-1042", json={"priority": "high", "version": 3})

    assert (answer.status_code, answer.json()["version"]) == (200, 4)


AFTER_CLOSING = [change for change in CHANGES if change[1] != "/verify"] + [
    ("POST", "/links", {"kind": "relates", "target": "V-104"}),
]


@pytest.mark.parametrize(("method", "path", "body"), AFTER_CLOSING)
async def test_a_closed_ticket_cannot_be_changed(desk, method, path, body):
    world = await open_company(desk, a_complete_ticket(status="closed", resolution="done"))

    answer = await world.call(method, f"/tickets/TD-1042{path}", json=body)

    assert (answer.status_code, answer.json()["type"]) == (409, "ticket_closed")


@pytest.mark.parametrize(
    ("method", "path", "body"), [*AFTER_CLOSING, ("POST", "/comments", {"body": "hello"})]
)
async def test_operations_on_an_unknown_ticket_are_not_found(desk, method, path, body):
    world = await open_company(desk)

    answer = await world.call(method, f"/tickets/TD-1042{path}", json=body)

    assert (answer.status_code, answer.json()["type"]) == (404, "ticket_unknown")
