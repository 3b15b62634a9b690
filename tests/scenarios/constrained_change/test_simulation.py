"""The simulation of a company's rules: services do what it foresees, and it remembers harm that is over."""

from typing import Any

import pytest

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from companyos.sdk.draws import Draws
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import HIGHEST, Act, Simulation, State

from ..conftest import instance_of
from ..play import carry_out
from .changes import behind, call_of
from .hand_built import asset, clearance, hand_over, rule, state, take_back, ticket, wait

#: Everybody who is given an asset loses a level.
COSTLY = rule("datahub", "asset.assigned", "change_clearance", person="$holder", by=-1)


def after(start: State, act: Act, *rules: Rule) -> State:
    """Return the state after an act in a company with these rules."""
    return Simulation(rules).after(start, act)


def level(found: State, person: str = "ann.lee") -> Any:
    return found.row("datahub", "clearances", person)["level"]


@pytest.mark.parametrize("seed", range(12))
def test_the_simulation_foresees_what_the_services_do(url: str, seed: int) -> None:
    """Acts come in any order, some twice, and some are refused because nothing would change."""
    instance, draws = instance_of(SCENARIO, seed), Draws("test", seed)
    change = behind(seed // 2, instance.cause)
    pool = [*change.aim(change.moves).acts, *(Act("return", move.asset["id"]) for move in change.moves[:3])]
    acts = [*draws.shuffled("acts", change.direct(change.moves))[:4], *draws.shuffled("more", pool)]

    foreseen = change.simulation.through(change.begun, acts)
    found = carry_out(url, SCENARIO, seed, [call_of(act) for act in acts]).state_of(instance).view()

    columns = ("holder", "level", "status", "priority", "assignee")
    for place, row in foreseen.rows.items():
        real = found.row(*place)
        assert real is not None
        assert {one: real[one] for one in columns if one in row} == {
            one: row[one] for one in columns if one in row
        }
    lowered = [line for line in found.changed("datahub", "changes") if line["action"] == "lowered"]
    assert len(lowered) == sum(kind == "lowered" for kind, _ in foreseen.history)


@pytest.mark.parametrize(
    ("now", "columns", "runs"),
    [
        (99, {"active_until": 100}, True),
        (100, {"active_until": 100}, False),
        (99, {"active_from": 100}, False),
        (100, {"active_from": 100}, True),
        (100, {"paused": True}, False),
    ],
)
def test_a_rule_runs_from_its_beginning_until_just_before_its_end(
    now: int, columns: dict[str, Any], *, runs: bool
) -> None:
    timed = Rule("AUT-1", "datahub", 1, "asset.assigned", [], COSTLY.do, **columns)
    acts = [wait(now), wait(now - 1), hand_over(1, "ann.lee")]

    found = Simulation([timed]).through(state(asset(1), clearance("ann.lee")), acts)

    assert (found.now, level(found)) == (now, 2 if runs else 3)


@pytest.mark.parametrize(
    ("before", "by", "then"), [(3, -1, 2), (0, -1, 0), (1, -2, 0), (4, 3, HIGHEST), (HIGHEST, 1, HIGHEST)]
)
def test_a_level_stays_between_none_and_the_highest(before: int, by: int, then: int) -> None:
    change = rule("datahub", "asset.assigned", "change_clearance", person="$holder", by=by)

    found = after(state(asset(1), clearance("ann.lee", before)), hand_over(1, "ann.lee"), change)

    assert level(found) == then
    assert (("lowered", "ann.lee") in found.history) == (then < before)


def test_a_level_that_falls_and_rises_again_was_lowered_all_the_same() -> None:
    low = condition("$level", "eq", 2)
    raised = rule("datahub", "clearance.changed", "change_clearance", low, person="$person_id", by=1)

    found = after(state(asset(1), clearance("ann.lee")), hand_over(1, "ann.lee"), COSTLY, raised)

    assert level(found) == 3
    assert ("lowered", "ann.lee") in found.history


def test_a_rule_sees_what_an_earlier_rule_of_the_same_delivery_did() -> None:
    take = rule("datahub", "asset.assigned", "return_asset", asset="AST-2")
    few = condition({"count": "assets", "where": {"holder": "ann.lee"}}, "lt", 2)
    lose = rule("datahub", "asset.assigned", "change_clearance", few, person="ann.lee", by=-1)
    start = state(asset(1), asset(2, "ann.lee"), clearance("ann.lee"))

    assert level(after(start, hand_over(1, "ann.lee"), take, lose)) == 2
    assert level(after(start, hand_over(1, "ann.lee"), lose, take)) == 3


def test_states_are_told_apart_by_time_and_by_each_column_that_can_change() -> None:
    start = state(asset(1), ticket(1), clearance("ann.lee"))
    others = [
        state(asset(1), ticket(1), clearance("ann.lee"), now=1),
        state(asset(1, "ann.lee"), ticket(1), clearance("ann.lee")),
        state(asset(1), ticket(1, status="new"), clearance("ann.lee")),
        state(asset(1), ticket(1, priority="high"), clearance("ann.lee")),
        state(asset(1), ticket(1, assignee="oncall"), clearance("ann.lee")),
        state(asset(1), ticket(1), clearance("ann.lee", 2)),
    ]

    there_and_back = Simulation([]).through(start, [hand_over(1, "ann.lee"), take_back(1)])

    assert len({one.key for one in (start, *others)}) == 1 + len(others)
    assert there_and_back.key == start.key
