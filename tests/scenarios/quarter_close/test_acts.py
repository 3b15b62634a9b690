"""Acts of a close: those out of order, those that a postponed close forbids, and those beside the task."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

from companyos.scenario import Action, Instance, call
from companyos.sdk.simtime import DAY, to_iso
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.play import (
    broken,
    carry_out,
    changed,
    inserted,
    next_id,
    solution,
    without,
)

from .graded import (
    CHILD,
    DOWN,
    FACTS,
    FILE,
    FILED,
    FULL,
    LOCK,
    ME,
    NEEDLESS,
    PERIOD,
    REFRESH,
    REOPENED,
    REPORTER,
    STRANGER,
    SUBMIT,
    TICKET,
)


def plan_of(url: str, instance: Instance = FULL) -> Sequence[Action]:
    return solution(url, SCENARIO, instance.seed)


def variance(metric_id: str, kind: str = "variance") -> Action:
    about = {"title": "Variance", "description": "Far off.", "priority": "medium"}
    return call(FILE, kind=kind, subject=metric_id, **about)


def refresh(metric_id: str) -> Action:
    return call(REFRESH, metric_id=metric_id)


def moved(plan: Sequence[Action], tool: str, before: str | None, **arguments: Any) -> list[Action]:
    """Return a plan with the calls of a tool before the first call of another, or before the end."""
    rest = without(plan, tool, **arguments)
    return inserted(rest, *(one for one in plan if one not in rest), before=before)


#: A refresh is work by the manual, though it does no harm to anybody who reads other documents first.
READ_LATE = ("manual_before_work", "documents_before_work")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda plan: moved(plan, "datahub_get_document", None, document_id=FACTS.manual["id"]), READ_LATE),
        (
            lambda plan: moved(plan, "datahub_get_document", FILE, document_id=FACTS.manual["id"]),
            READ_LATE[:1],
        ),
        (lambda plan: moved(plan, FILE, REFRESH), {"current_before_tickets", "heard_before_tickets"}),
        (lambda plan: moved(plan, FILE, "datahub_message_colleague"), {"heard_before_tickets"}),
        (
            lambda plan: moved(plan, SUBMIT, REFRESH),
            {"current_before_submission", "heard_before_submission", "filed_before_submission"},
        ),
        (
            lambda plan: moved(plan, SUBMIT, "datahub_message_colleague"),
            {"heard_before_submission", "filed_before_submission"},
        ),
        (lambda plan: moved(plan, SUBMIT, FILE), {"filed_before_submission"}),
        (lambda plan: moved(plan, LOCK, SUBMIT), {"signed_off_before_lock"}),
        (lambda plan: inserted(plan, variance(FILED)), {"second_ticket"}),
        (lambda plan: inserted(plan, variance(FACTS.metric(min(FACTS.filed)))), {"second_ticket"}),
        (
            lambda plan: inserted(plan, refresh(FACTS.metric(CHILD)), before=REFRESH),
            {"taken_out_of_order"},
        ),
    ],
)
def test_work_out_of_order_and_second_tickets_rule_out_success(
    url: str, change: Callable[[Sequence[Action]], list[Action]], wrong: Collection[str]
) -> None:
    episode = carry_out(url, SCENARIO, FULL.seed, change(plan_of(url)))

    assert not episode.success
    assert {*wrong} <= broken(episode)


def lock(instance: Instance) -> Action:
    return call(LOCK, period_id=instance.facts.books.period["id"])


def request(instance: Instance) -> Action:
    fields = {
        "period": instance.facts.books.period["id"],
        "variances": 0,
        "unexplained": 0.0,
        "manual": "DOC-1",
    }
    return call(SUBMIT, type="close_approval", approver=instance.facts.approver, fields=fields)


@pytest.mark.parametrize("instance", [DOWN, REOPENED], ids=["down", "reopened"])
@pytest.mark.parametrize(
    ("act", "wrong"),
    [
        (lock, "closed_anyway"),
        (request, "closed_anyway"),
        (lambda one: variance(one.facts.metric(one.facts.lines[0].name)), "needless_ticket"),
    ],
    ids=["locked", "requested", "filed"],
)
def test_a_close_that_is_postponed_files_submits_and_locks_nothing(
    url: str, instance: Instance, act: Callable[[Instance], Action], wrong: str
) -> None:
    episode = carry_out(url, SCENARIO, instance.seed, inserted(plan_of(url, instance), act(instance)))

    assert not episode.success
    assert wrong in broken(episode)


def message(to: str, about: str = TICKET) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="The figures are all made up.")


def assign(to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=TICKET, assignee=to)


def link() -> Action:
    tickets = FULL.rows["ticketdesk"]["tickets"]
    other = next(row["id"] for row in tickets if row["status"] == "new" and row["id"] != TICKET)
    return call("ticketdesk_link_ticket", ticket_id=TICKET, kind="blocks", target=other)


def wait() -> Action:
    return call("wait", until=to_iso(FULL.start + DAY))


OWNER, METRICS = min(FACTS.metrics_by_owner.items())
COMMENT = call("ticketdesk_add_comment", ticket_id=TICKET, body="The figures are current.")


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([link()], "ticketdesk/links"),
        ([message(STRANGER)], "datahub/messages"),
        ([message(OWNER)], "datahub/messages"),
        ([message(OWNER, PERIOD)] * (3 * len(METRICS) + 1), "datahub/messages"),
        ([message(REPORTER)] * 4, "datahub/messages"),
        ([COMMENT] * 4, "ticketdesk/comments"),
        ([variance(FILED, kind="period_close")], "ticketdesk/tickets"),
        ([refresh(NEEDLESS)], "datahub/jobs"),
        ([refresh(FACTS.metric(CHILD)), wait(), refresh(FACTS.metric(CHILD))], "datahub/jobs"),
        ([assign(STRANGER), assign(ME)], f"ticketdesk/tickets/{TICKET} (assignee)"),
        (
            [call("ticketdesk_update_ticket", ticket_id=TICKET, title="Nothing to do")],
            f"ticketdesk/tickets/{TICKET} (title)",
        ),
    ],
    ids=[
        "blocking",
        "a stranger",
        "the owner, about the ticket",
        "many to the owner",
        "many to the reporter",
        "many comments",
        "another ticket",
        "a needless run",
        "too many runs",
        "given away for a while",
        "retitled",
    ],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = carry_out(url, SCENARIO, FULL.seed, inserted(plan_of(url), *acts))

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_a_request_to_somebody_else_costs_success_even_if_it_is_withdrawn(url: str) -> None:
    [submit] = [one for one in plan_of(url) if one["tool_name"] == SUBMIT]
    first_request = next_id(FULL, "approvalflow", "requests")
    withdraw = call("approvalflow_withdraw_request", request_id=first_request, reason="Wrong one.")
    [wrong] = changed([submit], SUBMIT, approver=STRANGER)

    episode = carry_out(url, SCENARIO, FULL.seed, inserted(plan_of(url), wrong, withdraw, before=SUBMIT))

    assert not episode.success
    outside = f"approvalflow/requests/{first_request} (approver"
    assert any(row.startswith(outside) for row in episode.grade["collateral"])


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    harmless = [assign(ME), COMMENT, message(REPORTER), message(OWNER, METRICS[0]), message(OWNER, PERIOD)]

    episode = carry_out(url, SCENARIO, FULL.seed, inserted(plan_of(url), *harmless))

    assert episode.success, episode.grade["collateral"]


def test_a_ticket_about_every_line_earns_less_than_nothing(url: str) -> None:
    episode = carry_out(url, SCENARIO, FULL.seed, [variance(metric_id) for metric_id in FACTS.finals])

    assert not episode.success
    assert episode.grade["episode_return"] < 0
