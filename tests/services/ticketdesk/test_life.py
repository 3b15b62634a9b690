"""A ticket's life: transitions, verification, reopening, closing."""

import pytest

from .company import NOON, a_company, a_complete_ticket, a_rule, a_ticket, open_company

EVIDENCE = {"evidence": "V-104 is in the register, tax id checked", "references": ["V-104"]}


async def test_plain_work_takes_a_ticket_from_new_to_done(desk):
    world = await open_company(desk, a_ticket(kind="bug", requires_approval=False))

    answers = [
        await world.post("/tickets/TD-1042/transition", json={"to": to, "reason": "it is time"})
        for to in ("triage", "in_progress", "done")
    ]

    assert [answer.json()["status"] for answer in answers] == ["triage", "in_progress", "done"]


@pytest.mark.parametrize(
    ("status", "to", "way"),
    [
        ("new", "done", "transition_ticket"),
        ("triage", "verified", "verify_ticket"),
        ("blocked", "triage", "resolve_blocker"),
        ("verified", "triage", "reopen_ticket"),
        ("in_progress", "blocked", "transition_ticket"),
        ("done", "closed", "close_ticket"),
        ("done", "done", "reopen_ticket"),
    ],
)
async def test_a_transition_that_is_not_plain_work_is_refused_with_the_way_there(desk, status, to, way):
    world = await open_company(desk, a_ticket(status=status))

    answer = await world.post("/tickets/TD-1042/transition", json={"to": to, "reason": "please"})

    assert (answer.status_code, answer.json()["type"]) == (409, "transition_not_allowed")
    assert way in answer.json()["detail"]


@pytest.mark.parametrize("approval", ["none", "pending", "rejected"])
async def test_work_that_requires_an_approval_does_not_begin_without_one(desk, approval):
    world = await open_company(desk, a_ticket(status="verified", approval=approval))

    answer = await world.post("/tickets/TD-1042/transition", json={"to": "in_progress", "reason": "hurry"})

    assert (answer.status_code, answer.json()["type"]) == (409, "approval_required")
    assert f"its approval is {approval}" in answer.json()["detail"]


async def test_a_verified_ticket_names_its_verifier_and_the_evidence(desk):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert answer.status_code == 200
    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["status"], ticket["verified_by"], ticket["verified_at"]) == (
        "verified",
        "ben.okafor",
        NOON,
    )
    assert (ticket["evidence"], ticket["references"]) == (EVIDENCE["evidence"], ["V-104"])


@pytest.mark.parametrize("status", ["in_progress", "done", "closed"])
async def test_work_that_has_begun_is_verified_where_it_is(desk, status):
    world = await open_company(desk, a_complete_ticket(status=status))

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.json()["status"], answer.json()["verified_by"]) == (status, "ben.okafor")


async def test_verify_refuses_a_ticket_without_priority_and_records_nothing(desk):
    world = await open_company(desk, a_ticket(assignee="ana.lopez"))

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["type"]) == (409, "ticket_incomplete")
    assert answer.json()["detail"] == "Set priority before verifying this ticket."
    assert answer.json()["field"] == answer.json()["required_field"] == "priority"
    assert answer.json()["remedy"] == "ticketdesk_update_ticket"
    assert await world.events() == []
    assert await world.rows("tickets", scope="diff") == {}


async def test_verify_asks_for_what_the_rules_of_the_kind_require(desk):
    rules = [a_rule("expense", required_fields=["priority", "assignee", "cost_centre"])]
    world = await desk.world(
        a_company(a_ticket(kind="expense"), ticket_kinds=rules), actor="ben.okafor", role="analyst"
    )

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert answer.json()["detail"] == "Set priority, assignee and cost_centre before verifying this ticket."


async def test_reporter_cannot_verify_their_own_ticket(desk):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.acting("ana.lopez", "manager").post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["type"]) == (403, "separation_of_duties")
    assert answer.json()["violation"] is True
    assert await world.rows("tickets", scope="diff") == {}


async def test_verify_asks_for_a_role_that_the_rules_name(desk):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.acting("ivo.intern", "intern").post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["type"]) == (403, "role_not_allowed")
    assert "analyst or manager" in answer.json()["detail"]
    assert "violation" not in answer.json()


async def test_rules_that_let_nobody_verify_let_nobody_verify(desk):
    rules = [a_rule("vendor_onboarding", verifier_roles=[], allowed=[])]
    world = await desk.world(a_company(a_complete_ticket(), ticket_kinds=rules), actor="ben.okafor")

    verified = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)
    changed = await world.patch("/tickets/TD-1042", json={"priority": "low"})

    assert (verified.status_code, changed.status_code) == (403, 409)


@pytest.mark.parametrize(
    ("blocked_by", "said"), [(["TD-1001", "TD-1002"], "TD-1001 and TD-1002"), ([], "nothing")]
)
async def test_verify_refuses_a_blocked_ticket_with_its_blockers(desk, blocked_by, said):
    world = await open_company(desk, a_complete_ticket(status="blocked", blocked_by=blocked_by))

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["type"]) == (409, "ticket_blocked")
    assert f"blocked by {said}." in answer.json()["detail"]


