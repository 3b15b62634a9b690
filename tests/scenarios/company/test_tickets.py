"""Tickets and requests of the past: their age, their history, and their copies in the other services."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import DECISION_S, Company, Person
from companyos.sdk.company.rows import Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.packs.finance import EXPENSE_APPROVAL

from .building import START, company


def staffed() -> tuple[Company, Person, Person]:
    """Return a company with a clerk and a chief."""
    built = company()
    return built, built.hire("Ada Moss", "analyst", "Purchasing"), built.hire("Ben Reed", "cfo", "Finance")


def known(built: Company, ticket: Row) -> Row:
    """Return ApprovalFlow's copy of a ticket."""
    return built.row("approvalflow", "tickets", ticket["id"])


def history(built: Company, ticket: Row) -> list[tuple[str, str]]:
    """Return who did what to a ticket."""
    lines = built.rows["ticketdesk"]["history"]
    return [(line["actor"], line["action"]) for line in lines if line["ticket_id"] == ticket["id"]]


@pytest.mark.parametrize(
    ("ticket_id", "age_s"),
    [("TD-1001", 50 * DAY), ("TD-1007", 25 * DAY), ("TD-1013", 3 * HOUR), ("TD-9999", 3 * HOUR)],
    ids=["first", "middle", "last of the spread", "beyond it"],
)
def test_a_ticket_is_as_old_as_its_number_says_and_hours_old_at_least(ticket_id: str, age_s: int) -> None:
    built, ada, _ = staffed()

    ticket = built.add_ticket(ticket_id, "task", "Look", "Look.", ada)

    assert START - ticket["created_at"] == age_s


@given(st.lists(st.sampled_from(["assigned", "verified", "closed"]), max_size=5))
def test_every_act_is_a_version_and_a_line_of_history(acts: list[str]) -> None:
    built, ada, ben = staffed()

    ticket = built.add_ticket("TD-1002", "task", "Look", "Look.", ada, acts=acts, assignee=ben.id)

    lines = [line for line in built.rows["ticketdesk"]["history"] if line["ticket_id"] == "TD-1002"]
    assert ticket["version"] == len(lines) == len(acts) + 1
    assert lines[0]["at"] == ticket["created_at"]
    assert lines[-1]["at"] == ticket["updated_at"]
    assert [line["actor"] for line in lines] == ["ada.moss", *["ben.reed"] * len(acts)]


@pytest.mark.parametrize(
    ("columns", "verified"),
    [
        ({}, False),
        ({"status": "verified"}, False),
        ({"verified_by": "ben.reed", "status": "verified"}, True),
        ({"verified_by": "ben.reed", "status": "closed"}, True),
        ({"verified_by": "ben.reed", "status": "triage"}, False),
        ({"verified_by": "ben.reed", "status": "new"}, False),
    ],
    ids=["new", "by nobody", "verified", "closed since", "reopened to triage", "reopened to new"],
)
def test_approvals_take_a_ticket_as_verified_only_while_its_facts_are_checked(
    columns: dict[str, Any], verified: bool
) -> None:
    built, ada, _ = staffed()

    ticket = built.add_ticket("TD-1002", "task", "Look", "Look.", ada, **columns)

    assert known(built, ticket)["verified"] is verified


def test_an_amended_column_changes_in_every_service_that_stores_it() -> None:
    built, ada, _ = staffed()
    ticket = built.add_ticket("TD-1002", "task", "Look", "Look.", ada, subject="V-1")

    built.amend(ticket, subject=None, title="Look again")

    assert (ticket["subject"], ticket["title"]) == (None, "Look again")
    assert known(built, ticket)["subject"] is None
    assert "title" not in known(built, ticket)


def test_a_new_reporter_has_done_what_the_old_one_did_to_this_ticket() -> None:
    built, ada, ben = staffed()
    first = built.add_ticket("TD-1002", "task", "Look", "Look.", ada, acts=("assigned",), assignee=ben.id)
    other = built.add_ticket("TD-1003", "task", "Look", "Look.", ada)
    cleo = built.hire("Cleo Ash", "clerk", "Hall")

    built.report(first, cleo)

    assert history(built, first) == [("cleo.ash", "created"), ("ben.reed", "assigned")]
    assert known(built, first)["reporter"] == "cleo.ash"
    assert history(built, other) == [("ada.moss", "created")]


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_a_decision_of_the_past_is_on_the_ticket_in_the_audit_and_linked(status: str) -> None:
    built, ada, ben = staffed()
    ticket = built.add_ticket("TD-1002", "expense", "Pay", "Pay.", ada)

    request = built.decided(ticket, EXPENSE_APPROVAL, {"amount": 5.0}, ada, ben, status)

    assert ticket["approval"] == request["status"] == status
    assert request["decided_at"] == request["submitted_at"] + DECISION_S
    audit = [line for line in built.rows["approvalflow"]["audit"] if line["request_id"] == request["id"]]
    assert [(line["actor"], line["action"]) for line in audit] == [
        ("ada.moss", "submitted"),
        ("ben.reed", status),
    ]
    [link] = built.rows["ticketdesk"]["links"]
    assert (link["ticket_id"], link["kind"], link["target"]) == ("TD-1002", "approval", request["id"])


@pytest.mark.parametrize(
    ("due_in", "since"),
    [
        (600, 3000),
        (DECISION_S - 1, 1),
        (DECISION_S, 0),
        (DECISION_S + 1, DECISION_S),
        (5 * DAY, DECISION_S),
    ],
    ids=["soon", "just made", "made now", "a second later", "in days"],
)
def test_an_open_request_was_made_an_hour_before_it_is_due_but_not_in_the_future(
    due_in: int, since: int
) -> None:
    built, ada, ben = staffed()
    ticket = built.add_ticket("TD-1002", "expense", "Pay", "Pay.", ada)

    request = built.submitted(ticket, EXPENSE_APPROVAL, {}, ada, ben, due=START + due_in)

    assert START - request["submitted_at"] == since
    assert (request["status"], request["decision_due"], request["decided_by"]) == (
        "pending",
        START + due_in,
        None,
    )
    assert ticket["approval"] == "pending"


def test_a_metrics_new_lifetime_counts_from_when_it_was_taken() -> None:
    built, *_ = staffed()
    metric = built.add_metric("score", None, 5.0, "points", age_s=DAY, ttl_s=2 * DAY)
    other = built.add_metric("score", None, 5.0, "points", age_s=DAY, ttl_s=2 * DAY)

    built.set_lifetime(metric, HOUR)

    assert built.row("approvalflow", "metrics", metric["id"])["expires_at"] == START - DAY + HOUR
    assert built.row("approvalflow", "metrics", other["id"])["expires_at"] == START + DAY
