"""Purchases: shares of budgets, signatures in stages, one order, and what colleagues order meanwhile."""

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk

from .company import NOW, Row, published, refusal
from .purchasing_office import (
    AGENT,
    ask,
    away,
    everybody_signs,
    open_office,
    order,
    owner,
    people,
    requested,
    share,
    shown,
    wanted,
    withdraw,
)


def signing(purchase: Row) -> list[tuple[int, str, str]]:
    return [(one["stage"], one["approver"], one["status"]) for one in purchase["sign_offs"]]


async def test_a_purchase_asks_all_owners_at_once_and_nobody_else_yet(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)

    made = await requested(world)

    assert (made["status"], made["amount"], made["requester"]) == ("open", 1000.5, AGENT)
    assert signing(made) == [
        (1, "olga.owner", "pending"),
        (1, "otto.other", "pending"),
        (2, "fay.finance", "waiting"),
        (3, "paul.purchasing", "waiting"),
    ]
    assert {one["due_at"] for one in made["sign_offs"][:2]} == {to_iso(NOW + 2 * HOUR)}


async def test_each_stage_begins_when_the_one_before_is_over(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)

    seen = []
    for hours in (2, 1, 1):
        await world.advance(hours * HOUR)
        purchase = await shown(world)
        seen.append((purchase["status"], [one["status"] for one in purchase["sign_offs"]]))

    assert seen == [
        ("open", ["signed", "signed", "pending", "waiting"]),
        ("open", ["signed", "signed", "signed", "pending"]),
        ("approved", ["signed"] * 4),
    ]
    assert await published(world, "budget.consumed") == []


async def test_a_stage_in_which_nobody_is_named_is_passed_over(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world, also=[])

    await world.advance(2 * HOUR)

    assert signing(await shown(world))[-1] == (3, "paul.purchasing", "pending")


async def test_an_order_commits_every_share_to_its_budget(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await everybody_signs(world)

    answer = await order(world)

    assert (answer.json()["status"], answer.json()["order_id"]) == ("ordered", "ORD-0001")
    assert await published(world, "budget.consumed") == [
        {"request_id": "PUR-0001-L1", "cost_centre": "CC-311", "amount": 600.0, "budget_id": "BUD-101"},
        {"request_id": "PUR-0001-L2", "cost_centre": "CC-312", "amount": 400.5, "budget_id": "BUD-102"},
    ]
    [placed] = (await world.rows("purchase_orders")).values()
    assert (placed["amount"], placed["charged_from"]) == (1000.5, placed["at"])


async def test_order_before_every_sign_off_is_refused(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await everybody_signs(world, 2, 1)

    answer = await order(world)

    assert refusal(answer) == (409, "purchase_not_ready", None)
    assert await world.rows("purchase_orders") == {}


async def test_a_purchase_is_ordered_once(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await everybody_signs(world)
    await order(world)

    assert refusal(await order(world)) == (409, "purchase_not_ready", None)
    assert refusal(await withdraw(world)) == (409, "purchase_not_ready", None)
    assert len(await world.rows("purchase_orders")) == 1


@pytest.mark.parametrize(
    ("first", "amount"),
    [(away(away_until=NOW + DAY), 1000.01), (owner(), 600.0), (away(delegate_types=["invoice"]), 600.0)],
    ids=["above the limit", "owner present", "other type"],
)
async def test_a_delegate_whom_the_delegation_does_not_cover_rejects_all_of_it(
    approvalflow: Desk, first: Row, amount: float
) -> None:
    world = await open_office(approvalflow, first, owner("otto.other", delegate=None))
    await requested(world, shares=[share(1, amount, "dora.deputy"), share(2, 400.5, "otto.other")])

    await world.advance(2 * HOUR)

    purchase = await shown(world)
    assert purchase["status"] == "rejected"
    assert purchase["reason"].startswith("dora.deputy: I do not own this budget")
    assert {status for _, _, status in signing(purchase)} <= {"rejected", "signed", "canceled"}
    await world.advance(5 * HOUR)
    assert await shown(world) == purchase


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"shares": [share(9)]}, (404, "budget_unknown", "shares")),
        ({"shares": [share(), share(amount=1.0)]}, (422, "budget_twice", "shares")),
        ({"shares": [share(), share(3)]}, (422, "signer_twice", "shares")),
        ({"also": ["olga.owner"]}, (422, "signer_twice", "shares")),
        ({"shares": [share(approver="no.body")]}, (404, "approver_unknown", "shares")),
        ({"shares": [share(approver=AGENT)]}, (403, "separation_of_duties", "shares")),
        ({"shares": [share(approver="olga.owner")]}, (409, "approver_away", "shares")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
async def test_a_purchase_that_cannot_be_meant_is_refused_and_changes_nothing(
    approvalflow: Desk, changes: Row, refused: tuple[int, str, str]
) -> None:
    first = away() if refused[1] == "approver_away" else owner()
    world = await open_office(approvalflow, first, owner("otto.other"))

    answer = await ask(world, **changes)

    assert refusal(answer) == refused
    assert await world.rows("purchases") == {}


async def test_a_purchase_waits_for_nobody_if_the_office_is_vacant(approvalflow: Desk) -> None:
    gone = [one for one in people() if one["role"] != "purchasing_lead"]
    world = await open_office(approvalflow, people=gone)

    assert refusal(await ask(world)) == (409, "stage_vacant", None)


@pytest.mark.parametrize(
    "body",
    [
        wanted(quantity=0),
        wanted(shares=[]),
        wanted(shares=[share(amount=0.0)]),
        wanted(shares=[share(amount=-5.0)]),
        wanted(status="approved"),
        wanted(shares=[{**share(), "signed": True}]),
        wanted(also=["fay.finance"] * 5),
    ],
    ids=["quantity", "no share", "nothing", "less", "status", "signed", "too many"],
)
async def test_input_that_no_rule_should_see_is_refused(approvalflow: Desk, body: Row) -> None:
    world = await open_office(approvalflow)

    answer = await world.post("/purchases", json=body)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")


async def test_an_approved_purchase_can_still_be_withdrawn(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await everybody_signs(world)

    await withdraw(world)

    assert refusal(await order(world)) == (409, "purchase_not_ready", None)


async def test_only_the_requester_withdraws_and_orders(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    other = world.acting("olga.owner", "department_head")

    assert refusal(await withdraw(other)) == (403, "not_requester", None)
    assert refusal(await order(other)) == (403, "not_requester", None)
    assert refusal(await order(world, "PUR-0009")) == (404, "purchase_unknown", "purchase_id")
    assert refusal(await order(world, version=7)) == (409, "version_conflict", "version")
