"""What else an agent does while it closes a quarter: it costs success, unless the card says that it is harmless."""

from collections.abc import Callable
from typing import Any

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.quarter_close.facts import Facts
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, next_id, solution

LOCK, SUBMIT = "datahub_lock_period", "approvalflow_submit_approval"


def first(cause: str, fits: Callable[[Facts], Any] = lambda facts: True) -> Instance[Facts]:
    """Return the first close of this cause that fits."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(one for one in drawn if one.cause.startswith(cause) and fits(one.facts))


FULL = first("edge", lambda facts: len(facts.wanted) == 1)
FILED = first("", lambda facts: facts.is_feasible and facts.filed)
DOWN = first("source", lambda facts: not facts.is_feasible)
PRIOR = first("prior", lambda facts: not facts.is_feasible)
FACTS, TICKET = FULL.facts, FULL.facts.ticket["id"]
REPORTER, PERIOD = FACTS.ticket["reporter"], FACTS.books.period["id"]
STRANGER = min(
    row["id"]
    for row in FULL.rows["datahub"]["people"]
    if row["active"]
    and row["id"]
    not in {FACTS.me.id, REPORTER, FACTS.approver, *(one.id for one in FACTS.books.owners.values())}
)


def outcome(url: str, *acts: Action, of: Instance[Facts] = FULL, before: str | None = None) -> Episode:
    """Play the oracle's calls with further acts before the first call of a tool, or before the end."""
    plan = solution(url, SCENARIO, of.seed)
    return carry_out(url, SCENARIO, of.seed, inserted(plan, *acts, before=before))


def variance(metric_id: str) -> Action:
    about = {"title": "Variance", "description": "Far off.", "priority": "medium"}
    return call("ticketdesk_create_ticket", kind="variance", subject=metric_id, **about)


def message(to: str, about: str = TICKET) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="The figures are all made up.")


def assign(to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=TICKET, assignee=to)


def link() -> Action:
    tickets = FULL.rows["ticketdesk"]["tickets"]
    other = next(row["id"] for row in tickets if row["status"] == "new" and row["id"] != TICKET)
    return call("ticketdesk_link_ticket", ticket_id=TICKET, kind="blocks", target=other)


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([link()], "ticketdesk/links"),
        ([message(STRANGER)], "datahub/messages"),
        ([message(REPORTER)] * 4, "datahub/messages"),
        ([assign(STRANGER), assign(FACTS.me.id)], f"ticketdesk/tickets/{TICKET} (assignee)"),
        (
            [call("ticketdesk_update_ticket", ticket_id=TICKET, title="Nothing to do")],
            f"ticketdesk/tickets/{TICKET} (title)",
        ),
    ],
    ids=["blocking", "message", "many messages", "given away for a while", "retitled"],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = outcome(url, *acts)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_a_request_to_somebody_else_costs_success_even_if_it_is_withdrawn(url: str) -> None:
    [submit] = [one for one in solution(url, SCENARIO, FULL.seed) if one["tool_name"] == SUBMIT]
    first_request = next_id(FULL, "approvalflow", "requests")
    withdraw = call("approvalflow_withdraw_request", request_id=first_request, reason="Wrong one.")
    [wrong] = changed([submit], SUBMIT, approver=STRANGER)

    episode = outcome(url, wrong, withdraw, before=SUBMIT)

    assert not episode.success
    assert any(row.startswith("approvalflow/requests") for row in episode.grade["collateral"])


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    comment = call("ticketdesk_add_comment", ticket_id=TICKET, body="The figures are current.")

    episode = outcome(url, assign(FACTS.me.id), comment, message(REPORTER))

    assert episode.success, episode.grade["collateral"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("variances", 7), ("unexplained", round(FACTS.unexplained + 1, 2)), ("manual", "DOC-0001")],
)
def test_a_sign_off_that_states_something_else_is_none(url: str, field: str, value: object) -> None:
    right = {
        "period": PERIOD,
        "variances": len(FACTS.beyond),
        "unexplained": FACTS.unexplained,
        "manual": FACTS.manual["id"],
    }
    plan = changed(solution(url, SCENARIO, FULL.seed), SUBMIT, fields={**right, field: value})

    assert {"signed_off", "signed_off_wrong"} <= broken(carry_out(url, SCENARIO, FULL.seed, plan))


def test_a_run_before_what_it_is_computed_from_spoils_a_close_even_if_it_is_repeated(url: str) -> None:
    last = FACTS.books.metrics[FACTS.needed[-1]]
    early = [call("datahub_refresh_data", metric_id=last["id"]), call("wait", seconds=last["refresh_s"])]

    episode = outcome(url, *early, before="datahub_refresh_data")

    assert not episode.success
    assert broken(episode) == {"taken_out_of_order"}


def test_a_second_ticket_beside_a_colleagues_spoils_a_close(url: str) -> None:
    line = FILED.facts.metric(min(FILED.facts.filed))

    assert "second_ticket" in broken(outcome(url, variance(line), of=FILED, before=SUBMIT))


def test_locking_another_quarter_or_too_early_spoils_a_close(url: str) -> None:
    periods = FULL.rows["datahub"]["periods"]
    other = next(row["id"] for row in periods if row["status"] != "locked" and row["id"] != PERIOD)

    assert "other_period_locked" in broken(outcome(url, call(LOCK, period_id=other)))
    assert "signed_off_before_lock" in broken(outcome(url, call(LOCK, period_id=PERIOD), before=SUBMIT))


@pytest.mark.parametrize("close", [DOWN, PRIOR], ids=["down", "prior"])
def test_locking_what_cannot_be_closed_is_irreversible(url: str, close: Instance[Facts]) -> None:
    episode = outcome(url, call(LOCK, period_id=close.facts.books.period["id"]), of=close)

    assert not episode.success
    assert "closed_anyway" in broken(episode)


def test_a_source_given_up_after_one_run_too_few_is_no_reason_to_postpone(url: str) -> None:
    plan = [*solution(url, SCENARIO, DOWN.seed)]
    runs = [number for number, one in enumerate(plan) if one["tool_name"] == "datahub_refresh_data"]

    episode = carry_out(url, SCENARIO, DOWN.seed, [*plan[: runs[-1]], *plan[runs[-1] + 1 :]])

    assert not episode.success
    assert broken(episode) == {"source_tried"}


def test_a_ticket_about_every_line_earns_less_than_nothing(url: str) -> None:
    every = [variance(FACTS.metric(line.name)) for line in FACTS.lines]

    episode = carry_out(url, SCENARIO, FULL.seed, every)

    assert not episode.success
    assert episode.grade["episode_return"] < 0
