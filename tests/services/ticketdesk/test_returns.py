"""Returning a ticket to its reporter: the question is kept, the verification is gone, and somebody hears of it."""

import pytest

from .company import NOON, a_complete_ticket, a_ticket, open_company

ASKED = {
    "question": "The register has another tax id: which one is right?",
    "references": ["V-104", "DOC-0007", "V-104"],
}


async def returned(world, **body):
    return await world.post("/tickets/TD-1042/returns", json={**ASKED, **body})


@pytest.mark.parametrize("status", ["new", "triage", "blocked", "verified", "in_progress"])
async def test_a_ticket_that_is_worked_on_is_returned_with_a_question(desk, status):
    world = await open_company(desk, a_ticket(status=status))

    answer = await returned(world)

    assert answer.status_code == 201
    assert answer.json() == {
        "id": "TD-1042-R1",
        "ticket_id": "TD-1042",
        "question": ASKED["question"],
        "references": ["V-104", "DOC-0007"],
        "returned_by": "ben.okafor",
        "returned_at": "2030-01-01T12:00:00Z",
    }
    assert (await world.get("/tickets/TD-1042")).json()["status"] == "returned"


async def test_a_return_takes_the_verification_and_the_approval_away(desk):
    verified = {"verified_by": "ben.okafor", "verified_at": 200, "evidence": "Papers", "references": ["V-1"]}
    world = await open_company(desk, a_ticket(status="in_progress", approval="approved", **verified))

    await returned(world)

    ticket = (await world.rows("tickets"))["TD-1042"]
    assert [ticket[name] for name in (*verified, "approval")] == [None, None, None, [], "none"]
    assert (ticket["version"], ticket["updated_at"]) == (2, NOON)


async def test_a_return_is_published_with_the_version_that_has_no_verification(desk):
    world = await open_company(desk, a_ticket(status="verified", version=4))

    await returned(world)

    assert [(event["name"], event["payload"]) for event in await world.events()] == [
        (
            "ticket.returned",
            {
                "ticket_id": "TD-1042",
                "kind": "vendor_onboarding",
                "subject": "V-104",
                "reporter": "ana.lopez",
                "version": 5,
            },
        )
    ]


async def test_the_history_keeps_the_question(desk):
    world = await open_company(desk, a_ticket())

    await returned(world)

    lines = (await world.get("/tickets/TD-1042/history")).json()["items"]
    assert [(line["action"], line["field"], line["after"]) for line in lines] == [
        ("returned", "status", "returned"),
        ("returned", "reason", ASKED["question"]),
    ]


@pytest.mark.parametrize("status", ["done", "returned"])
async def test_a_ticket_that_is_done_or_returned_already_is_not_returned(desk, status):
    world = await open_company(desk, a_ticket(status=status))

    answer = await returned(world)

    assert (answer.status_code, answer.json()["type"]) == (409, "not_returnable")
    assert "reopen_ticket" in answer.json()["detail"]
    assert await world.rows("returns") == {}
    assert await world.events() == []


async def test_a_closed_ticket_and_an_old_version_are_refused(desk):
    world = await open_company(desk, a_ticket(status="closed"), a_ticket("TD-1043", version=3))

    closed = await returned(world)
    old = await world.post("/tickets/TD-1043/returns", json={**ASKED, "version": 2})

    assert [answer.json()["type"] for answer in (closed, old)] == ["ticket_closed", "version_conflict"]


async def test_a_returned_ticket_is_not_verified_before_it_is_taken_back(desk):
    world = await open_company(desk, a_complete_ticket(status="returned"))
    facts = {"evidence": "V-104 is in the register", "references": ["V-104"]}

    refused = await world.post("/tickets/TD-1042/verify", json=facts)
    await world.post("/tickets/TD-1042/reopen", json={"reason": "She has answered."})
    verified = await world.post("/tickets/TD-1042/verify", json=facts)

    assert (refused.status_code, refused.json()["type"]) == (409, "ticket_returned")
    assert refused.json()["remedy"] == "ticketdesk_reopen_ticket"
    assert verified.json()["status"] == "verified"


async def test_a_returned_ticket_that_has_blockers_is_blocked_once_it_is_taken_back(desk):
    blocked = a_ticket(status="blocked", blocked_by=["TD-1001"])
    world = await open_company(desk, blocked, a_ticket("TD-1001"))

    await returned(world)
    answer = await world.post("/tickets/TD-1042/reopen", json={"reason": "She has answered."})

    assert (answer.json()["status"], answer.json()["blocked_by"]) == ("blocked", ["TD-1001"])


async def test_a_second_return_has_an_id_of_its_own(desk):
    world = await open_company(desk, a_ticket())

    await returned(world)
    await world.post("/tickets/TD-1042/reopen", json={"reason": "She has answered."})
    again = await returned(world, references=[])

    assert (again.json()["id"], again.json()["references"]) == ("TD-1042-R2", [])
    assert sorted(await world.rows("returns")) == ["TD-1042-R1", "TD-1042-R2"]
