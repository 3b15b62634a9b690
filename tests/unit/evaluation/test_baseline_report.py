"""The report of a certification, fact by fact: who may succeed how often, what pairs prove, and what is counted."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.baselines import (
    OMITTING,
    Play,
    Player,
    certification_report,
    tally,
)

PLAY = Play(
    scenario="errand",
    level=0,
    seed=0,
    player=Player.ORACLE,
    success=True,
    episode_return=20.0,
    steps=10,
    invalid=False,
    trace_hash="a",
)


def plays_of(player: Player, won: int, lost: int = 0, *, level: int = 0) -> list[Play]:
    """Plays on as many seeds, of which the first were won."""
    return [
        replace(PLAY, player=player, seed=seed, level=level, success=seed < won) for seed in range(won + lost)
    ]


def cell_of(*plays: Play, again: tuple[Play, ...] = (), level: int = 0) -> dict[str, Any]:
    """The report's part about one scenario at one level."""
    report = certification_report(plays, again, {"errand": 1})
    found: dict[str, Any] = report["scenarios"]["errand"]["levels"][str(level)]
    return found


def faults_of(*plays: Play, **parts: Any) -> list[str]:
    told: list[str] = cell_of(*plays, **parts)["faults"]
    return told


@pytest.mark.parametrize("player", [Player.RANDOM_POOL, Player.RANDOM_SCHEMA])
@pytest.mark.parametrize(("won", "is_told"), [(0, False), (2, False), (3, True)])
def test_a_random_agent_may_succeed_once_in_a_hundred_episodes(
    player: Player, won: int, is_told: bool
) -> None:
    told = faults_of(*plays_of(player, won, 200 - won))

    assert told == ([f"{player} succeeded at 1.5%"] if is_told else [])


@pytest.mark.parametrize("level", [0, 3])
def test_doing_nothing_may_never_succeed(level: int) -> None:
    assert faults_of(*plays_of(Player.DO_NOTHING, 0, 50, level=level), level=level) == []
    assert faults_of(*plays_of(Player.DO_NOTHING, 1, 49, level=level), level=level) == [
        "do_nothing succeeded at 2.0%"
    ]


@pytest.mark.parametrize(("level", "is_told"), [(0, True), (1, False), (5, False)])
def test_the_plan_of_the_other_instance_may_succeed_where_faults_can_help_it(
    level: int, is_told: bool
) -> None:
    told = faults_of(*plays_of(Player.OPEN_LOOP_OTHER, 1, 9, level=level), level=level)

    assert bool(told) is is_told


@pytest.mark.parametrize("player", [*OMITTING, Player.OPEN_LOOP_OWN])
def test_agents_that_look_or_know_the_instance_may_succeed_always(player: Player) -> None:
    assert faults_of(*plays_of(player, 10)) == []


def test_a_crash_is_told_once_with_how_often_and_where_first() -> None:
    fine = plays_of(Player.LOOKS_ONCE, 3)
    crashed = [
        replace(PLAY, player=Player.LOOKS_ONCE, seed=seed, success=False, stuck=f"boom {seed}", crashed=True)
        for seed in (8, 9)
    ]

    assert faults_of(*fine, *crashed) == [
        "the looks_once agent crashed: boom 8 in 2 of 5 episodes, first at seed 8"
    ]


@pytest.mark.parametrize(
    ("own_even", "other_even", "own_odd", "other_odd", "played", "solved"),
    [
        (True, False, True, False, 2, 0),
        (True, True, False, False, 2, 0),
        (True, False, False, True, 2, 1),
        (False, True, True, False, 2, 1),
        (True, True, True, True, 2, 2),
        (None, True, None, True, 0, 0),
        (True, None, None, True, 1, 1),
    ],
)
def test_a_plan_is_followed_to_the_other_instance_of_its_pair(
    own_even: bool | None,
    other_even: bool | None,
    own_odd: bool | None,
    other_odd: bool | None,
    played: int,
    solved: int,
) -> None:
    told = {
        (Player.OPEN_LOOP_OWN, 4): own_even,
        (Player.OPEN_LOOP_OTHER, 4): other_even,
        (Player.OPEN_LOOP_OWN, 5): own_odd,
        (Player.OPEN_LOOP_OTHER, 5): other_odd,
    }
    plays = [
        replace(PLAY, player=player, seed=seed, success=success)
        for (player, seed), success in told.items()
        if success is not None
    ]

    assert cell_of(*plays)["pairs"] == {"played": played, "solved_by_one_plan": solved}