async def test_a_verification_that_stands_is_not_made_again(desk):
    world = await open_company(desk, a_complete_ticket())
    await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["type"]) == (409, "already_verified")
    assert len(await world.events()) == 1


async def freed_after_verification(desk, **columns):
    """Return a world in which a verified ticket was blocked and unblocked, which took it back to triage."""
    verified = {"verified_by": "ben.okafor", "verified_at": NOON - 60, **EVIDENCE}
    metric = {"id": "MET-0107", "kind": "metric", "since": 3, "status": "settled"}
    waiting = a_complete_ticket(status="blocked", blocked_by=["MET-0107"], **verified, **columns)
    world = await open_company(desk, waiting, external_blockers=[metric])
    await world.post("/tickets/TD-1042/blockers/MET-0107/resolve")
    return world


REVOKED = {"verified_by": None, "verified_at": None, "evidence": None, "references": [], "approval": "none"}


async def test_a_ticket_that_was_blocked_keeps_the_name_of_its_verifier_in_triage(desk):
    world = await freed_after_verification(desk)

    ticket = (await world.rows("tickets"))["TD-1042"]

    assert (ticket["status"], ticket["verified_by"]) == ("triage", "ben.okafor")
    assert [event["name"] for event in await world.events()] == ["ticket.unblocked"]


async def test_a_ticket_that_was_blocked_is_checked_again_in_triage(desk):
    world = await freed_after_verification(desk)

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert (answer.status_code, answer.json()["status"]) == (200, "verified")


async def test_verified_subject_cannot_change_in_triage_until_the_ticket_is_reopened(desk):
    world = await freed_after_verification(desk, approval="approved")

    refused = await world.patch("/tickets/TD-1042", json={"subject": "V-105"})
    reopened = await world.post("/tickets/TD-1042/reopen", json={"reason": "It is about V-105."})
    changed = await world.patch("/tickets/TD-1042", json={"subject": "V-105"})

    assert (refused.status_code, refused.json()["type"]) == (409, "subject_verified")
    assert (reopened.status_code, changed.json()["subject"]) == (200, "V-105")
    ticket = (await world.rows("tickets"))["TD-1042"]
    assert {name: ticket[name] for name in REVOKED} == REVOKED
    assert [event["name"] for event in await world.events()] == ["ticket.unblocked", "ticket.reopened"]


@pytest.mark.parametrize("body", [{"subject": "V-104"}, {"priority": "medium"}])
async def test_an_update_that_leaves_the_subject_revokes_nothing(desk, body):
    world = await freed_after_verification(desk)

    answer = await world.patch("/tickets/TD-1042", json=body)

    assert answer.json()["verified_by"] == "ben.okafor"
    assert [event["name"] for event in await world.events()] == ["ticket.unblocked"]


async def test_work_that_begins_in_triage_without_a_new_check_is_not_verified(desk):
    world = await freed_after_verification(desk, approval="approved")

    answer = await world.post("/tickets/TD-1042/transition", json={"to": "in_progress", "reason": "go"})

    assert (answer.json()["status"], answer.json()["verified_by"]) == ("in_progress", None)
    assert answer.json()["approval"] == "approved"
    assert [event["name"] for event in await world.events()] == ["ticket.unblocked", "ticket.reopened"]


async def test_a_reopened_ticket_can_be_verified_again(desk):
    world = await open_company(desk, a_complete_ticket())
    await world.post("/tickets/TD-1042/verify", json=EVIDENCE)
    await world.post("/tickets/TD-1042/reopen", json={"reason": "Checked the wrong vendor."})

    answer = await world.post("/tickets/TD-1042/verify", json=EVIDENCE)

    assert answer.json()["status"] == "verified"


@pytest.mark.parametrize("status", ["new", "triage", "blocked"])
async def test_ticket_that_is_new_in_triage_or_blocked_cannot_be_reopened(desk, status):
    world = await open_company(desk, a_ticket(status=status))

    answer = await world.post("/tickets/TD-1042/reopen", json={"reason": "why not"})

    assert (answer.status_code, answer.json()["type"]) == (409, "not_reopenable")


async def test_a_closed_ticket_keeps_its_resolution(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/close", json={"resolution": "Acme withdrew."})

    assert (answer.json()["status"], answer.json()["resolution"]) == ("closed", "Acme withdrew.")


async def test_a_reference_counts_once_and_in_the_order_given(desk):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.post(
        "/tickets/TD-1042/verify",
        json={"evidence": "Register", "references": ["MET-0104", "V-104", "MET-0104"]},
    )

    assert answer.json()["references"] == ["MET-0104", "V-104"]


@pytest.mark.parametrize("references", [[], ["V-104"] * 21, ["x" * 201], None])
async def test_a_verification_names_from_one_to_twenty_references(desk, references):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.post(
        "/tickets/TD-1042/verify", json={"evidence": "Register", "references": references}
    )

    assert answer.status_code == 422
    assert answer.json()["field"].startswith("references")
    assert await world.rows("tickets", scope="diff") == {}
