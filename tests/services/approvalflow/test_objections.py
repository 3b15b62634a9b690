"""What an approver objects to for a reason of their own, and what settles it: a field stated, somebody else asked."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    cfo,
    person,
    read,
    refusal,
    rejection,
    score,
    start,
    submit,
    ticket,
    trail,
    vendor_approval,
)

DAVID = person("david.kim", "finance_director")
COST_CENTRE = {
    "name": "cost_centre",
    "type": "string",
    "description": "The cost centre that the ticket names.",
    "required": False,
}
BUDGET = rejection(reason_code="budget_code_missing", remedy="fix_field", states={"cost_centre": "CC-310"})
SECOND = rejection(reason_code="second_opinion_wanted", remedy="second_approver")


async def objected_to(approvalflow: Desk, *objections: Row, **tables: list[Row]) -> World:
    """Return a world in which the CFO has turned APR-0001 down, and metrics keep."""
    type_ = vendor_approval(fields=[*vendor_approval()["fields"], COST_CENTRE])
    rows = {"approval_types": [type_], "metrics": [score(expires_at=NOW + 9 * DAY)], **tables}
    world = await start(approvalflow, rejections=list(objections), **rows)
    await submit(world)
    await world.advance(2 * HOUR)
    return world


async def resubmitted(world: World, request_id: str, **body: Any) -> Row:
    """Make a request again, let it be decided, and return it."""
    answer = await world.post(f"/requests/{request_id}/resubmit", json=body)
    assert answer.status_code == 201, answer.text
    await world.advance(2 * HOUR)
    return await read(world, answer.json()["id"])


async def test_a_rejection_says_which_field_is_missing_and_what_it_means_but_not_what_it_holds(
    approvalflow: Desk,
) -> None:
    world = await objected_to(approvalflow, BUDGET)

    status = (await world.get("/requests/APR-0001/status")).json()

    assert (status["status"], status["reason_code"]) == ("rejected", "budget_code_missing")
    assert "cost_centre in its fields: The cost centre that the ticket names." in status["explanation"]
    assert "CC-310" not in status["explanation"]
    assert (status["remedy"], status["required_field"]) == ("fix_field", "cost_centre")
    assert "states" not in status | await read(world, "APR-0001")


async def test_a_missing_field_is_asked_for_until_it_holds_what_is_right(approvalflow: Desk) -> None:
    world = await objected_to(approvalflow, BUDGET)

    silent = await resubmitted(world, "APR-0001")
    wrong = await resubmitted(world, "APR-0002", fields={"cost_centre": "CC-311"})
    right = await resubmitted(world, "APR-0003", fields={"cost_centre": "CC-310"})

    assert [silent["reason_code"], wrong["reason_code"]] == ["budget_code_missing"] * 2
    assert (right["status"], right["fields"]["cost_centre"]) == ("approved", "CC-310")


async def test_a_field_that_the_type_does_not_have_is_refused_however_much_it_is_missed(
    approvalflow: Desk,
) -> None:
    world = await objected_to(approvalflow, BUDGET, approval_types=[vendor_approval()])

    answer = await world.post("/requests/APR-0001/resubmit", json={"fields": {"cost_centre": "CC-310"}})

    assert refusal(answer) == (422, "field_unknown", "cost_centre")


@pytest.mark.parametrize("approver", [None, "sarah.chen"])
async def test_resubmission_to_an_approver_who_required_a_second_is_refused(
    approvalflow: Desk, approver: str | None
) -> None:
    world = await objected_to(approvalflow, SECOND)
    before = await world.rows("requests", scope="diff")

    answer = await world.post("/requests/APR-0001/resubmit", json={"approver": approver})

    assert refusal(answer) == (403, "second_approver_required", "approver")
    assert "delegate" in answer.json()["detail"]
    assert await world.rows("requests", scope="diff") == before


async def test_new_request_to_an_approver_who_required_a_second_is_refused(approvalflow: Desk) -> None:
    world = await objected_to(approvalflow, SECOND)
    body = {"type": "vendor_approval", "ticket_id": "TD-1042", "approver": "sarah.chen"}

    answer = await world.post(
        "/requests", json={**body, "fields": {"vendor_name": "Acme", "compliance_score": 85}}
    )

    assert refusal(answer) == (403, "second_approver_required", "approver")


async def test_delegate_decides_for_an_approver_who_required_a_second(
    approvalflow: Desk,
) -> None:
    world = await objected_to(approvalflow, SECOND)

    second = await resubmitted(world, "APR-0001", approver="david.kim")

    assert (second["status"], second["decided_by"]) == ("approved", "david.kim")
    assert await trail(world, "APR-0002") == ["resubmitted", "released", "approved"]


@pytest.mark.parametrize(
    ("people", "approver", "decides"),
    [
        ([cfo(delegate_types=["expense_approval"]), DAVID], "david.kim", False),
        ([cfo(), person("tom.tell", "cfo")], "tom.tell", True),
        ([cfo(), DAVID], "mia.boss", False),
    ],
    ids=["not covered", "another holder", "not in line"],
)
async def test_a_second_approver_is_one_whom_the_policy_leads_to(
    approvalflow: Desk, people: list[Row], approver: str, decides: bool
) -> None:
    staff = [*people, person("mia.boss", "manager"), person("alex.agent", "analyst")]
    world = await objected_to(approvalflow, SECOND, people=staff)

    second = await resubmitted(world, "APR-0001", approver=approver)

    assert second["reason_code"] == (None if decides else "not_my_approval")
    assert ("misdirected" in await trail(world, "APR-0002")) != decides


async def test_a_request_is_not_handed_on_to_who_asked_for_a_second_approver(approvalflow: Desk) -> None:
    world = await objected_to(approvalflow, SECOND)
    await world.post("/requests/APR-0001/resubmit", json={"approver": "david.kim"})
    await world.deliver("person.away", {"person_id": "david.kim", "until": NOW + 5 * DAY, "version": 1})

    answer = await world.post("/requests/APR-0002/escalate", json={"reason": "David is away."})

    assert refusal(answer) == (409, "nobody_to_escalate_to", None)


async def test_each_of_two_objections_is_settled_by_what_it_asks_for(approvalflow: Desk) -> None:
    world = await objected_to(approvalflow, SECOND, {**BUDGET, "id": "vendor_approval:V-104:2"})

    second = await resubmitted(world, "APR-0001", approver="david.kim")
    third = await resubmitted(world, "APR-0002", fields={"cost_centre": "CC-310"})

    assert (second["reason_code"], second["decided_by"]) == ("budget_code_missing", "david.kim")
    assert (third["status"], third["decided_by"]) == ("approved", "david.kim")


async def test_a_second_approver_is_wanted_of_one_decision_only(approvalflow: Desk) -> None:
    world = await objected_to(approvalflow, SECOND, tickets=[ticket(), ticket(id="TD-2")])

    other = await submit(world, ticket_id="TD-2")

    assert (other["status"], other["approver"]) == ("pending", "sarah.chen")
