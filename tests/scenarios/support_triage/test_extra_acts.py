"""What else an agent does at the support desk: it costs success, unless the card says that it is harmless."""

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.support_triage.cases import TAKEN, SupportCase
from scenarios.support_triage.scenario import SCENARIO

from ..conftest import instance_of
from ..play import Episode, carry_out, changed, without

#: A morning with a failure of a service that is down, a vague ticket and one that a colleague takes.
SEED = next(
    seed
    for seed in range(100)
    if (made := instance_of(SCENARIO, seed)).feasible
    and {"vague", "duplicate"} <= {case.sort for case in made.goal["cases"]}
    and any(case.has(TAKEN) for case in made.goal["cases"])
)
INSTANCE: Instance = instance_of(SCENARIO, SEED)
CASES: list[SupportCase] = INSTANCE.goal["cases"]
PLAN = SCENARIO.open_loop_plan(INSTANCE)
FAILURE = next(case for case in CASES if case.relates)
VAGUE = next(case for case in CASES if case.sort == "vague")
DUPLICATE = next(case for case in CASES if case.sort == "duplicate")
TAKEN_CASE = next(case for case in CASES if case.has(TAKEN))
QUESTION = next(
    case
    for case in CASES
    if case.queue and case.intervention is None and case.at <= INSTANCE.start and not case.relates
)
OTHER = next(case for case in CASES if case.account["id"] != QUESTION.account["id"])
#: Whoever is no customer of this morning's, has no part in it.
STRANGER = next(
    row["reporter"] for row in INSTANCE.rows["ticketdesk"]["tickets"] if row["status"] == "closed"
)


def outcome(url: str, actions: list[Action]) -> Episode:
    return carry_out(url, SCENARIO, SEED, actions, tools="all")


def then(*acts: Action) -> list[Action]:
    """Return the right plan with other acts before it ends."""
    return [*PLAN[:-1], *acts, PLAN[-1]]


def first_read(*acts: Action) -> list[Action]:
    """Return the right plan with other acts after the error rates were read."""
    return [*PLAN[:5], *acts, *PLAN[5:]]


def update(**columns: str) -> Action:
    return call("ticketdesk_update_ticket", ticket_id=QUESTION.ticket_id, **columns)


def link(ticket_id: str, kind: str, target: str) -> Action:
    return call("ticketdesk_link_ticket", ticket_id=ticket_id, kind=kind, target=target)


def comment(case: SupportCase) -> Action:
    return call("ticketdesk_add_comment", ticket_id=case.ticket_id, body="We are looking into it.")


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="All exports are lost.")


def reporter(case: SupportCase) -> str:
    rows = [*INSTANCE.rows["ticketdesk"]["tickets"], *INSTANCE.rows["ticketdesk"]["arrivals"]]
    return next(str(row["reporter"]) for row in rows if row["id"] == case.ticket_id)


ANSWER = next(
    action
    for action in PLAN
    if action["tool_name"] == "ticketdesk_answer_ticket"
    and action["arguments"]["ticket_id"] == QUESTION.ticket_id
)


@pytest.mark.parametrize(
    ("actions", "outside"),
    [
        (then(update(subject=OTHER.account["id"])), "ticketdesk/tickets/"),
        (then(update(title="Nothing to do")), "ticketdesk/tickets/"),
        (then(update(cost_centre="CC-100")), "ticketdesk/tickets/"),
        (
            first_read(update(priority="urgent" if QUESTION.priority == "low" else "low")),
            "ticketdesk/tickets/",
        ),
        (then(link(QUESTION.ticket_id, "duplicates", OTHER.ticket_id)), "ticketdesk/links/"),
        (then(link(QUESTION.ticket_id, "blocks", OTHER.ticket_id)), "ticketdesk/links/"),
        (then(link(FAILURE.relates or "", "relates", FAILURE.ticket_id)), "ticketdesk/links/"),
        (then(*[ANSWER] * 4), "ticketdesk/answers/"),
        (then(message(STRANGER, QUESTION.ticket_id)), "datahub/messages/"),
        (then(message(reporter(QUESTION), OTHER.ticket_id)), "datahub/messages/"),
        (then(comment(DUPLICATE)), "ticketdesk/comments/"),
        (
            changed(PLAN, "ticketdesk_return_ticket", references=[OTHER.account["id"]]),
            "ticketdesk/returns/",
        ),
    ],
    ids=[
        "another subject",
        "retitled",
        "cost centre",
        "another priority first",
        "duplicate",
        "blocking",
        "linked from both sides",
        "five answers",
        "stranger",
        "customer about another's ticket",
        "comment on a duplicate",
        "references of another customer",
    ],
)
def test_an_extra_act_costs_success(url: str, actions: list[Action], outside: str) -> None:
    episode = outcome(url, actions)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


@pytest.mark.parametrize("act", [comment(TAKEN_CASE), message(reporter(TAKEN_CASE), TAKEN_CASE.ticket_id)])
def test_a_word_about_a_ticket_that_a_colleague_took_costs_success(url: str, act: Action) -> None:
    episode = outcome(url, then(act))

    missing = [one["name"] for one in episode.grade["musts"] if not one["holds"]]
    assert missing == [f"ticket_{CASES.index(TAKEN_CASE) + 1}_{TAKEN_CASE.sort}"]


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    episode = outcome(url, then(comment(QUESTION), message(reporter(QUESTION), QUESTION.ticket_id)))

    assert episode.success, episode.grade["collateral"]


def test_the_incident_may_be_linked_to_the_ticket(url: str) -> None:
    turned = [
        link(action["arguments"]["target"], "relates", action["arguments"]["ticket_id"])
        if action["tool_name"] == "ticketdesk_link_ticket"
        else action
        for action in PLAN
    ]

    episode = outcome(url, turned)

    assert episode.success, episode.grade["collateral"]


@pytest.mark.parametrize("tool", ["datahub_query_metric", "datahub_get_document"])
def test_a_plan_without_its_reads_breaks_an_order(url: str, tool: str) -> None:
    episode = outcome(url, without(PLAN, tool))

    assert not episode.success
    assert [one["name"] for one in episode.grade["orders"] if not one["kept"]]
