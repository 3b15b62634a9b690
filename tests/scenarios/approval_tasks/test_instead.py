"""What is right where no decision is asked for: a remediation that blocks a vendor, and a bug that is lowered."""

from typing import Any

import pytest

from companyos.sdk.scenario import View
from scenarios.bug_escalation.scenario import SETTLES
from scenarios.vendor_onboarding.pack import REMEDIATION
from scenarios.vendor_onboarding.scenario import FAILS
from tests.allowances import unexplained

from .made import FinishedTask, family, made


def blocked_onboarding(**columns: Any) -> tuple[set[str], FinishedTask]:
    """Return which musts hold after a remediation was filed like this, and the company."""
    facts, builder = made("vendor_onboarding", cause=FAILS)
    task = FinishedTask(facts, builder)
    task.erase("approvalflow", "requests", "APR-9001")
    filed = {
        **facts.ticket,
        "id": "TD-9999",
        "kind": REMEDIATION,
        "status": "new",
        "blocked_by": [],
        **columns,
    }
    task.write("ticketdesk", "tickets", filed)
    task.write("ticketdesk", "tickets", {**facts.ticket, "status": "blocked", "blocked_by": ["TD-9999"]})
    spec = family("vendor_onboarding").spec(facts, builder)
    return {must.name for must in spec.musts if must.holds(task.view)}, task


@pytest.mark.parametrize(
    ("columns", "filed"),
    [
        ({}, True),
        ({"status": "triage"}, True),
        ({"status": "done"}, False),
        ({"status": "closed"}, False),
        ({"kind": "task"}, False),
        ({"subject": None}, False),
    ],
    ids=str,
)
def test_a_vendor_that_fails_is_blocked_by_an_open_remediation_of_it(
    columns: dict[str, Any], filed: bool
) -> None:
    held, _ = blocked_onboarding(**columns)

    assert ("remediation_filed" in held) is filed
    assert {"data_refreshed", "fresh_value_known", "ticket_sound"} <= held


@pytest.mark.parametrize(
    ("table", "row", "allowed"),
    [
        ("tickets", {"kind": REMEDIATION, "subject": "own", "status": "new"}, True),
        ("tickets", {"kind": REMEDIATION, "subject": "V-0", "status": "new"}, False),
        ("tickets", {"kind": "task", "subject": "own", "status": "new"}, False),
        ("links", {"kind": "blocks", "target": "own"}, True),
        ("links", {"kind": "duplicates", "target": "own"}, False),
        ("links", {"kind": "blocks", "target": "TD-0"}, False),
    ],
)
def test_a_remediation_and_its_link_are_allowed(table: str, row: dict[str, str], allowed: bool) -> None:
    facts, builder = made("vendor_onboarding", cause=FAILS)
    own = {"subject": facts.record["id"], "target": facts.ticket["id"]}
    written = {"id": "TD-9", **{name: own[name] if value == "own" else value for name, value in row.items()}}

    given = family("vendor_onboarding").spec(facts, builder).allowances

    assert (not unexplained(given, ("ticketdesk", table), written)) is allowed


def lowered(priority: str | None) -> View:
    facts, builder = made("bug_escalation", cause=SETTLES)
    return FinishedTask(facts, builder).ticket(priority=priority)


@pytest.mark.parametrize(
    ("priority", "right"), [("low", True), ("medium", False), ("high", False), (None, False)]
)
def test_a_bug_that_settles_has_its_priority_lowered_after_the_refresh(
    priority: str | None, right: bool
) -> None:
    facts, builder = made("bug_escalation", cause=SETTLES)
    spec = family("bug_escalation").spec(facts, builder)
    [order] = spec.orders

    held = {must.name for must in spec.musts if must.holds(lowered(priority))}

    assert ("priority_lowered" in held) is right
    assert order.then(lowered(priority)) is right
    assert spec.submits is False


@pytest.mark.parametrize(("name", "cause"), [("bug_escalation", SETTLES), ("vendor_onboarding", FAILS)])
def test_the_fresh_metric_and_the_form_are_read_before_what_is_done_instead(name: str, cause: str) -> None:
    facts, builder = made(name, cause=cause)
    [order] = family(name).spec(facts, builder).orders
    receipts = [row["id"] for row in FinishedTask(facts, builder).view.rows("datahub", "receipts")]

    assert order.first(FinishedTask(facts, builder).view)
    for unread in receipts:
        task = FinishedTask(facts, builder)
        task.erase("datahub", "receipts", unread)
        assert not order.first(task.view), unread
