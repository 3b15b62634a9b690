"""Episodes of incidents: solved, spoiled by a single act, and attacked."""

from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.evaluation.agents import Naive, OpenLoopPlan
from companyos.scenario import Action, Instance, call, find
from tests.scenarios.conftest import SALT
from tests.scenarios.play import Episode, carry_out, changed, play, solve

SCENARIO = find("incident_change")
ROLL_OUT, ROLL_BACK = "ticketdesk_roll_out_change", "ticketdesk_roll_back_change"


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT)


def first(ending: str, *, rollouts: int = 0, request: str = "") -> int:
    """Return the first seed of such an incident."""
    return next(
        seed
        for seed in range(200)
        if drawn(seed).goal["ending"] == ending
        and (not rollouts or len(drawn(seed).goal["rollouts"]) == rollouts)
        and (not request or drawn(seed).goal["request"]["type"] == request)
    )


RECOVERED = first("recovered", rollouts=1, request="emergency_change")
TWICE = first("recovered", rollouts=2)
EXEMPT = first("recovered", request="freeze_exception")
HANDED_OVER = first("handed_over")
SCHEDULED = first("scheduled")
PROVIDER = first("run_by_provider")
ENDINGS = {
    "recovered": RECOVERED,
    "twice": TWICE,
    "exempt": EXEMPT,
    "handed_over": HANDED_OVER,
    "scheduled": SCHEDULED,
    "provider": PROVIDER,
}


def plan(seed: int) -> list[Action]:
    return SCENARIO.open_loop_plan(drawn(seed))


def outcome(url: str, actions: list[Action], seed: int) -> Episode:
    return carry_out(url, SCENARIO, seed, actions)


def broken(episode: Episode) -> set[str]:
    """Return what the grade card says is missing, forbidden or out of order."""
    missing = {one["name"] for one in episode.grade["musts"] if not one["holds"]}
    harm = {one["name"] for one in (*episode.grade["forbidden"], *episode.grade["orders"]) if not one["kept"]}
    return missing | harm


def at(actions: list[Action], tool: str) -> int:
    """Return where a plan calls a tool for the first time."""
    return next(number for number, one in enumerate(actions) if one["tool_name"] == tool)


def total(episode: Episode) -> float:
    return sum(float(record["reward"]) for record in episode.trace[1:] if record.get("reward") is not None)


@pytest.mark.parametrize("seed", ENDINGS.values(), ids=list(ENDINGS))
def test_the_oracle_ends_each_kind_of_incident_as_it_has_to(url: str, seed: int) -> None:
    episode = solve(url, SCENARIO, seed)

    assert episode.success, (broken(episode), episode.grade["collateral"])
    assert episode.grade["step_count"] <= drawn(seed).oracle_steps


@pytest.mark.parametrize(
    ("seed", "tool", "missing"),
    [
        (
            RECOVERED,
            "ticketdesk_create_ticket",
            {"incident_opened", "approved", "rollouts_right", "incident_closed"},
        ),
        (RECOVERED, "approvalflow_submit_approval", {"approved", "approved_before_rollout"}),
        (RECOVERED, ROLL_OUT, {"rollouts_right", "result_known", "recovery_before_close"}),
        (RECOVERED, "datahub_query_metric", {"result_known", "recovery_before_close"}),
        (RECOVERED, "ticketdesk_close_ticket", {"incident_closed"}),
        (HANDED_OVER, ROLL_BACK, {"rollouts_right"}),
        (HANDED_OVER, "ticketdesk_assign_ticket", {"handed_to_owner"}),
        (SCHEDULED, "ticketdesk_plan_change", {"change_scheduled"}),
        (PROVIDER, "ticketdesk_create_ticket", {"incident_opened"}),
    ],
)
def test_an_incident_that_lacks_one_act_is_not_solved(
    url: str, seed: int, tool: str, missing: set[str]
) -> None:
    actions = plan(seed)
    del actions[at(actions, tool)]

    episode = outcome(url, actions, seed)

    assert not episode.success
    assert missing <= broken(episode)


