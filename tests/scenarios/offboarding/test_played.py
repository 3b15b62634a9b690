"""Off-boardings over the trainer API: the right way succeeds, and any single lapse fails."""

from typing import Any

import pytest

from companyos.scenario import Action, call
from scenarios.offboarding.scenario import SCENARIO
from scenarios.packs.staffing.stories import HOLDS

from ..conftest import instance_of
from ..play import carry_out, changed, solve, without, without_finish


def goal_of(seed: int) -> dict[str, Any]:
    return dict(instance_of(SCENARIO, seed).goal)


def plan_of(seed: int) -> list[Action]:
    return SCENARIO.open_loop_plan(instance_of(SCENARIO, seed))


def first_seed(cause: str, **facts: object) -> int:
    """Return the first seed with this cause whose goal has these values."""
    return next(
        seed
        for seed in range(200)
        if instance_of(SCENARIO, seed).cause == cause
        and all(goal_of(seed)[name] == value for name, value in facts.items())
    )


#: A seed in which a colleague leaves and the delegation is in force.
LEAVES = first_seed(cause="in_force", moves=False)
MOVES = first_seed(cause="lapsed", moves=True)
HELD = first_seed(cause="held")


@pytest.mark.parametrize("seed", [LEAVES, LEAVES ^ 1, MOVES, HELD, HELD ^ 1])
def test_the_oracle_succeeds_on_every_ending(url: str, seed: int) -> None:
    episode = solve(url, SCENARIO, seed)

    assert episode.success, episode.grade


@pytest.mark.parametrize("seed", [LEAVES, HELD])
def test_the_plan_of_one_instance_fails_on_the_other_of_its_pair(url: str, seed: int) -> None:
    assert carry_out(url, SCENARIO, seed, plan_of(seed)).success
    assert not carry_out(url, SCENARIO, seed ^ 1, plan_of(seed)).success
    assert not carry_out(url, SCENARIO, seed, plan_of(seed ^ 1)).success


#: Lapses: the tool whose calls are left out, and their argument.
LEFT_OUT = {
    "a ticket left behind": ("ticketdesk_assign_ticket", lambda goal: {"ticket_id": min(goal["tickets"])}),
    "data left behind": ("datahub_transfer_ownership", lambda goal: {"object_id": min(goal["data"])}),
    "the request forgotten": ("approvalflow_reassign_request", lambda goal: {}),
    "access forgotten": ("datahub_revoke_entitlement", lambda goal: {"entitlement_id": goal["ends"][0]}),
    "the account forgotten": ("datahub_deactivate_person", lambda goal: {}),
    "equipment forgotten": ("ticketdesk_create_ticket", lambda goal: {}),
    "the off-boarding ticket kept": (
        "ticketdesk_assign_ticket",
        lambda goal: {"assignee": goal["closer"]},
    ),
    "the hold unknown": ("datahub_refresh_data", lambda goal: {"metric_id": goal["metrics"][HOLDS]}),
}


@pytest.mark.parametrize("lapse", LEFT_OUT)
def test_what_is_left_out_costs_the_success(url: str, lapse: str) -> None:
    tool, arguments = LEFT_OUT[lapse]
    plan = without(plan_of(LEAVES), tool, **arguments(goal_of(LEAVES)))

    assert plan != plan_of(LEAVES)
    assert not carry_out(url, SCENARIO, LEAVES, plan).success


@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("datahub_deactivate_person", "mode", "purge"),
        ("ticketdesk_assign_ticket", "assignee", "manager"),
        ("ticketdesk_create_ticket", "priority", None),
        ("datahub_transfer_ownership", "to", "absent"),
        ("datahub_set_delegate", "delegate", "absent"),
    ],
)
def test_the_same_calls_with_another_argument_cost_the_success(
    url: str, tool: str, argument: str, value: str | None
) -> None:
    goal = goal_of(LEAVES)
    plan = changed(plan_of(LEAVES), tool, **{argument: goal.get(value, value)})

    assert plan != plan_of(LEAVES)
    assert not carry_out(url, SCENARIO, LEAVES, plan).success


def test_one_more_harmful_act_costs_the_success(url: str) -> None:
    goal = goal_of(LEAVES)
    rows = instance_of(SCENARIO, LEAVES).rows
    others = [row["id"] for row in rows["datahub"]["entitlements"] if row["person_id"] != goal["leaver"]]
    more = call("datahub_revoke_entitlement", entitlement_id=others[0], reason="-")

    assert not carry_out(url, SCENARIO, LEAVES, [*without_finish(plan_of(LEAVES)), more]).success


def test_access_that_ends_first_loses_everything_else(url: str) -> None:
    plan, goal = plan_of(LEAVES), goal_of(LEAVES)
    is_access = "datahub_revoke_entitlement"
    first = [one for one in plan if one["tool_name"] == is_access]
    rest = [one for one in plan if one["tool_name"] != is_access]

    episode = carry_out(url, SCENARIO, LEAVES, [*rest[:3], *first, *rest[3:]])

    assert not episode.success
    state = episode.state_of(instance_of(SCENARIO, LEAVES)).view()
    locked = [row["id"] for row in state.rows("datahub", "ownerships", owner=goal["leaver"], locked=True)]
    assert set(locked) & set(goal["data"])


def test_somebody_who_moves_keeps_their_account(url: str) -> None:
    goal = goal_of(MOVES)
    more = call("datahub_deactivate_person", person_id=goal["leaver"], mode="suspend")

    assert carry_out(url, SCENARIO, MOVES, plan_of(MOVES)).success
    assert not carry_out(url, SCENARIO, MOVES, [*without_finish(plan_of(MOVES)), more]).success
