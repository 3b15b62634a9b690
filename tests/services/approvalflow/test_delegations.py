"""Delegations as they are announced, people who leave, and whom a request may be reassigned to."""

from itertools import permutations
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from services.approvalflow.chains import Colleague, may_decide
from services.approvalflow.decisions import (
    Attempt,
    Objection,
    Outcome,
    PendingRequest,
    Reason,
    Remedy,
    decide,
    open_objection,
)
from services.approvalflow.domain import FieldValue, Policy, Route
from tests.live_services import Desk, World

from .company import NOW, Row, away_cfo, person, read, refusal, request, start, submit, trail

ADA = "ada.king"
STAFF = [person("david.kim", "finance_director"), person(ADA, "analyst"), person("alex.agent", "analyst")]
TWO_CFOS = [person("first.cfo", "cfo"), person("second.cfo", "cfo"), *STAFF]


def delegation(version: int, delegate: str | None = ADA, **changes: Any) -> tuple[str, Row]:
    told = {"person_id": "sarah.chen", "delegate": delegate, "delegate_types": ["vendor_approval"]}
    return "delegation.changed", {**told, "delegate_limit": None, "version": version, **changes}


async def reassign(world: World, to: str, **more: Any) -> Any:
    body = {"to": to, "reason": "He leaves on Friday.", **more}
    return await world.post("/requests/APR-0007/reassign", json=body)


async def known(world: World, person_id: str = "sarah.chen") -> Row:
    row: Row = (await world.rows("people"))[person_id]
    return row


async def test_a_delegation_is_taken_over_with_its_types_and_its_limit(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(), *STAFF])

    await world.deliver(*delegation(1, delegate_types=["expense_approval"], delegate_limit=500.0))

    row = await known(world)
    assert (row["delegate"], row["delegate_types"], row["delegate_limit"]) == (
        ADA,
        ["expense_approval"],
        500.0,
    )
    assert (row["delegation_version"], row["version"]) == (1, 0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_of_several_delegations_the_newest_counts_in_any_order(
    approvalflow: Desk, order: tuple[int, ...]
) -> None:
    world = await start(approvalflow, people=[away_cfo(), *STAFF])
    news = [delegation(1), delegation(2, "david.kim", delegate_limit=9.0), delegation(3, None)]

    for number in order:
        await world.deliver(*news[number])

    row = await known(world)
    assert (row["delegate"], row["delegate_limit"], row["delegation_version"]) == (None, None, 3)


async def test_a_second_announcement_of_one_version_changes_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(), *STAFF])
    await world.deliver(*delegation(1))

    event_id = await world.deliver(*delegation(1, "david.kim"))

    assert (await world.applied(event_id))["changes"] == []
    assert (await known(world))["delegate"] == ADA


async def test_a_delegation_and_an_absence_have_versions_of_their_own(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(away=False, away_until=None), *STAFF])
    await world.deliver(*delegation(7))

    await world.deliver("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 1})
    await submit(world, approver=ADA)
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["decided_by"] == ADA


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        delegation(1, person_id="no.body"),
        ("person.deactivated", {"person_id": "no.body"}),
        ("entitlement.revoked", {"entitlement_id": "E", "person_id": "no.body", "system": "approvalflow"}),
    ],
    ids=["delegation", "deactivation", "revocation"],
)
async def test_news_of_a_stranger_is_not_kept(approvalflow: Desk, name: str, payload: Row) -> None:
    world = await start(approvalflow, requests=[request(approver="no.body")])

    event_id = await world.deliver(name, payload)

    assert (await world.applied(event_id))["changes"] == []


async def test_somebody_who_left_twice_is_heard_of_once(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])
    await world.deliver("person.deactivated", {"person_id": "sarah.chen"})
    again = await submit(world, approver="sarah.chen")

    revoked = {"entitlement_id": "E", "person_id": "sarah.chen", "system": "approvalflow"}
    await world.deliver("entitlement.revoked", revoked)

    assert (await read(world, again["id"]))["status"] == "pending"
    assert (await trail(world, "APR-0007")).count("voided") == 1


async def test_a_reassignment_is_on_record_with_its_reason(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=TWO_CFOS, requests=[request(approver="first.cfo")])

    stale = await reassign(world, "second.cfo", version=1)
    moved = await reassign(world, "second.cfo", version=2)

    assert refusal(stale)[:2] == (409, "version_conflict")
    assert moved.status_code == 200
    [entry] = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert (entry["actor"], entry["action"]) == ("alex.agent", "reassigned")
    assert entry["detail"] == "From first.cfo to second.cfo: He leaves on Friday."


@pytest.mark.parametrize("status", ["held", "rejected", "withdrawn", "expired", "voided"])
async def test_request_that_is_not_with_an_approver_is_not_reassigned(
    approvalflow: Desk, status: str
) -> None:
    lying = request(approver="first.cfo", status=status)
    world = await start(approvalflow, people=TWO_CFOS, requests=[lying])

    refused = await reassign(world, "second.cfo")

    assert refusal(refused) == (409, "not_with_approver", "request_id")
    assert f"is {status}" in refused.json()["detail"]


async def test_an_escalated_request_stays_escalated_when_it_is_reassigned(approvalflow: Desk) -> None:
    lying = request(approver="first.cfo", status="escalated")
    world = await start(approvalflow, people=TWO_CFOS, requests=[lying])

    assert (await reassign(world, "second.cfo")).json()["status"] == "escalated"


@pytest.mark.parametrize(("limit", "deciders"), [(None, ["david"]), (10**9, ["david"]), (0.0, [])])
def test_a_delegation_without_a_limit_covers_any_amount(limit: float | None, deciders: list[str]) -> None:
    away = Colleague("sarah", "cfo", True, None, "david", ("vendor_approval",), limit)
    people = {"sarah": away, "david": Colleague("david", "clerk")}

    assert may_decide(people, role="cfo", type_id="vendor_approval", amount=10**6, now=0) == deciders


@pytest.mark.parametrize(
    ("stated", "is_settled"),
    [({"a": 1, "b": 2}, True), ({"a": 1}, False), ({"b": 2}, False), ({"a": 1, "b": 3}, False)],
)
def test_an_objection_to_several_fields_is_settled_by_all_of_them(
    stated: dict[str, FieldValue], is_settled: bool
) -> None:
    wants = Objection(1, "incomplete", Remedy.FIX_FIELD, {"a": 1, "b": 2})

    assert (open_objection([wants], Attempt(2, "sarah", stated)) is None) == is_settled


@pytest.mark.parametrize("stated", [None, 85])
def test_a_policy_that_names_no_field_for_its_metric_compares_none(stated: int | None) -> None:
    policy = Policy("plain", metric_name="score", minimum=80, routes=(Route("cfo"),))
    pending = PendingRequest({"score": stated}, metric=90.0, approver="sarah", deciders=["sarah"])

    assert decide(policy, pending).outcome == Outcome.APPROVED


def test_a_metric_stated_where_none_is_known_does_not_agree() -> None:
    policy = Policy("plain", metric_field="score", routes=(Route("cfo"),))
    pending = PendingRequest({"score": 85}, metric=None, approver="sarah", deciders=["sarah"])

    assert decide(policy, pending).code == Reason.METRIC_MISMATCH
