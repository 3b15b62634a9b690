"""What a ticket must show in the end: each fact is flipped alone, and only the predicate about it turns false."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import TaskFacts, checks
from companyos.sdk.scenario import View

from .made import READ_AT, START, VERIFIED_AT, FinishedTask, at_start, expense, made

FACTS, BUILDER = expense()
#: Somebody else who may verify such tickets too, and somebody who may not.
DIRECTOR = BUILDER.cast.offices["finance_director"].id
CHIEF = BUILDER.cast.offices["cfo"].id
RECEIPT = f"{FACTS.metric['id']}@{FACTS.metric['version'] + 1}:{FACTS.persona.id}"
ABOUT_THE_TICKET = {
    "priority": checks.priority_is_right(FACTS),
    "cost_centre": checks.cost_centre_is_right(FACTS),
    "subject": checks.subject_is_right(FACTS),
    "assignee": checks.is_taken(FACTS),
    "blocked_by": checks.is_unblocked(FACTS),
    "approval": checks.ticket_shows_approval(FACTS),
}


def finished() -> FinishedTask:
    return FinishedTask(FACTS, BUILDER)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("priority", None),
        ("priority", "urgent"),
        ("cost_centre", None),
        ("cost_centre", "CC-000"),
        ("subject", None),
        ("subject", "EXP-0"),
        ("assignee", None),
        ("assignee", DIRECTOR),
        ("blocked_by", ["TD-1"]),
        ("approval", "pending"),
        ("approval", "rejected"),
    ],
)
def test_a_wrong_column_is_told_by_the_predicate_about_it_and_by_no_other(column: str, value: Any) -> None:
    view = finished().ticket(**{column: value})

    assert {name for name, holds in ABOUT_THE_TICKET.items() if not holds(view)} == {column}


def test_erasing_a_blocked_ticket_does_not_unblock_it() -> None:
    facts, builder = made("bug_escalation")
    task = FinishedTask(facts, builder)
    task.erase("ticketdesk", "tickets", facts.ticket["id"])

    assert checks.is_unblocked(facts)(FinishedTask(facts, builder).view)
    assert not checks.is_unblocked(facts)(task.view)


@pytest.mark.parametrize("status", ["verified", "in_progress"])
def test_a_verified_ticket_may_be_in_progress(status: str) -> None:
    assert checks.is_verified(FACTS)(finished().ticket(status=status))


def without_reference(what: str) -> dict[str, Any]:
    named = {"record": FACTS.record["id"], "metric": FACTS.metric["id"], "form": FACTS.documents[0]}
    return {"references": [one for name, one in named.items() if name != what]}


@pytest.mark.parametrize(
    "columns",
    [
        *({"status": one} for one in ("new", "triage", "blocked", "done", "closed", "returned")),
        *({"evidence": one} for one in (None, "", "  ")),
        *(without_reference(one) for one in ("record", "metric", "form")),
        {"verified_by": None},
        {"verified_by": DIRECTOR},
        {"verified_by": CHIEF},
        {"verified_by": "nobody.known"},
        {"verified_at": None},
        {"verified_at": READ_AT - 1},
        {"reporter": FACTS.persona.id},
    ],
    ids=str,
)
def test_a_verification_lacks_one_thing_and_does_not_count(columns: dict[str, Any]) -> None:
    assert not checks.is_verified(FACTS)(finished().ticket(**columns))


def test_somebody_else_who_may_verify_and_has_read_all_may_have_verified() -> None:
    task = finished()
    task.read(FACTS.metric["id"], version=FACTS.metric["version"] + 1, reader=DIRECTOR)

    assert checks.is_verified(FACTS)(task.ticket(verified_by=DIRECTOR))


@pytest.mark.parametrize(
    ("receipt", "counts"),
    [
        ({}, True),
        ({"version": FACTS.metric["version"]}, False),
        ({"version": FACTS.metric["version"] + 5}, True),
        ({"at": VERIFIED_AT}, True),
        ({"at": VERIFIED_AT + 1}, False),
        ({"reader": CHIEF}, False),
    ],
    ids=["in time", "the stale one", "a later one", "at the same time", "afterwards", "by another"],
)
def test_a_verification_rests_on_the_fresh_metric_read_before(receipt: dict[str, Any], counts: bool) -> None:
    task = finished()
    task.erase("datahub", "receipts", RECEIPT)

    task.read(FACTS.metric["id"], **{"version": FACTS.metric["version"] + 1, **receipt})

    assert checks.is_verified(FACTS)(task.view) is counts


@pytest.mark.parametrize(
    ("at", "in_the_end", "in_time"),
    [
        (None, False, False),
        (VERIFIED_AT - 1, True, True),
        (VERIFIED_AT, True, True),
        (VERIFIED_AT + 1, True, False),
    ],
    ids=["never", "before", "at the same time", "afterwards"],
)
def test_the_form_is_read_in_time_or_only_in_the_end(at: int | None, in_the_end: bool, in_time: bool) -> None:
    task, [form] = finished(), FACTS.documents
    task.erase("datahub", "receipts", f"{form}@1:{FACTS.persona.id}")
    if at is not None:
        task.read(form, at=at)

    assert checks.form_is_read(FACTS)(task.view) is in_the_end
    assert checks.form_is_read(FACTS, by=VERIFIED_AT)(task.view) is in_time
    assert checks.is_verified(FACTS)(task.view) is in_time


def test_a_task_without_a_form_has_nothing_to_read() -> None:
    facts = replace(FACTS, form=None)

    assert facts.documents == ()
    assert checks.form_is_read(facts)(at_start(BUILDER))


def test_the_list_of_what_is_on_hold_is_read_by_the_agent_itself() -> None:
    assert FACTS.exclusions is not None
    task = finished()
    unread = checks.list_is_read(FACTS)(task.view)

    task.read(FACTS.exclusions["id"], reader=DIRECTOR)
    by_another = checks.list_is_read(FACTS)(task.view)
    task.read(FACTS.exclusions["id"])

    assert (unread, by_another, checks.list_is_read(FACTS)(task.view)) == (False, False, True)


@pytest.mark.parametrize(
    ("columns", "sound"),
    [
        ({}, True),
        ({"priority": FACTS.ticket["priority"]}, True),
        ({"priority": "urgent"}, False),
        ({"cost_centre": "CC-000"}, False),
        ({"subject": "EXP-0"}, False),
        ({"assignee": None}, True),
        ({"assignee": DIRECTOR}, False),
        ({"status": "closed"}, True),
    ],
    ids=str,
)
def test_a_sound_ticket_has_its_old_values_or_right_ones(columns: dict[str, Any], sound: bool) -> None:
    assert checks.is_sound(FACTS)(finished().ticket(**columns)) is sound


def test_a_field_that_was_empty_may_stay_empty_and_a_full_one_may_not_be_emptied() -> None:
    emptied = replace(FACTS, ticket={**FACTS.ticket, "cost_centre": None})

    view = finished().ticket(cost_centre=None)

    assert checks.is_sound(emptied)(view)
    assert not checks.is_sound(FACTS)(view)


@pytest.mark.parametrize(
    ("columns", "refreshed"),
    [
        ({}, True),
        ({"version": FACTS.metric["version"]}, False),
        ({"value": FACTS.metric["value"]}, False),
        ({"version": FACTS.metric["version"] + 3}, True),
    ],
    ids=["once", "a failed refresh", "a newer version of the old value", "several times"],
)
def test_a_metric_is_refreshed_once_it_is_newer_and_has_the_fresh_value(
    columns: dict[str, Any], refreshed: bool
) -> None:
    task = finished()
    right = {**FACTS.metric, "version": FACTS.metric["version"] + 1, "value": FACTS.value}
    task.write("datahub", "metrics", {**right, **columns})

    assert checks.is_refreshed(FACTS)(task.view) is refreshed


def known(facts: TaskFacts, view: View) -> bool:
    return checks.fresh_value_is_known(facts)(view)


def test_the_fresh_value_is_known_once_the_agent_reads_a_newer_version() -> None:
    task, version = FinishedTask(FACTS, BUILDER), FACTS.metric["version"]
    task.erase("datahub", "receipts", RECEIPT)
    task.read(FACTS.metric["id"], version=version)
    stale = known(FACTS, task.view)
    task.read(FACTS.metric["id"], version=version + 1, reader=DIRECTOR)
    by_another = known(FACTS, task.view)
    task.read(FACTS.metric["id"], version=version + 2, at=START + 1)

    assert (stale, by_another, known(FACTS, task.view)) == (False, False, True)
