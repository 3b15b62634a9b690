"""Acts of a close, played for real: those out of order, those that a postponed close forbids, and those beside it."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

from companyos.sdk.scenario import Action, Instance, call
from companyos.sdk.simtime import DAY, to_iso
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, next_id, solution, without

from .closes import CHILD, DOWN, FACTS, FILED, FULL, ME, NEEDLESS, PERIOD, REOPENED, STRANGER

REFRESH, FILE = "datahub_refresh_data", "ticketdesk_create_ticket"
SUBMIT, LOCK = "approvalflow_submit_approval", "datahub_lock_period"
TICKET, REPORTER = FACTS.ticket["id"], FACTS.ticket["reporter"]
OWNER, METRICS = min(FACTS.metrics_by_owner.items())


def plan_of(url: str, instance: Instance) -> Sequence[Action]:
    return solution(url, SCENARIO, instance.seed)


def play(url: str, instance: Instance, plan: Sequence[Action]) -> Episode:
    return carry_out(url, SCENARIO, instance.seed, plan)


def variance(metric_id: str, kind: str = "variance") -> Action:
    about = {"title": "Variance", "description": "Far off.", "priority": "medium"}
    return call(FILE, kind=kind, subject=metric_id, **about)


def block(ticket_id: str) -> Action:
    return call("ticketdesk_link_ticket", ticket_id=ticket_id, kind="blocks", target=TICKET)


def refresh(metric_id: str) -> Action:
    return call(REFRESH, metric_id=metric_id)


def message(to: str, about: str = TICKET) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="The figures are all made up.")


def moved(plan: Sequence[Action], tool: str, before: str, **arguments: Any) -> list[Action]:
    """Return a plan with the calls of a tool before the first call of another."""
    rest = without(plan, tool, **arguments)
    return inserted(rest, *(one for one in plan if one not in rest), before=before)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (
            lambda plan: moved(plan, "datahub_get_document", FILE, document_id=FACTS.manual["id"]),
            {"manual_before_work"},
        ),
        (lambda plan: moved(plan, FILE, REFRESH), {"current_before_tickets"}),
        (lambda plan: moved(plan, FILE, "datahub_message_colleague"), {"heard_before_tickets"}),
        (lambda plan: moved(plan, SUBMIT, REFRESH), {"current_before_submission", "heard_before_submission"}),
        (lambda plan: moved(plan, SUBMIT, FILE), {"filed_before_submission"}),
        (lambda plan: moved(plan, LOCK, SUBMIT), {"signed_off_before_lock"}),
        (lambda plan: inserted(plan, variance(FILED)), {"second_ticket"}),
        (lambda plan: inserted(plan, variance(min(FACTS.filed))), {"second_ticket"}),
        (lambda plan: inserted(plan, refresh(CHILD), before=REFRESH), {"taken_out_of_order"}),
        (lambda plan: changed(plan, FILE, blocks=TICKET), set()),
        (lambda plan: inserted(plan, block(next_id(FULL, "ticketdesk", "tickets"))), set()),
    ],
)
def test_work_out_of_order_and_tickets_too_many_or_in_the_way_rule_out_success(
    url: str, change: Callable[[Sequence[Action]], list[Action]], wrong: Collection[str]
) -> None:
    episode = play(url, FULL, change(plan_of(url, FULL)))

    assert not episode.success
    assert {*wrong} <= broken(episode)


def lock(instance: Instance) -> Action:
    return call(LOCK, period_id=instance.facts.books.period["id"])


def request(instance: Instance) -> Action:
    period = instance.facts.books.period["id"]
    fields = {"period": period, "variances": 0, "unexplained": 0.0, "manual": "DOC-1"}
    return call(SUBMIT, type="close_approval", approver=instance.facts.approver, fields=fields)


@pytest.mark.parametrize(
    ("instance", "act"), [(DOWN, lock), (REOPENED, request)], ids=["locked", "requested"]
)
def test_a_close_that_is_postponed_files_submits_and_locks_nothing(
    url: str, instance: Instance, act: Callable[[Instance], Action]
) -> None:
    needless = variance(instance.facts.books.lines[0].id)

    episode = play(url, instance, inserted(plan_of(url, instance), act(instance), needless))

    assert not episode.success
    assert {"closed_anyway", "needless_ticket"} <= broken(episode)


def test_each_extra_act_is_collateral_of_a_close(url: str) -> None:
    plan = plan_of(url, FULL)
    [submit] = [one for one in plan if one["tool_name"] == SUBMIT]
    request_id = next_id(FULL, "approvalflow", "requests")
    wrong = [
        *changed([submit], SUBMIT, approver=STRANGER),
        call("approvalflow_withdraw_request", request_id=request_id, reason="Wrong one."),
    ]
    acts = [
        message(OWNER),
        *[message(OWNER, PERIOD)] * (3 * len(METRICS) + 1),
        variance(FILED, kind="period_close"),
        call("ticketdesk_update_ticket", ticket_id=TICKET, title="Nothing to do"),
        *(refresh(NEEDLESS), refresh(CHILD), call("wait", until=to_iso(FULL.start + DAY)), refresh(CHILD)),
    ]

    episode = play(url, FULL, inserted(inserted(plan, *wrong, before=SUBMIT), *acts))

    outside = episode.grade["collateral"]
    tables = [row.rpartition("/")[0] for row in outside]
    assert not episode.success
    assert any(row.startswith(f"approvalflow/requests/{request_id} (approver") for row in outside)
    assert f"ticketdesk/tickets/{TICKET} (title)" in outside
    assert [tables.count(one) for one in ("datahub/messages", "datahub/jobs")] >= [2, 2]
    assert tables.count("ticketdesk/tickets") == 2


def test_the_request_may_have_the_papers_of_the_close_attached_and_no_others(url: str) -> None:
    plan, request_id = list(plan_of(url, FULL)), next_id(FULL, "approvalflow", "requests")
    asked = [one["tool_name"] for one in plan].index(SUBMIT) + 1

    def attached(*references: str) -> Episode:
        add = "approvalflow_add_evidence"
        evidence = [call(add, request_id=request_id, kind="document", reference=one) for one in references]
        return play(url, FULL, [*plan[:asked], *evidence, *plan[asked:]])

    foreign = next(row["id"] for row in FULL.rows["ticketdesk"]["tickets"] if row["id"] != TICKET)
    own, other = attached(TICKET, PERIOD, FULL.facts.manual["id"], *METRICS[:1]), attached(foreign)

    assert own.success, own.grade["collateral"]
    assert not other.success


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    filed = next_id(FULL, "ticketdesk", "tickets")
    harmless = [
        call("ticketdesk_assign_ticket", ticket_id=TICKET, assignee=ME),
        call("ticketdesk_add_comment", ticket_id=TICKET, body="The figures are current."),
        *(message(REPORTER), message(OWNER, METRICS[0]), message(OWNER, PERIOD)),
        *(message(FULL.facts.approver, next_id(FULL, "approvalflow", "requests")), message(REPORTER, filed)),
        call("ticketdesk_add_comment", ticket_id=filed, body="The owner has explained it."),
    ]

    episode = play(url, FULL, inserted(plan_of(url, FULL), *harmless))

    assert episode.success, episode.grade["collateral"]
