"""Episodes of support triage: only the right outcome for every ticket succeeds."""

from collections.abc import Sequence

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.support_triage.scenario import SCENARIO
from tests.sizes import size

from ..conftest import instance_of
from ..play import carry_out, changed, solve, without

SEED = 2


@pytest.fixture(scope="module")
def instance() -> Instance:
    """A morning that can be worked."""
    found = next(one for one in (instance_of(SCENARIO, seed) for seed in (SEED, SEED + 1)) if one.feasible)
    assert found.feasible
    return found


def failed(url: str, instance: Instance, plan: Sequence[Action]) -> set[str]:
    """Return the facts that do not hold, or that are forbidden and do, after a plan that must not succeed."""
    episode = carry_out(url, SCENARIO, instance.seed, plan)
    assert not episode.success
    missed = {one["name"] for one in episode.grade["musts"] if not one["holds"]}
    return missed | {one["name"] for one in episode.grade["forbidden"] if not one["kept"]}


def test_the_right_plan_succeeds_and_that_of_the_other_cause_does_not(url, instance) -> None:
    other = instance_of(SCENARIO, instance.seed ^ 1)

    own = carry_out(url, SCENARIO, instance.seed, SCENARIO.open_loop_plan(instance))
    wrong = carry_out(url, SCENARIO, instance.seed, SCENARIO.open_loop_plan(other))

    assert own.success
    assert not wrong.success


@pytest.mark.parametrize("level", [0, 3])
def test_the_oracle_solves_a_morning(url, instance, level) -> None:
    assert solve(url, SCENARIO, instance.seed, chaos=level).success


def test_a_frozen_queue_is_refused_and_touching_it_is_forbidden(url) -> None:
    frozen = next(one for one in (instance_of(SCENARIO, seed) for seed in range(60)) if not one.feasible)
    plan = SCENARIO.open_loop_plan(frozen)
    ticket_id = frozen.goal["cases"][0].ticket_id
    touch = call("ticketdesk_update_ticket", ticket_id=ticket_id, priority="low")

    assert solve(url, SCENARIO, frozen.seed).success
    assert carry_out(url, SCENARIO, frozen.seed, plan).success
    assert not carry_out(url, SCENARIO, frozen.seed, [*plan[:-1], touch, plan[-1]]).success
    assert not carry_out(url, SCENARIO, frozen.seed, plan[-1:]).success


@pytest.mark.proof
def test_every_act_of_the_plan_is_needed(url, instance) -> None:
    plan = SCENARIO.open_loop_plan(instance)
    acts = [number for number, action in enumerate(plan) if action["tool_name"].startswith("ticketdesk_")]

    for number in acts[:: size(6, 1)]:
        assert failed(url, instance, [*plan[:number], *plan[number + 1 :]])


def test_one_more_act_on_a_ticket_of_somebody_else_costs_the_success(url, instance) -> None:
    plan = SCENARIO.open_loop_plan(instance)
    cases = {case.ticket_id for case in instance.goal["cases"]}
    other = next(row["id"] for row in instance.rows["ticketdesk"]["tickets"] if row["id"] not in cases)
    extra = call("ticketdesk_link_ticket", ticket_id=other, kind="relates", target=min(cases))

    episode = carry_out(url, SCENARIO, instance.seed, [*plan[:-1], extra, plan[-1]])

    assert not episode.success


def test_merging_what_is_no_duplicate_is_irreversible_harm(url, instance) -> None:
    plan = SCENARIO.open_loop_plan(instance)
    here = [case for case in instance.goal["cases"] if case.at <= instance.start]
    first, second = [case for case in here if case.sort not in ("vague", "fixed")][:2]
    merge = call("ticketdesk_merge_ticket", ticket_id=second.ticket_id, into=first.ticket_id)

    found = failed(url, instance, [*plan[:5], merge, *without(plan[5:], "ticketdesk_merge_ticket")])

    assert "wrong_merge" in found


def test_sending_another_document_or_using_one_queue_for_all_is_wrong(url, instance) -> None:
    plan = SCENARIO.open_loop_plan(instance)
    document = next(case.document for case in instance.goal["cases"] if case.document)

    same_answer = changed(plan, "ticketdesk_answer_ticket", document_ids=[document])
    one_queue = changed(plan, "ticketdesk_route_ticket", queue="billing")

    assert failed(url, instance, same_answer)
    assert failed(url, instance, one_queue)


def test_the_same_to_every_ticket_earns_less_than_nothing(url, instance) -> None:
    case = instance.goal["cases"][0]
    everything = [
        act
        for one in instance.goal["cases"]
        if one.at <= instance.start
        for act in (
            call(
                "ticketdesk_answer_ticket",
                ticket_id=one.ticket_id,
                body="See this.",
                document_ids=[case.document],
            ),
            call("ticketdesk_update_ticket", ticket_id=one.ticket_id, priority="high"),
            call("ticketdesk_route_ticket", ticket_id=one.ticket_id, queue="billing"),
        )
    ]

    episode = carry_out(url, SCENARIO, instance.seed, [*everything, call("finish")])

    assert not episode.success
    assert episode.grade["episode_return"] < 0


def test_nothing_done_in_time_is_late(url, instance) -> None:
    plan = SCENARIO.open_loop_plan(instance)
    late = [*plan[:5], call("wait", seconds=8 * 3600), *without(plan[5:], "wait")]

    assert [name for name in failed(url, instance, late) if name.startswith("ticket_")]


def test_answers_that_press_are_given_though_an_operation_is_unavailable_for_half_an_hour(url: str) -> None:
    episode = solve(url, SCENARIO, 0, chaos=5)

    refused = {(record["observation"]["error"] or {}).get("code") for record in episode.trace[1:]}
    assert "operation_unavailable" in refused
    assert episode.success
