"""Requests that change approvers, and approvers who leave."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, away_cfo, person, read, refusal, request, start, submission, trail

ADA = "ada.king"


def staff(*others: Row) -> list[Row]:
    known = [person("david.kim", "finance_director"), person(ADA, "analyst"), person("alex.agent", "analyst")]
    return [*others, *known]


async def reassign(world: World, to: str, **more: Any) -> Any:
    body = {"to": to, "reason": "He leaves on Friday.", **more}
    return await world.post("/requests/APR-0007/reassign", json=body)


def delegation(delegate: str | None, version: int = 1) -> Row:
    types = ["vendor_approval"] if delegate else []
    told = {"person_id": "sarah.chen", "delegate": delegate, "delegate_types": types}
    return {**told, "delegate_limit": None, "version": version}


async def test_a_request_goes_to_another_holder_of_the_role(approvalflow: Desk) -> None:
    people = staff(person("first.cfo", "cfo"), person("second.cfo", "cfo"))
    world = await start(approvalflow, people=people, requests=[request(approver="first.cfo")])

    answer = await reassign(world, "second.cfo")

    assert answer.status_code == 200
    told = answer.json()
    assert (told["approver"], told["status"], told["version"]) == ("second.cfo", "pending", 3)
    assert told["decision_due_at"] == to_iso(NOW + 2 * HOUR)
    assert (await trail(world, "APR-0007"))[-1] == "reassigned"


async def test_the_new_approver_decides_in_a_time_of_their_own(approvalflow: Desk) -> None:
    people = staff(person("first.cfo", "cfo"), person("second.cfo", "cfo"))
    world = await start(approvalflow, people=people, requests=[request(approver="first.cfo")])
    await reassign(world, "second.cfo")

    await world.advance(HOUR)
    early = await read(world, "APR-0007")
    await world.advance(HOUR)
    decided = await read(world, "APR-0007")

    assert early["status"] == "pending"
    assert (decided["status"], decided["decided_by"]) == ("approved", "second.cfo")


async def test_it_goes_to_the_delegate_of_an_absent_approver_once_the_delegation_says_so(
    approvalflow: Desk,
) -> None:
    lying = request(approver="david.kim")
    world = await start(approvalflow, people=staff(away_cfo()), requests=[lying])

    before = await reassign(world, ADA)
    await world.deliver("delegation.changed", delegation(ADA))
    after = await reassign(world, ADA)

    assert refusal(before) == (409, "may_not_decide", "to")
    assert before.json()["allowed_values"] == []
    assert "one that was just set may take a moment to be known here" in before.json()["detail"]
    assert (after.status_code, after.json()["approver"]) == (200, ADA)


@pytest.mark.parametrize("to", ["first.cfo", "alex.agent", "nobody", "away.cfo"])
async def test_reassignment_to_an_unauthorized_person_is_refused(approvalflow: Desk, to: str) -> None:
    absent = person("away.cfo", "cfo", away=True)
    people = staff(person("first.cfo", "cfo"), person("second.cfo", "cfo"), absent)
    world = await start(approvalflow, people=people, requests=[request(approver="first.cfo")])

    answer = await reassign(world, to)

    assert refusal(answer) == (409, "may_not_decide", "to")
    assert answer.json()["allowed_values"] == ["second.cfo"]
    assert await world.rows("requests", scope="diff") == {}


async def test_only_what_is_with_an_approver_can_be_reassigned(approvalflow: Desk) -> None:
    ended = request(status="approved", decided_by="sarah.chen")
    world = await start(approvalflow, requests=[ended])

    over, unknown = (
        await reassign(world, "david.kim"),
        await world.post("/requests/APR-9999/reassign", json={"to": "david.kim", "reason": "-"}),
    )

    assert refusal(over) == (409, "not_with_approver", "request_id")
    assert refusal(unknown)[:2] == (404, "request_unknown")


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("person.deactivated", {"person_id": "sarah.chen"}),
        (
            "entitlement.revoked",
            {"entitlement_id": "ENT-1", "person_id": "sarah.chen", "system": "approvalflow"},
        ),
    ],
)
async def test_requests_that_wait_for_somebody_who_left_are_void(
    approvalflow: Desk, name: str, payload: Row
) -> None:
    mine = request(id="APR-0008", type="plain_approval", ticket_id=None, approver="mia.boss")
    world = await start(approvalflow, requests=[request(), mine])

    await world.deliver(name, payload)

    lost, other = await read(world, "APR-0007"), await read(world, "APR-0008")
    assert (lost["status"], lost["reason_code"]) == ("voided", "approver_left")
    assert (lost["decision_due_at"], (await trail(world, "APR-0007"))[-1]) == (None, "voided")
    assert other["status"] == "pending"


async def test_access_to_another_system_is_not_missed_here(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])
    lost = {"entitlement_id": "ENT-1", "person_id": "sarah.chen", "system": "ledger"}

    await world.deliver("entitlement.revoked", lost)

    assert (await read(world, "APR-0007"))["status"] == "pending"


async def test_deactivated_approver_decides_neither_in_person_nor_as_a_delegate(approvalflow: Desk) -> None:
    people = staff(away_cfo(), person("mia.boss", "manager"))
    world = await start(approvalflow, people=people)
    await world.deliver("person.deactivated", {"person_id": "david.kim"})

    created = await world.post("/requests", json=submission(approver="david.kim"))
    await world.advance(2 * HOUR)

    decided = await read(world, created.json()["id"])
    assert (decided["status"], decided["reason_code"]) == ("rejected", "not_my_approval")
