"""What may be written during a joint purchase, row by row."""

from typing import Any

import pytest

from companyos.company.allowances import JOBS, MESSAGES
from companyos.scenario import Table
from scenarios.joint_purchase.allowances import ORDERS, PURCHASES, SHARES, SIGN_OFFS, allowed
from tests.allowances import unexplained

from .test_grading import NEVER, ONE, TWICE

FACTS = ONE.facts
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
SIGN_OFF = {"purchase_id": "PUR-9", "status": "pending"}
OWNER = {"stage": 1, "budget_id": BUDGET, "approver": FACTS.signers[BUDGET]}
OFFICER = {"stage": 2, "approver": FACTS.also[0][0]}
MESSAGE = {"recipient": FACTS.reporter.id, "about": FACTS.item["id"], "subject": "Split", "body": "Is it so?"}


@pytest.mark.parametrize(
    ("table", "right", "wrong"),
    [
        (
            PURCHASES,
            REQUEST,
            [{"item": "A statue"}, {"quantity": 1000}, {"amount": LOT.price / 2}, {"quote": "DOC-0000"}],
        ),
        (SHARES, SHARE, [{"amount": SHARE["amount"] + 1}, {"budget_id": "BUD-0"}, {"cost_centre": "CC"}]),
        (SIGN_OFFS, {**SIGN_OFF, **OWNER}, [{"approver": "zoe.stranger"}, {"status": "signed"}]),
        (SIGN_OFFS, {**SIGN_OFF, **OFFICER}, [{"approver": "zoe.stranger"}]),
        (ORDERS, {"purchase_id": "PUR-9", "amount": LOT.price}, [{"amount": 1.0}]),
        (JOBS, {"metric_id": FACTS.ledgers[0]["id"]}, [{"metric_id": "MET-0"}]),
        (MESSAGES, MESSAGE, [{"recipient": "zoe.stranger"}, {"about": "TD-1"}]),
    ],
    ids=["purchase", "share", "owner", "officer", "order", "run", "message"],
)
def test_the_right_purchase_may_be_requested_and_no_other(
    table: Table, right: dict[str, Any], wrong: list[dict[str, Any]]
) -> None:
    for columns in ({}, *wrong):
        row = {"id": "NEW-1", **right, **columns}
        assert set(unexplained(allowed(FACTS), table, row)) == set(columns)


def test_each_right_purchase_may_be_requested_once_and_a_person_gets_two_messages() -> None:
    for of, count in ((ONE, 1), (TWICE, 2), (NEVER, 0)):
        created = [(one.table, one.created) for one in of.allowances]
        assert created.count((PURCHASES, 1)) == count
        assert {number for table, number in created if table == MESSAGES} == {2}