@pytest.mark.parametrize(
    ("changed", "is_told"),
    [
        ({}, False),
        ({"trace_hash": "b"}, True),
        ({"trace_hash": "b", "seed": 9}, False),
        ({"trace_hash": "b", "player": Player.LOOKS_ONCE}, False),
        ({"trace_hash": "b", "level": 1}, False),
        ({"trace_hash": "b", "scenario": "other"}, False),
    ],
    ids=str,
)
def test_a_trace_is_compared_with_that_of_the_same_play_and_no_other(
    changed: dict[str, Any], is_told: bool
) -> None:
    told = faults_of(PLAY, again=(replace(PLAY, **changed),))

    assert told == (["seed 0 left another trace when played again"] if is_told else [])


def test_an_invalid_episode_counts_as_played_and_not_as_scored() -> None:
    failed = replace(PLAY, seed=1, success=False, invalid=True, episode_return=-99.0, steps=30)

    metrics = cell_of(PLAY, failed)["agents"]["oracle"]

    assert (metrics["episodes"], metrics["invalid"], metrics["successes"]) == (2, 1, 1)
    assert (metrics["success"], metrics["mean_return"], metrics["min_return"]) == (1.0, 20.0, 20.0)
    assert (metrics["mean_steps"], metrics["max_steps"]) == (20.0, 30)


def test_an_agent_whose_every_episode_was_invalid_has_no_success() -> None:
    metrics = cell_of(replace(PLAY, success=False, invalid=True))["agents"]["oracle"]

    assert (metrics["success"], metrics["interval"]) == (0.0, [0.0, 1.0])
    assert (metrics["mean_return"], metrics["min_return"], metrics["max_return"]) == (0.0, 0.0, 0.0)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["armed", "landed", "detected", "overcome", "expired"]), max_size=12))
def test_every_fault_is_armed_and_only_what_landed_can_be_overcome(states: list[str]) -> None:
    counts = tally([replace(PLAY, met=tuple(("svc.latency", state) for state in states))])

    if states:
        found = counts["svc.latency"]
        assert found["armed"] == len(states)
        assert found["overcome"] <= found["landed"] <= found["armed"]
        assert found["landed"] + found["expired"] + states.count("armed") == found["armed"]
    else:
        assert counts == {}


def test_faults_are_counted_over_all_plays_in_the_order_of_their_names() -> None:
    one = replace(PLAY, met=(("svc.latency", "landed"), ("biz.stale_metric", "overcome")))
    other = replace(PLAY, met=(("svc.latency", "overcome"), ("svc.latency", "expired")))

    assert list(tally([one, other]).items()) == [
        ("biz.stale_metric", {"armed": 1, "landed": 1, "overcome": 1, "expired": 0}),
        ("svc.latency", {"armed": 3, "landed": 2, "overcome": 1, "expired": 1}),
    ]


@pytest.mark.parametrize(
    ("level", "landed", "of_all", "is_missed"),
    [(1, 0, True, True), (0, 0, True, False), (1, 5, True, False), (1, 0, False, False)],
)
def test_landings_are_missed_where_all_scenarios_met_faults_and_none_was_asked_for(
    level: int, landed: int, of_all: bool, is_missed: bool
) -> None:
    report = certification_report(
        [replace(PLAY, level=level)],
        (),
        {"errand": 1},
        landed=landed,
        of_all=of_all,
    )

    assert any("--landed" in one for one in report["untried"]) is is_missed