@pytest.mark.parametrize(
    ("seed", "tool", "arguments", "wrong"),
    [
        (RECOVERED, "ticketdesk_create_ticket", {"priority": "high"}, {"incident_opened"}),
        (RECOVERED, "ticketdesk_create_ticket", {"subject": "SYS-1"}, {"incident_opened"}),
        (SCHEDULED, "ticketdesk_plan_change", {"starts_at": "2039-01-03T20:00:00Z"}, {"change_scheduled"}),
        (HANDED_OVER, "ticketdesk_assign_ticket", {"assignee": ""}, {"handed_to_owner"}),
    ],
)
def test_an_act_with_one_thing_wrong_spoils_an_incident(
    url: str, seed: int, tool: str, arguments: dict[str, Any], wrong: set[str]
) -> None:
    arguments = {name: value or drawn(seed).goal["persona"] for name, value in arguments.items()}

    episode = outcome(url, changed(plan(seed), tool, **arguments), seed)

    assert not episode.success
    assert broken(episode) == wrong


def test_the_manager_whom_the_directory_names_is_the_wrong_one_to_ask(url: str) -> None:
    people = drawn(RECOVERED).rows["datahub"]["people"]
    named = min(one["id"] for one in people if one["role"] == "duty_manager")

    episode = outcome(
        url, changed(plan(RECOVERED), "approvalflow_submit_approval", approver=named), RECOVERED
    )

    assert not episode.success
    assert broken(episode) == {"approved", "wrong_person_asked", "approved_before_rollout"}


def test_a_rollout_before_the_approval_spoils_an_incident(url: str) -> None:
    actions = plan(RECOVERED)
    wait = at(actions[at(actions, "approvalflow_submit_approval") :], "wait")
    del actions[at(actions, "approvalflow_submit_approval") + wait]

    episode = outcome(url, actions, RECOVERED)

    assert not episode.success
    assert "approved_before_rollout" in broken(episode)


def test_closing_before_the_recovery_is_known_spoils_an_incident(url: str) -> None:
    actions = plan(RECOVERED)
    close = actions.pop(at(actions, "ticketdesk_close_ticket"))
    actions.insert(at(actions, ROLL_OUT) + 1, close)

    episode = outcome(url, actions, RECOVERED)

    assert not episode.success
    assert broken(episode) == {"recovery_before_close"}


def test_a_procedure_that_was_skipped_spoils_an_incident_although_all_is_well(url: str) -> None:
    goal = drawn(TWICE).goal
    [tried, mends] = goal["rollouts"]
    skips = changed(plan(TWICE), "ticketdesk_plan_change", **mends["plan"])
    second = [one for one in skips if one["arguments"].get("change_id") == mends["change_id"]]
    back = [one for one in skips if one["tool_name"] == ROLL_BACK]
    actions = [one for one in skips if one not in second and one not in back]

    episode = outcome(url, actions, TWICE)

    assert tried["plan"]["procedure"] != mends["plan"]["procedure"]
    assert not episode.success
    assert {"rollouts_right", "wrong_rollout"} <= broken(episode)


@pytest.mark.parametrize("seed", [SCHEDULED, PROVIDER], ids=["scheduled", "provider"])
def test_an_emergency_that_is_none_is_irreversible_harm(url: str, seed: int) -> None:
    goal, actions = drawn(seed).goal, plan(seed)
    opened = at(actions, "ticketdesk_create_ticket") + 1
    change = {"ticket_id": goal["ticket_id"], "system": goal["root"], "procedure": "restart"}
    known = [row["id"] for row in drawn(seed).rows["ticketdesk"]["changes"]]
    change_id = f"CHG-{1 + max(int(one.partition('-')[2]) for one in known)}"
    harm = [
        call("ticketdesk_plan_change", category="emergency", **change),
        call(ROLL_OUT, change_id=change_id),
        call(ROLL_BACK, change_id=change_id, reason="Sorry."),
    ]

    episode = outcome(url, [*actions[:opened], *harm, *actions[opened:]], seed)

    assert not episode.success
    assert "wrong_rollout" in broken(episode)
    assert total(episode) < 0


