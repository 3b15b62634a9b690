"""What else an agent does while it closes a quarter: it costs success, unless the card says that it is harmless."""

from collections.abc import Callable
from typing import Any

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.quarter_close.facts import Facts
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, carry_out, changed, inserted, next_id, solution

SUBMIT = "approvalflow_submit_approval"


def first(cause: str, fits: Callable[[Facts], Any] = lambda facts: True) -> Instance[Facts]:
    """Return the first close of this cause that fits."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(one for one in drawn if one.cause.startswith(cause) and fits(one.facts))


FULL = first("edge", lambda facts: len(facts.wanted) == 1)
FACTS, TICKET = FULL.facts, FULL.facts.ticket["id"]
REPORTER = FACTS.ticket["reporter"]
STRANGER = min(
    row["id"]
    for row in FULL.rows["datahub"]["people"]
    if row["active"]
    and row["id"]
    not in {FACTS.me.id, REPORTER, FACTS.approver, *(one.id for one in FACTS.books.owners.values())}
)


def outcome(url: str, *acts: Action, before: str | None = None) -> Episode:
    """Play the oracle's calls with further acts before the first call of a tool, or before the end."""
    plan = solution(url, SCENARIO, FULL.seed)
    return carry_out(url, SCENARIO, FULL.seed, inserted(plan, *acts, before=before))


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


def test_a_ticket_about_every_line_earns_less_than_nothing(url: str) -> None:
    every = [variance(FACTS.metric(line.name)) for line in FACTS.lines]

    episode = carry_out(url, SCENARIO, FULL.seed, every)

    assert not episode.success
    assert episode.grade["episode_return"] < 0
