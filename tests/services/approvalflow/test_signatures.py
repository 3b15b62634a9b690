"""Signatures of purchases: who is asked at which stage, how each ends, and what is recorded of it."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, person, published

AGENT = "alex.agent"
LEAD = person("paul.purchasing", "purchasing_lead")


def owner(person_id: str = "olga.owner", **changes: Any) -> Row:
    return person(person_id, "department_head", **changes)


def away(person_id: str, role: str, until: int | None = NOW + 3 * DAY, **changes: Any) -> Row:
    return person(person_id, role, away=True, away_until=until, **changes)


def budget(number: int = 1, of: str = "olga.owner", **changes: Any) -> Row:
    row = {"id": f"BUD-{number}", "cost_centre": f"CC-{number}", "owner": of, "starts_at": NOW - DAY}
    return {**row, **changes}


def stage(number: int, signers: str, decision_s: int = HOUR, **changes: Any) -> Row:
    return {"id": f"STG-{number}", "number": number, "signers": signers, "decision_s": decision_s, **changes}


STAGES = [stage(1, "owners", 2 * HOUR), stage(2, "named"), stage(3, "role", role="purchasing_lead")]


async def open_office(approvalflow: Desk, *others: Row, **tables: list[Row]) -> World:
    """Return a world in which the agent buys, with an owner, a purchasing lead and these people."""
    people = [person(AGENT, "buyer"), owner(), LEAD]
    known = {one["id"]: one for one in [*people, *others]}
    rows = {"known_budgets": [budget(), budget(2, "otto.other")], "purchase_stages": STAGES, **tables}
    return await approvalflow.world({"people": [*known.values()], **rows}, now=NOW, actor=AGENT, role="buyer")


def share(number: int = 1, amount: float = 600.0, approver: str = "olga.owner") -> Row:
    return {"budget_id": f"BUD-{number}", "amount": amount, "approver": approver}


async def ask(world: World, *shares: Row, **changes: Any) -> Any:
    body = {"item": "Van", "quantity": 1, "quote": "DOC-0007", "shares": [*shares] or [share()]}
    return await world.post("/purchases", json={**body, **changes})


async def requested(world: World, *shares: Row, **changes: Any) -> Row:
    answer = await ask(world, *shares, **changes)
    assert answer.status_code == 201, answer.text
    made: Row = answer.json()
    return made


async def shown(world: World, purchase_id: str = "PUR-0001") -> Row:
    found = (await world.get("/purchases")).json()["items"]
    return next(one for one in found if one["id"] == purchase_id)


def signers(purchase: Row) -> list[tuple[int, str, str]]:
    return [(one["stage"], one["approver"], one["status"]) for one in purchase["sign_offs"]]


async def test_a_purchase_is_shown_with_everything_that_was_asked_for(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)

    made = await requested(world, quantity=3)

    assert made == await shown(world)
    assert made == {
        "id": "PUR-0001",
        "item": "Van",
        "quantity": 3,
        "quote": "DOC-0007",
        "requester": AGENT,
        "status": "open",
        "amount": 600.0,
        "requested_at": to_iso(NOW),
        "order_id": None,
        "reason": None,
        "shares": [{"budget_id": "BUD-1", "cost_centre": "CC-1", "amount": 600.0}],
        "sign_offs": [
            {
                "stage": 1,
                "approver": "olga.owner",
                "status": "pending",
                "budget_id": "BUD-1",
                "due_at": to_iso(NOW + 2 * HOUR),
                "reason": None,
            },
            {
                "stage": 3,
                "approver": "paul.purchasing",
                "status": "waiting",
                "budget_id": None,
                "due_at": None,
                "reason": None,
            },
        ],
        "version": 1,
    }


async def test_each_purchase_shows_its_own_shares_and_signatures(approvalflow: Desk) -> None:
    world = await open_office(approvalflow, owner("otto.other"))
    first, second = await requested(world), await requested(world, share(2, 5.0, "otto.other"))

    listed = (await world.get("/purchases")).json()["items"]

    assert listed == [first, second]
    assert [one["shares"][0]["budget_id"] for one in listed] == ["BUD-1", "BUD-2"]
    assert list(await world.rows("sign_offs")) == ["PUR-0001-S1", "PUR-0001-S2", "PUR-0002-S1", "PUR-0002-S2"]


async def test_the_tenth_signature_comes_after_the_ninth(approvalflow: Desk) -> None:
    numbers = range(1, 9)
    owners = [owner(f"owner.{number}") for number in numbers]
    budgets = [budget(number, f"owner.{number}") for number in numbers]
    world = await open_office(approvalflow, *owners, person("fay.finance", "x"), known_budgets=budgets)

    shares = [share(number, 1.0, f"owner.{number}") for number in numbers]
    await requested(world, *shares, also=["fay.finance"])

    asked = [approver for _, approver, _ in signers(await shown(world))]
    assert asked == [*(f"owner.{number}" for number in numbers), "fay.finance", "paul.purchasing"]


@pytest.mark.parametrize(("permitted", "status"), [(["buyer"], 201), ([], 201), (["controller"], 403)])
async def test_a_purchase_takes_the_permission_to_submit_requests(
    approvalflow: Desk, permitted: list[str], status: int
) -> None:
    permission = {"id": "submit_requests", "roles": permitted, "people": []}
    world = await open_office(approvalflow, permissions=[permission])

    answer = await ask(world)

    assert answer.status_code == status
    assert (answer.json().get("type") == "permission_required") == (status == 403)
    assert (await world.rows("purchases") == {}) == (status == 403)


async def test_a_signature_counts_up_the_version_and_keeps_its_time(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)

    await world.advance(2 * HOUR)
    after_one = await shown(world)
    await world.advance(HOUR)
    after_two = await shown(world)

    assert (after_one["version"], after_two["version"], after_two["status"]) == (2, 3, "approved")
    signed = await world.rows("sign_offs")
    assert [(row["decided_at"], row["due_at"]) for row in signed.values()] == [
        (NOW + 2 * HOUR, None),
        (NOW + 3 * HOUR, None),
    ]


async def test_an_order_and_a_withdrawal_count_up_the_version_too(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await requested(world)
    await world.advance(2 * HOUR)
    await world.advance(HOUR)

    ordered = (await world.post("/purchases/PUR-0001/order", json={"version": 3})).json()
    withdrawn = (
        await world.post("/purchases/PUR-0002/withdraw", json={"reason": "No.", "version": 3})
    ).json()

    assert [(one["status"], one["version"]) for one in (ordered, withdrawn)] == [
        ("ordered", 4),
        ("withdrawn", 4),
    ]


async def test_a_withdrawal_leaves_nobody_to_sign_and_nothing_due(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)

    effects = await world.effects("POST", "/purchases/PUR-0001/withdraw", json={"reason": "No."})

    assert effects["next_due"] is None
    assert [one["due_at"] for one in (await shown(world))["sign_offs"]] == [None, None]
    assert (await world.advance(9 * HOUR))["changes"] == []


async def test_a_withdrawal_keeps_the_signatures_that_were_given(approvalflow: Desk) -> None:
    world = await open_office(approvalflow)
    await requested(world)
    await world.advance(2 * HOUR)

    await world.post("/purchases/PUR-0001/withdraw", json={"reason": "No."})

    assert [status for _, _, status in signers(await shown(world))] == ["signed", "canceled"]


async def test_a_rejection_says_why_on_the_signature_and_on_the_purchase(approvalflow: Desk) -> None:
    world = await open_office(approvalflow, owner("otto.other"))
    await requested(world, share(approver="otto.other"))

    effects = await world.advance(2 * HOUR)

    purchase = await shown(world)
    why = "I do not own this budget, and no delegation of its owner covers the share now."
    assert (purchase["status"], purchase["reason"]) == ("rejected", f"otto.other: {why}")
    assert [(one["status"], one["reason"], one["due_at"]) for one in purchase["sign_offs"]] == [
        ("rejected", why, None),
        ("canceled", None, None),
    ]
    assert (purchase["version"], effects["next_due"]) == (2, None)


async def test_a_rejection_cancels_the_signatures_that_are_due_later(approvalflow: Desk) -> None:
    slow = [stage(1, "owners", HOUR), {**stage(1, "named", 3 * HOUR), "id": "STG-1b"}]
    world = await open_office(approvalflow, owner("otto.other"), purchase_stages=slow)
    await requested(world, share(approver="otto.other"), also=["paul.purchasing"])
    await world.advance(3 * HOUR)

    late = await world.advance(3 * HOUR)

    assert (await shown(world))["status"] == "rejected"
    assert late["changes"] == []


async def test_signers_of_one_stage_have_the_longest_of_its_times(approvalflow: Desk) -> None:
    together = [stage(1, "owners", HOUR), {**stage(1, "named", 5 * HOUR), "id": "STG-1b"}]
    world = await open_office(approvalflow, person("fay.finance", "director"), purchase_stages=together)

    made = await requested(world, also=["fay.finance"])

    assert signers(made) == [(1, "olga.owner", "pending"), (1, "fay.finance", "pending")]
    assert {one["due_at"] for one in made["sign_offs"]} == {to_iso(NOW + 5 * HOUR)}


async def test_stages_are_taken_by_their_numbers_whatever_their_ids(approvalflow: Desk) -> None:
    stages = [
        {**stage(2, "owners"), "id": "STG-A"},
        {**stage(1, "role", role="purchasing_lead"), "id": "STG-B"},
    ]
    world = await open_office(approvalflow, purchase_stages=stages)

    made = await requested(world)

    assert signers(made) == [(1, "paul.purchasing", "pending"), (2, "olga.owner", "waiting")]


async def test_a_policy_without_stages_approves_at_once(approvalflow: Desk) -> None:
    world = await open_office(approvalflow, purchase_stages=[])

    made = await requested(world)

    assert (made["status"], made["sign_offs"]) == ("approved", [])


@pytest.mark.parametrize(
    ("until", "due"), [(NOW + DAY, NOW + DAY + 2 * HOUR), (None, NOW + 4 * HOUR)], ids=["known", "unknown"]
)
async def test_a_signer_who_went_away_is_asked_again_some_time_after_the_return(
    approvalflow: Desk, until: int | None, due: int
) -> None:
    purchase = {"id": "PUR-0004", "item": "Van", "quantity": 1, "requester": AGENT, "status": "open"}
    signs = {"id": "PUR-0004-S1", "purchase_id": "PUR-0004", "stage": 1, "approver": "olga.owner"}
    waiting = {**signs, "status": "pending", "budget_id": "BUD-1", "due_at": NOW + 2 * HOUR}
    tables = {"purchases": [{**purchase, "amount": 5.0, "requested_at": NOW}], "sign_offs": [waiting]}
    world = await open_office(approvalflow, away("olga.owner", "department_head", until), **tables)

    effects = await world.advance(2 * HOUR)

    assert (await shown(world, "PUR-0004"))["sign_offs"][0]["due_at"] == to_iso(due)
    assert effects["next_due"] == due


async def test_planned_order_of_a_colleague_is_placed_with_its_share(approvalflow: Desk) -> None:
    plan = {"id": "PLAN-1", "at": NOW + HOUR, "buyer": "tim.tech", "item": "Lamp", "quantity": 4}
    world = await open_office(approvalflow, planned_orders=[{**plan, "budget_id": "BUD-2", "amount": 80.0}])

    await world.advance(HOUR)

    bought = await shown(world)
    assert bought["shares"] == [{"budget_id": "BUD-2", "cost_centre": "CC-2", "amount": 80.0}]
    assert (bought["quantity"], bought["quote"], bought["sign_offs"]) == (4, None, [])
    assert (bought["amount"], bought["requested_at"], bought["order_id"]) == (
        80.0,
        to_iso(NOW + HOUR),
        "ORD-0001",
    )
    assert (await world.rows("purchase_orders"))["ORD-0001"]["ordered_by"] == "tim.tech"
    spent = {"request_id": "PUR-0001-L1", "cost_centre": "CC-2", "amount": 80.0, "budget_id": "BUD-2"}
    assert await published(world, "budget.consumed") == [spent]


async def test_an_order_is_charged_from_the_latest_beginning_of_its_budgets(approvalflow: Desk) -> None:
    budgets = [budget(), budget(2, "otto.other", starts_at=NOW + 9 * DAY)]
    world = await open_office(approvalflow, owner("otto.other"), known_budgets=budgets)
    await requested(world, share(), share(2, 5.0, "otto.other"))
    await world.advance(2 * HOUR)
    await world.advance(HOUR)

    await world.post("/purchases/PUR-0001/order", json={})

    placed = (await world.rows("purchase_orders"))["ORD-0001"]
    assert (placed["at"], placed["charged_from"], placed["amount"]) == (NOW + 3 * HOUR, NOW + 9 * DAY, 605.0)
