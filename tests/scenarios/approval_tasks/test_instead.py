"""What is right where no decision is asked for: a remediation that blocks a vendor, and a bug that is lowered."""

from typing import Any

import pytest

from companyos.scenario import View
from scenarios.bug_escalation.scenario import SETTLES
from scenarios.vendor_onboarding.pack import REMEDIATION
from scenarios.vendor_onboarding.remediation import remediation
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
    "blocked_by", [[], ["TD-9999", "TD-1"], ["TD-1"]], ids=["nothing", "more", "another"]
)
def test_onboarding_must_be_blocked_by_exactly_the_ticket_filed_for_it(blocked_by: list[str]) -> None:
    _, task = blocked_onboarding()
    facts, builder = made("vendor_onboarding", cause=FAILS)
    task.write("ticketdesk", "tickets", {**facts.ticket, "blocked_by": blocked_by})
    [must] = [one for one in family("vendor_onboarding").spec(facts, builder).musts if "filed" in one.name]

    assert not must.holds(task.view)


def test_two_remediations_are_a_duplicate_and_one_is_not() -> None:
    _, task = blocked_onboarding()
    facts, builder = made("vendor_onboarding", cause=FAILS)
    rules = {one.name: one for one in family("vendor_onboarding").spec(facts, builder).forbidden}
    once = rules["remediation_filed_twice"].holds(task.view)
    task.write("ticketdesk", "tickets", {**facts.ticket, "id": "TD-9998", "kind": REMEDIATION})

    assert (once, rules["remediation_filed_twice"].holds(task.view)) == (False, True)
    assert not rules["needless_request"].holds(task.view)


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


def test_the_call_that_files_a_remediation_names_vendor_and_onboarding() -> None:
    arguments = remediation("TD-7", "V-3")

    assert (arguments["kind"], arguments["subject"], arguments["blocks"]) == (REMEDIATION, "V-3", "TD-7")
    assert family("vendor_onboarding").profile.instead is not None


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


def test_a_bug_is_blocked_by_finished_work_that_nobody_verified_and_looks_like_earlier_work() -> None:
    facts, builder = made("bug_escalation")
    [blocker] = facts.blockers
    tasks = [row for row in builder.company.rows["ticketdesk"]["tickets"] if row["kind"] == "task"]

    earlier = [row for row in tasks if row["id"] != blocker["id"]]

    assert (blocker["status"], blocker["verified_by"]) == ("done", None)
    assert facts.ticket["blocked_by"] == [blocker["id"]]
    assert len(earlier) == 6
    assert {row["subject"] for row in earlier} > {blocker["subject"]}
    assert all(row["status"] == "closed" and row["verified_by"] for row in earlier)