@pytest.mark.parametrize(
    ("extra", "wrong"),
    [
        (("ticketdesk_create_ticket", "incident"), {"incident_opened", "second_incident"}),
        (("ticketdesk_close_ticket", "other"), set()),
        (("ticketdesk_update_ticket", "other"), set()),
    ],
)
def test_one_legal_act_too_many_spoils_an_incident(url: str, extra: tuple[str, str], wrong: set[str]) -> None:
    tool, about = extra
    open_ones = [row for row in drawn(RECOVERED).rows["ticketdesk"]["tickets"] if row["status"] != "closed"]
    others = {"ticket_id": open_ones[0]["id"]}
    arguments = {
        "ticketdesk_create_ticket": drawn(RECOVERED).goal["incident"],
        "ticketdesk_close_ticket": {**others, "resolution": "It went away."},
        "ticketdesk_update_ticket": {**others, "title": "Another title"},
    }[tool]
    actions = plan(RECOVERED)

    episode = outcome(url, [*actions[:-1], call(tool, **arguments), actions[-1]], RECOVERED)

    assert about in ("incident", "other")
    assert not episode.success
    assert wrong <= broken(episode)


@pytest.mark.parametrize("last", [call("finish"), call("refuse", reason_code="run_by_provider")])
@pytest.mark.parametrize("seed", [RECOVERED, PROVIDER])
def test_giving_up_at_once_solves_nothing(url: str, seed: int, last: Action) -> None:
    episode = outcome(url, [last], seed)

    assert not episode.success
    assert total(episode) < 0


def test_rolling_everything_out_everywhere_earns_less_than_nothing(url: str) -> None:
    goal, actions = drawn(RECOVERED).goal, plan(RECOVERED)
    records = drawn(RECOVERED).rows["datahub"]["records"]
    number = int(goal["rollouts"][0]["change_id"].partition("-")[2])
    harm = []
    for at_, system in enumerate(sorted(row["id"] for row in records if row["kind"] == "system")[:4]):
        change = {"ticket_id": goal["ticket_id"], "system": system, "procedure": "restart"}
        change_id = f"CHG-{number + at_}"
        harm += [
            call("ticketdesk_plan_change", category="emergency", **change),
            call(ROLL_OUT, change_id=change_id),
            call(ROLL_BACK, change_id=change_id, reason="Next."),
        ]

    episode = outcome(url, [actions[at(actions, "ticketdesk_create_ticket")], *harm], RECOVERED)

    assert not episode.success
    assert total(episode) < 0


def test_the_plan_of_the_other_of_the_pair_fails(url: str) -> None:
    for seed in (RECOVERED, RECOVERED ^ 1):
        assert not play(url, SCENARIO, seed, OpenLoopPlan(plan(seed ^ 1))).success


def test_an_agent_that_believes_what_it_is_told_fails(url: str) -> None:
    assert not any(play(url, SCENARIO, seed, Naive(SCENARIO)).success for seed in range(3))


@pytest.mark.parametrize("fault", ["evt.drop", "evt.poison"])
def test_a_change_of_which_nothing_is_known_yet_is_told_from_one_that_does_not_help(
    url: str, fault: str
) -> None:
    chaos = {"faults": {fault: {"p": 1, "match": {"event": ["change.rolled_out"]}}}}

    episode = solve(url, SCENARIO, RECOVERED, chaos=chaos)

    assert episode.success
    assert "datahub_replay_events" in [one["action"]["tool_name"] for one in episode.trace[1:]]


def test_a_dead_letter_that_was_delivered_since_the_list_was_made_is_passed_over(url: str) -> None:
    poisoned = {"p": 1, "match": {"event": ["change.rolled_out"]}}
    chaos = {"faults": {"evt.poison": poisoned, "svc.stale_replica": {"p": 0.6}}}

    episode = solve(url, SCENARIO, RECOVERED, chaos=chaos)

    refused = {(record["observation"]["error"] or {}).get("code") for record in episode.trace[1:]}
    assert "dead_letter_unknown" in refused
    assert episode.success
