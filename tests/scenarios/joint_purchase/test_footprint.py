"""The rows that a buyer may write."""

from typing import Any

from scenarios.joint_purchase import grading

from .grades import drawn_for


def allowed(table: str, **columns: Any) -> bool:
    """Return whether the footprint lets the agent write such a row."""
    facts = drawn_for().facts
    parts = grading.footprint(facts, frozenset({"PUR-0001"}))
    [part] = [one for one in parts if one.table == table]
    return part.allows(columns)


def test_the_agent_may_write_about_its_own_purchases_and_both_departments_budgets_alone() -> None:
    facts = drawn_for().facts
    me, budget = facts.me.id, facts.departments[1].following["id"]

    assert allowed("purchases", requester=me)
    assert not allowed("purchases", requester="ada.else")
    assert allowed("purchase_shares", budget_id=budget)
    assert not allowed("purchase_shares", budget_id="BUD-0")
    assert allowed("purchase_orders", ordered_by=me)
    assert not allowed("purchase_orders", ordered_by="ada.else")


def test_the_agent_may_have_new_purchases_signed_and_no_earlier_ones() -> None:
    assert allowed("sign_offs", purchase_id="PUR-0002")
    assert not allowed("sign_offs", purchase_id="PUR-0001")


def test_the_agent_may_refresh_ledgers_and_metrics_of_both_departments_even_those_of_no_use() -> None:
    facts = drawn_for().facts
    useless = next(
        metric["id"]
        for metric in facts.departments[0].metrics.values()
        if metric["id"] not in {one["id"] for one in facts.bases}
    )

    assert all(allowed("jobs", metric_id=one) for one in (useless, facts.ledgers[1]["id"]))
    assert not allowed("jobs", metric_id="MET-0")
