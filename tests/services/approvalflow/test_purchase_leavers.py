"""Purchases and people who leave: whoever is gone neither signs nor orders, and what waits for them ends."""

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, person
from .test_signatures import away, budget, open_office, requested, share, shown, signers

FAY = person("fay.finance", "director")
COVER: Row = {"delegate": "dora.deputy", "delegate_types": ["purchase"], "delegate_limit": None}


async def leave(world: World, person_id: str) -> None:
    await world.deliver("person.deactivated", {"person_id": person_id})


async def lose_access(world: World, person_id: str, system: str = "approvalflow") -> None:
    lost = {"entitlement_id": "ENT-1", "person_id": person_id, "system": system}
    await world.deliver("entitlement.revoked", lost)


@pytest.mark.parametrize("left", ["olga.owner", "fay.finance", "paul.purchasing"])
@pytest.mark.parametrize("leaves", [leave, lose_access])
async def test_a_purchase_that_waits_for_somebody_who_left_is_rejected(
    approvalflow: Desk, leaves: object, left: str
) -> None:
    world = await open_office(approvalflow, FAY)
    await requested(world, also=["fay.finance"])

    await leaves(world, left)  # type: ignore[operator]

    purchase = await shown(world)
    assert (purchase["status"], purchase["version"]) == ("rejected", 2)
    assert purchase["reason"] == f"{left} can no longer sign."
    assert {status for _, _, status in signers(purchase)} == {"canceled"}
    assert (await world.advance(9 * HOUR))["changes"] == []


async def test_a_signature_that_was_given_before_its_signer_left_counts(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await world.advance(2 * HOUR)

    await leave(world, "olga.owner")
    await world.advance(HOUR)

    assert (await shown(world))["status"] == "approved"


async def test_access_to_another_system_is_not_missed_by_purchases(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)

    await lose_access(world, "olga.owner", system="ledger")

    assert signers(await shown(world))[0] == (1, "olga.owner", "pending")


@pytest.mark.parametrize("gone", ["olga.owner", "fay.finance"])
async def test_somebody_who_is_gone_does_not_sign_when_asked(approvalflow: Desk, gone: str) -> None:
    world = await open_office(approvalflow, FAY)
    await leave(world, gone)
    await requested(world, also=["fay.finance"])

    await world.advance(2 * HOUR)
    await world.advance(HOUR)

    purchase = await shown(world)
    assert purchase["status"] == "rejected"
    assert [who for _, who, status in signers(purchase) if status == "rejected"] == [gone]


async def test_a_role_is_signed_by_a_holder_who_is_still_there(approvalflow: Desk) -> None:
    world = await open_office(approvalflow, person("zoe.last", "purchasing_lead"))
    await leave(world, "paul.purchasing")

    assert signers(await requested(world))[-1] == (3, "zoe.last", "waiting")


async def test_a_delegate_does_not_sign_for_an_owner_who_left(approvalflow: Desk) -> None:
    people = [away("olga.owner", "department_head", **COVER), person("dora.deputy", "deputy")]
    world = await open_office(approvalflow, *people)
    await leave(world, "olga.owner")
    await requested(world, share(approver="dora.deputy"))

    await world.advance(2 * HOUR)

    assert signers(await shown(world))[0] == (1, "dora.deputy", "rejected")


async def test_a_deputy_of_a_role_whose_delegation_ended_does_not_sign(approvalflow: Desk) -> None:
    people = [away("paul.purchasing", "purchasing_lead", None, **COVER), person("dora.deputy", "deputy")]
    world = await open_office(approvalflow, *people)
    await requested(world)
    ended: Row = {"person_id": "paul.purchasing", "delegate": None, "delegate_types": []}
    await world.deliver("delegation.changed", {**ended, "delegate_limit": None, "version": 1})

    await world.advance(2 * HOUR)
    await world.advance(HOUR)

    assert signers(await shown(world))[-1] == (3, "dora.deputy", "rejected")


async def test_a_colleague_who_left_places_no_planned_order(approvalflow: Desk) -> None:
    plan = {"id": "PLAN-1", "at": NOW + HOUR, "buyer": "tim.tech", "item": "Lamp", "quantity": 4}
    tables = {"planned_orders": [{**plan, "budget_id": "BUD-1", "amount": 80.0}], "known_budgets": [budget()]}
    world = await open_office(approvalflow, person("tim.tech", "technician"), **tables)
    await leave(world, "tim.tech")

    await world.advance(HOUR)

    assert await world.rows("purchases") == {}
