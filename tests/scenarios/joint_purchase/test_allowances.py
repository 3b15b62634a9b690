"""What may be written during a joint purchase, row by row."""

from typing import Any

import pytest

from companyos.company.allowances import JOBS, MESSAGES
from companyos.scenario import Table
from scenarios.joint_purchase.allowances import ORDERS, PURCHASES, SHARES, SIGN_OFFS, allowed
from scenarios.joint_purchase.facts import Facts
from tests.allowances import unexplained

from .drawings import drawing
from .grades import TWICE, drawn_for

FACTS = drawn_for().facts
LOT, BUDGET = FACTS.ending.lot, next(iter(FACTS.ending.shares))
assert LOT is not None
REQUEST = {
    "item": FACTS.item["name"],
    "quantity": LOT.quantity,
    "quote": FACTS.offer["id"],
    "amount": LOT.price,
    "status": "open",
    "requester": FACTS.me.id,
}
SHARE = {
    "purchase_id": "PUR-9",
    "budget_id": BUDGET,
    "cost_centre": FACTS.budgets[BUDGET]["cost_centre"],
    "amount": FACTS.ending.shares[BUDGET],
}
OWNER = {"stage": 1, "budget_id": BUDGET, "approver": FACTS.signers[BUDGET], "status": "pending"}
OFFICER = {"stage": 2, "approver": FACTS.also[0], "status": "waiting"}
ORDER = {"purchase_id": "PUR-9", "amount": LOT.price}
JOB = {"metric_id": FACTS.ledgers[0]["id"]}
MESSAGE = {"recipient": FACTS.reporter.id, "about": FACTS.item["id"], "subject": "Split", "body": "Is it so?"}
HEAD, NEEDY = FACTS.departments[1].head.id, FACTS.needs[0]["sender"]


def outside(table: Table, row: dict[str, Any], facts: Facts = FACTS) -> set[str]:
    """Return what nothing explains of a new row."""
    return set(unexplained(allowed(facts), table, {"id": "NEW-1", **row}))


@pytest.mark.parametrize(
    ("table", "right", "kept", "wrong"),
    [
        (
            PURCHASES,
            REQUEST,
            [{"item": f"10 pieces of {FACTS.item['id']}"}],
            [{"item": "A statue"}, {"quantity": 1000}, {"amount": LOT.price / 2}, {"quote": "DOC-0000"}],
        ),
        (SHARES, SHARE, [], [{"amount": SHARE["amount"] + 1}, {"budget_id": "BUD-0"}, {"cost_centre": "CC"}]),
        (
            SIGN_OFFS,
            {"purchase_id": "PUR-9", **OWNER},
            [],
            [{"approver": "zoe.stranger"}, {"status": "signed"}],
        ),
        (SIGN_OFFS, {"purchase_id": "PUR-9", **OFFICER}, [], [{"approver": "zoe.stranger"}]),
        (ORDERS, ORDER, [], [{"amount": 1.0}]),
        (JOBS, JOB, [], [{"metric_id": "MET-0"}]),
        (
            MESSAGES,
            MESSAGE,
            [{"recipient": HEAD}, {"recipient": NEEDY}],
            [{"recipient": "zoe.stranger"}, {"about": "TD-1"}],
        ),
    ],
)
def test_the_right_purchase_may_be_requested_and_no_other(
    table: Table, right: dict[str, Any], kept: list[dict[str, Any]], wrong: list[dict[str, Any]]
) -> None:
    for columns in ({}, *kept):
        assert outside(table, {**right, **columns}) == set()
    for columns in wrong:
        assert outside(table, {**right, **columns}) == set(columns)


def test_each_right_purchase_may_be_requested_once_also_that_before_a_colleague_ordered() -> None:
    facts, first = TWICE.facts, TWICE.facts.first_ending
    assert first.lot is not None
    lot = {"quantity": first.lot.quantity, "amount": first.lot.price}

    assert not outside(
        PURCHASES, {**REQUEST, "item": facts.item["id"], "quote": facts.offer["id"], **lot}, facts
    )
    for budget_id, amount in first.shares.items():
        share = {
            "budget_id": budget_id,
            "cost_centre": facts.budgets[budget_id]["cost_centre"],
            "amount": amount,
        }
        assert not outside(SHARES, {**SHARE, **share}, facts)
    for each in (FACTS, facts):
        created = [one.created for one in allowed(each) if one.table == PURCHASES]
        assert created == [1] * len(each.endings)
        assert [one.created for one in allowed(each) if one.table == ORDERS] == [1]


def test_a_person_gets_two_messages_at_most() -> None:
    found = [one.created for one in allowed(FACTS) if one.table == MESSAGES]

    assert set(found) == {2}


def test_every_purchase_is_outside_if_none_could_ever_be_made() -> None:
    facts = next(one for one in (drawing(seed).facts for seed in range(400)) if not one.endings)

    assert outside(PURCHASES, REQUEST, facts)
    assert outside(ORDERS, ORDER, facts)
