"""What else an agent does at the support desk: it costs success, unless the card says that it is harmless."""

from collections.abc import Sequence

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.support_triage.cases import NUDGED, TAKEN, SupportCase
from scenarios.support_triage.scenario import SCENARIO

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, inserted, solution, without

#: A morning with a failure of a service that is down, a vague ticket and one that a colleague takes.
SEED = next(
    seed
    for seed in range(100)
    if (made := instance_of(SCENARIO, seed)).feasible
    and {"vague", "duplicate"} <= {case.sort for case in made.facts.cases}
    and {TAKEN, NUDGED} <= {case.intervention.kind for case in made.facts.cases if case.intervention}
)
INSTANCE: Instance = instance_of(SCENARIO, SEED)
CASES: Sequence[SupportCase] = INSTANCE.facts.cases
FAILURE = next(case for case in CASES if case.relates)
VAGUE = next(case for case in CASES if case.sort == "vague")
DUPLICATE = next(case for case in CASES if case.sort == "duplicate")
TAKEN_CASE = next(case for case in CASES if case.has(TAKEN))
QUESTION = next(
    case
    for case in CASES
    if case.queue and case.intervention is None and case.at <= INSTANCE.start and not case.relates
)
NUDGED_CASE = next(case for case in CASES if case.has(NUDGED))
OTHER = next(case for case in CASES if case.account["id"] != QUESTION.account["id"])
#: Whoever is no customer of this morning's, has no part in it.
STRANGER = next(
    row["reporter"] for row in INSTANCE.rows["ticketdesk"]["tickets"] if row["status"] == "closed"
)


def outcome(url: str, *acts: Action, before: str | None = None) -> Episode:
    """Play the oracle's calls with further acts before the first call of a tool, or before the end."""
    return carried_out(url, inserted(plan(url), *acts, before=before))


def carried_out(url: str, actions: Sequence[Action]) -> Episode:
    return carry_out(url, SCENARIO, SEED, actions, tools="all")


def plan(url: str) -> Sequence[Action]:
    return solution(url, SCENARIO, SEED, tools="all")


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


def reply(*documents: str) -> Action:
    return call(
        "ticketdesk_answer_ticket",
        ticket_id=NUDGED_CASE.ticket_id,
        body="See before.",
        document_ids=list(documents),
    )


@pytest.mark.parametrize("documents", [(), (str(NUDGED_CASE.document),)], ids=["words", "document"])
def test_a_customer_who_has_written_again_gets_one_reply(url: str, documents: tuple[str, ...]) -> None:
    once, twice = outcome(url, reply(*documents)), outcome(url, reply(*documents), reply())

    assert once.success, once.grade
    assert not twice.success
    assert twice.grade["collateral"]


SENT = {"body": "See this.", "document_ids": [QUESTION.document]}
ANSWER = call("ticketdesk_answer_ticket", ticket_id=QUESTION.ticket_id, **SENT)


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([update(subject=OTHER.account["id"])], "ticketdesk/tickets/"),
        ([update(title="Nothing to do")], "ticketdesk/tickets/"),
        ([update(cost_centre="CC-100")], "ticketdesk/tickets/"),
        ([link(QUESTION.ticket_id, "duplicates", OTHER.ticket_id)], "ticketdesk/links/"),
        ([link(QUESTION.ticket_id, "blocks", OTHER.ticket_id)], "ticketdesk/links/"),
        ([link(FAILURE.relates or "", "relates", FAILURE.ticket_id)], "ticketdesk/links/"),
        ([ANSWER] * 4, "ticketdesk/answers/"),
        ([message(STRANGER, QUESTION.ticket_id)], "datahub/messages/"),
        ([message(reporter(QUESTION), OTHER.ticket_id)], "datahub/messages/"),
        ([comment(DUPLICATE)], "ticketdesk/comments/"),
    ],
    ids=[
        "another subject",
        "retitled",
        "cost centre",
        "duplicate",
        "blocking",
        "linked from both sides",
        "five answers",
        "stranger",
        "customer about another's ticket",
        "comment on a duplicate",
    ],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = outcome(url, *acts)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


@pytest.mark.parametrize("act", [comment(TAKEN_CASE), message(reporter(TAKEN_CASE), TAKEN_CASE.ticket_id)])
def test_a_word_about_a_ticket_that_a_colleague_took_costs_success(url: str, act: Action) -> None:
    episode = outcome(url, act)

    missing = [one["name"] for one in episode.grade["musts"] if not one["holds"]]
    assert missing == [f"ticket_{CASES.index(TAKEN_CASE) + 1}_{TAKEN_CASE.sort}"]


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    episode = outcome(url, comment(QUESTION), message(reporter(QUESTION), QUESTION.ticket_id))

    assert episode.success, episode.grade["collateral"]


def test_the_incident_may_be_linked_to_the_ticket(url: str) -> None:
    turned = [
        link(action["arguments"]["target"], "relates", action["arguments"]["ticket_id"])
        if action["tool_name"] == "ticketdesk_link_ticket"
        else action
        for action in plan(url)
    ]

    episode = carried_out(url, turned)

    assert episode.success, episode.grade["collateral"]


@pytest.mark.parametrize("tool", ["datahub_query_metric", "datahub_get_document"])
def test_a_plan_without_its_reads_breaks_an_order(url: str, tool: str) -> None:
    episode = carried_out(url, without(plan(url), tool))

    assert not episode.success
    assert [one["name"] for one in episode.grade["orders"] if not one["kept"]]


def test_another_priority_first_or_references_of_another_customer_cost_success(url: str) -> None:
    first = update(priority="urgent" if QUESTION.priority == "low" else "low")
    referring = changed(plan(url), "ticketdesk_return_ticket", references=[OTHER.account["id"]])

    for episode in (outcome(url, first, before="ticketdesk_update_ticket"), carried_out(url, referring)):
        assert not episode.success
        assert episode.grade["collateral"]


def test_a_ticket_merged_into_another_or_answered_in_the_evening_is_not_made_good(url: str) -> None:
    here = [case for case in CASES if case.at <= INSTANCE.start and case.sort not in ("vague", "fixed")]
    merge = call("ticketdesk_merge_ticket", ticket_id=here[1].ticket_id, into=here[0].ticket_id)
    late = call("wait", seconds=8 * 3600)

    assert "wrong_merge" in broken(outcome(url, merge, before="ticketdesk_update_ticket"))
    assert any(
        name.startswith("ticket_") for name in broken(outcome(url, late, before="ticketdesk_update_ticket"))
    )


def test_a_frozen_queue_is_refused_and_touching_it_is_forbidden(url: str) -> None:
    frozen = next(one for one in (instance_of(SCENARIO, seed) for seed in range(60)) if not one.feasible)
    right = solution(url, SCENARIO, frozen.seed)
    touch = call("ticketdesk_update_ticket", ticket_id=frozen.facts.cases[0].ticket_id, priority="low")

    assert not carry_out(url, SCENARIO, frozen.seed, inserted(right, touch)).success
    assert not carry_out(url, SCENARIO, frozen.seed, right[-1:]).success
