"""The inbox: who sees and decides what, questions and their answers, and requests passed on."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk

from .approver_desk import (
    AGENT,
    PEOPLE,
    ask,
    decide,
    head,
    inbox,
    open_desk,
    pass_on,
    purchase,
    purchase_approval,
)
from .company import NOW, Row, person, published, read, refusal, ticket, trail


async def test_an_inbox_holds_ones_own_requests_and_those_of_absent_principals(approvalflow: Desk) -> None:
    requests = [
        purchase("APR-0011"),
        purchase("APR-0012", approver=AGENT),
        purchase("APR-0013", approver="otto.other"),
        purchase("APR-0014", status="approved"),
        purchase("APR-0015", fields={"amount": 9000.0, "cost_centre": "CC-310"}),
    ]
    world = await open_desk(approvalflow, requests=requests)

    assert await inbox(world) == ["APR-0011", "APR-0012", "APR-0015"]
    assert await inbox(world.acting("rita.requester", "engineer")) == []


async def test_an_inbox_follows_a_chain_of_absent_people(approvalflow: Desk) -> None:
    boss = person("bea.boss", "cfo", away=True, delegate="hanna.head", delegate_types=["purchase_approval"])
    circle = person("cora.circle", "cfo", away=True, delegate="cora.circle")
    requests = [purchase("APR-0011", approver="bea.boss"), purchase("APR-0012", approver="cora.circle")]
    world = await open_desk(approvalflow, people=[*PEOPLE, boss, circle], requests=requests)

    assert await inbox(world) == ["APR-0011"]


async def test_an_inbox_is_empty_of_what_its_owner_delegates_while_present(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, people=[head(away=False), *PEOPLE[1:]])

    assert await inbox(world) == []
    assert refusal(await decide(world)) == (403, "not_in_inbox", None)


async def test_an_approval_is_the_callers_and_commits_the_amount(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)

    answer = await decide(world, comment="Within the policy.")

    assert answer.status_code == 200, answer.text
    decided = await read(world, "APR-0011")
    assert (decided["status"], decided["decided_by"], decided["reason_code"]) == ("approved", AGENT, None)
    assert await trail(world, "APR-0011") == ["approved"]
    [event] = await published(world, "budget.consumed")
    spent = {"request_id": "APR-0011", "cost_centre": "CC-310", "amount": 1200.0, "budget_id": None}
    assert event == spent
    assert [one["outcome"] for one in await published(world, "approval.decided")] == ["approved"]
    assert await inbox(world) == []


async def test_a_rejection_has_its_reason_and_commits_nothing(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)

    await decide(world, decision="reject", reason_code="over_budget", comment="50 are left.")

    decided = await read(world, "APR-0011")
    assert (decided["status"], decided["reason_code"]) == ("rejected", "over_budget")
    assert decided["reason"] == "The budget does not cover it. 50 are left."
    assert await published(world, "budget.consumed") == []


async def test_an_approval_of_a_type_without_a_budget_commits_nothing(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, approval_types=[purchase_approval(budget_field=None)])

    await decide(world)

    assert await published(world, "budget.consumed") == []


async def test_a_simulated_approver_commits_the_amount_too(approvalflow: Desk) -> None:
    one = purchase(approver="otto.other", decision_due=NOW + HOUR)
    world = await open_desk(approvalflow, requests=[one])

    await world.advance(HOUR)

    assert (await read(world, "APR-0011"))["decided_by"] == "otto.other"
    assert [event["amount"] for event in await published(world, "budget.consumed")] == [1200.0]


async def test_service_does_not_decide_for_people_who_decide_in_person(approvalflow: Desk) -> None:
    one = purchase(approver=AGENT, decision_due=NOW + HOUR)
    world = await open_desk(approvalflow, requests=[one])

    await world.advance(DAY)

    assert (await read(world, "APR-0011"))["status"] == "pending"
    assert await inbox(world) == ["APR-0011"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"decision": "reject"}, (422, "reason_code_required", "reason_code")),
        ({"reason_code": "duplicate"}, (422, "reason_code_not_allowed", "reason_code")),
        ({"decision": "maybe"}, (422, "invalid_request", "decision")),
        ({"version": 1}, (409, "version_conflict", None)),
    ],
)
async def test_a_malformed_decision_changes_nothing(
    approvalflow: Desk, body: Row, expected: tuple[int, str, str | None]
) -> None:
    world = await open_desk(approvalflow)

    answer = await decide(world, **body)

    assert refusal(answer)[:2] == expected[:2]
    assert (await read(world, "APR-0011"))["version"] == 2
    assert await world.events() == []


async def test_the_reasons_are_listed_where_one_is_missing(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)

    problem = (await decide(world, decision="reject")).json()

    assert "split_purchase" in problem["allowed_values"]
    assert problem["required_field"] == "reason_code"


async def test_ones_own_request_is_not_ones_to_decide(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, requests=[purchase(requester=AGENT)])

    answer = await decide(world)

    assert refusal(answer)[:2] == (403, "separation_of_duties")
    assert answer.json()["violation"] is True
    assert (await read(world, "APR-0011"))["status"] == "pending"


async def test_nor_is_a_request_about_a_ticket_that_one_reported(approvalflow: Desk) -> None:
    about = purchase(ticket_id="TD-1042")
    world = await open_desk(approvalflow, requests=[about], tickets=[ticket(reporter=AGENT)])

    assert refusal(await decide(world))[:2] == (403, "separation_of_duties")


@pytest.mark.parametrize(
    "changes",
    [{"delegate_limit": 1000.0}, {"delegate_types": ["vendor_approval"]}],
    ids=["amount", "type"],
)
async def test_a_delegation_covers_what_it_names_and_no_more(approvalflow: Desk, changes: Row) -> None:
    world = await open_desk(approvalflow, people=[head(**changes), *PEOPLE[1:]])

    answer = await decide(world)

    assert refusal(answer)[:2] == (403, "delegation_exceeded")
    assert "violation" not in answer.json() or answer.json()["violation"] is False
    assert await inbox(world) == ["APR-0011"]


async def test_a_decided_request_is_not_decided_again(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)
    await decide(world)

    assert refusal(await decide(world, decision="reject", reason_code="duplicate"))[:2] == (
        409,
        "request_not_open",
    )


async def test_a_dossier_holds_what_was_handed_in(approvalflow: Desk) -> None:
    items = [
        {"id": f"APR-0011-L{n}", "request_id": "APR-0011", "text": f"Part {n}", "quantity": 2}
        | {"unit_price": 50.0, "amount": 100.0}
        for n in range(1, 13)
    ]
    attached = {"kind": "document", "reference": "Q-1", "by": "rita.requester", "at": NOW - DAY}
    one = purchase(evidence={"attachments": [attached]})
    world = await open_desk(approvalflow, requests=[one], line_items=items)

    dossier = (await world.get("/requests/APR-0011/dossier")).json()

    assert [item["text"] for item in dossier["line_items"]] == [f"Part {n}" for n in range(1, 13)]
    assert [one["reference"] for one in dossier["attachments"]] == ["Q-1"]
    assert dossier["fields"] == {"amount": 1200.0, "cost_centre": "CC-310"}
    assert dossier["questions"] == []
    assert refusal(await world.get("/requests/APR-9/dossier"))[:2] == (404, "request_unknown")


async def test_a_request_passed_on_is_decided_by_whom_it_was_passed_to(approvalflow: Desk) -> None:
    too_much = purchase(fields={"amount": 9000.0, "cost_centre": "CC-310"})
    world = await open_desk(approvalflow, requests=[too_much])

    passed = (await pass_on(world, "otto.other")).json()
    await world.advance(2 * HOUR)

    assert (passed["approver"], passed["status"]) == ("otto.other", "escalated")
    assert await inbox(world) == []
    decided = await read(world, "APR-0011")
    assert (decided["status"], decided["decided_by"]) == ("approved", "otto.other")
    assert await trail(world, "APR-0011") == ["passed_on", "approved"]


async def test_unauthorized_recipient_rejects_a_request_passed_on_to_them(approvalflow: Desk) -> None:
    people = [*PEOPLE, person("ned.nobody", "engineer")]
    world = await open_desk(approvalflow, people=people)

    await pass_on(world, "ned.nobody")
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0011"))["reason_code"] == "not_my_approval"


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("no.body", (404, "approver_unknown", "to")),
        (AGENT, (422, "already_there", "to")),
        ("hanna.head", (422, "already_there", "to")),
        ("rita.requester", (403, "recipient_involved", "to")),
        ("anna.away", (409, "approver_away", "to")),
    ],
)
async def test_a_request_is_not_passed_to_people_who_cannot_decide_it(
    approvalflow: Desk, to: str, expected: tuple[int, str, str]
) -> None:
    people = [*PEOPLE, person("anna.away", "unit_head", away=True)]
    world = await open_desk(approvalflow, people=people)

    assert refusal(await pass_on(world, to)) == expected
    assert (await read(world, "APR-0011"))["approver"] == "hanna.head"


async def test_request_in_another_inbox_can_neither_be_asked_about_nor_passed_on(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, requests=[purchase(approver="otto.other")])

    assert refusal(await ask(world))[:2] == (403, "not_in_inbox")
    assert refusal(await pass_on(world, "anna.away"))[:2] == (403, "not_in_inbox")
