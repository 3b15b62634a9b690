"""On a stack, the simulation is right, every required fact matters, and temporary harm still counts."""

from typing import Any

import pytest

from companyos.scenario import CompanyState, Instance
from companyos.sdk.draws import Draws
from scenarios.constrained_change.change import FOUR, THREE
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act

from ..conftest import instance_of
from ..play import carry_out, solve
from ..test_grading import flipped, is_solved
from .changes import call_of, planned


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
    state = carry_out(url, SCENARIO, seed, [call_of(act) for act in acts]).state_of(instance).view()

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


def test_the_trace_shows_what_automations_did_under_causes_of_their_own(url: str) -> None:
    seed = seed_of(FOUR)
    _, change = both(seed)
    acts = change.direct(change.moves)

    episode = carry_out(url, SCENARIO, seed, [call_of(act) for act in acts])

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
