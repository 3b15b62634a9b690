"""On a stack, the simulation is right, every required fact matters, and temporary harm still counts."""

from typing import Any

import pytest

from companyos.evaluation.agents import Naive
from companyos.scenario import CompanyState, Instance, call
from companyos.sdk.draws import Draws
from scenarios.constrained_change.change import FOUR, THREE
from scenarios.constrained_change.scenario import SCENARIO, _call
from scenarios.constrained_change.simulation import Act

from ..conftest import instance_of
from ..play import carry_out, play, solve, without_finish
from ..test_grading import flipped, is_solved
from .changes import planned


def both(seed: int) -> tuple[Instance, Any]:
    """Return an instance and the plan behind it."""
    instance = instance_of(SCENARIO, seed)
    return instance, planned(seed // 2, instance.cause)


def seed_of(cause: str, *, feasible: bool = True) -> int:
    """Return the first seed of a cause."""
    for seed in range(40):
        instance = instance_of(SCENARIO, seed, size="small")
        if instance.cause == cause and instance.feasible == feasible:
            return seed
    raise LookupError(cause)


@pytest.mark.parametrize("seed", range(8))
def test_the_simulation_foresees_what_the_services_do(url: str, seed: int) -> None:
    instance, change = both(seed)
    acts = Draws("test", seed).shuffled("acts", change.direct(change.moves))
    acts = [*acts[:3], Act("begin", change.moves[-1].ticket["id"]), *acts[3:]]
    acts = [act for act in acts if act.kind != "begin" or change.moves[-1].ticket["status"] == "new"]

    foreseen = change.simulation.through(change.begun, acts)
    state = carry_out(url, SCENARIO, seed, [_call(act) for act in acts]).state_of(instance).view()

    columns = ("holder", "level", "status", "priority", "assignee")
    for place, row in foreseen.rows.items():
        found = state.row(*place)
        assert found is not None
        assert {name: found[name] for name in columns if name in row} == {
            name: row[name] for name in columns if name in row
        }, place
    lowered = [line for line in state.changed("datahub", "changes") if line["action"] == "lowered"]
    assert len(lowered) == sum(kind == "lowered" for kind, _ in foreseen.history)


@pytest.mark.parametrize("cause", [THREE, FOUR])
def test_every_required_fact_is_required(url: str, cause: str) -> None:
    seed = seed_of(cause)
    instance, change = both(seed)
    episode = solve(url, SCENARIO, seed)

    assert episode.success
    for move in change.moves:
        state = episode.state_of(instance)
        assert is_solved(instance, state)
        assert not is_solved(instance, flipped(state, "datahub", "assets", move.asset["id"], holder="nobody"))
    for spare in change.spares:
        state = flipped(episode.state_of(instance), "datahub", "assets", spare["id"], holder="nobody")
        assert not is_solved(instance, state)


@pytest.mark.parametrize(
    ("service", "table", "line"),
    [
        ("datahub", "changes", {"id": "clearance:x@2", "action": "lowered"}),
        ("ticketdesk", "history", {"id": "TD-1-H9", "field": "assignee", "after": "oncall"}),
    ],
)
def test_harm_that_is_gone_again_within_the_step_counts(
    service: str, table: str, line: dict[str, Any]
) -> None:
    """The rows themselves are as they were; only their journal remembers."""
    instance, change = both(0)
    line = {key: change.oncall.id if value == "oncall" else value for key, value in line.items()}
    state = CompanyState(instance.rows)

    state.apply(service, [{"table": table, "id": line["id"], "row": line}])

    assert [one.name for one in instance.forbidden if one.holds(state.view())] != []


def test_one_more_act_that_is_legal_and_harmful_costs_the_success(url: str) -> None:
    seed = seed_of(THREE)
    instance = instance_of(SCENARIO, seed)
    plan = without_finish(SCENARIO.open_loop_plan(instance))
    somebody = instance.rows["datahub"]["people"][0]["id"]
    other = next(row for row in instance.rows["datahub"]["assets"] if row["holder"] not in (None, somebody))
    left_out = call("datahub_assign_asset", asset_id=instance.goal["left_out"], person_id=_capped(instance))

    assert carry_out(url, SCENARIO, seed, plan).success
    assert not carry_out(url, SCENARIO, seed, [*plan, left_out]).success
    extra = call("datahub_assign_asset", asset_id=other["id"], person_id=somebody)
    assert not carry_out(url, SCENARIO, seed, [*plan, extra]).success


def _capped(instance: Instance) -> str:
    """Return who is to have as many as the ceiling allows."""
    assigned = [act["to"] for act in instance.goal["order"] if act["kind"] == "assign"]
    return max(sorted(set(assigned)), key=assigned.count)


def test_what_cannot_be_done_is_refused_and_nothing_else_is_right(url: str) -> None:
    seed = seed_of(THREE, feasible=False)
    instance = instance_of(SCENARIO, seed)
    moved = call(
        "datahub_assign_asset",
        asset_id=next(row["id"] for row in instance.rows["datahub"]["assets"] if row["holder"] is None),
        person_id=instance.persona.id,
    )
    refusal = SCENARIO.open_loop_plan(instance)[-1]
    unfounded = call("refuse", reason_code=refusal["arguments"]["reason_code"], evidence=[])

    assert carry_out(url, SCENARIO, seed, [refusal]).success
    assert not carry_out(url, SCENARIO, seed, [unfounded]).success
    assert not carry_out(url, SCENARIO, seed, [moved, refusal]).success
    assert not carry_out(url, SCENARIO, seed, []).success


def test_the_trace_shows_what_automations_did_under_causes_of_their_own(url: str) -> None:
    seed = seed_of(FOUR)
    _, change = both(seed)
    acts = change.direct(change.moves)

    episode = carry_out(url, SCENARIO, seed, [_call(act) for act in acts])

    lowered = [
        cause
        for record in episode.trace[1:]
        for one in record["changes"]
        if one["table"] == "clearances"
        for cause in one["causes"]
    ]
    assert lowered
    assert all(cause.count(".") >= 2 for cause in lowered)
    assert all("clearance" not in record["observation"]["text"] for record in episode.trace[1:])


def test_doing_what_the_list_says_is_worth_less_than_nothing(url: str) -> None:
    episodes = [play(url, SCENARIO, seed, Naive(SCENARIO)) for seed in range(4)]

    assert not any(one.success for one in episodes)
    assert all(one.grade["episode_return"] < 0 for one in episodes)
