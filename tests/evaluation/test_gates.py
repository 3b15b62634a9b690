"""The gates on chaos curves at their boundaries: how much the naive agent may solve, and the careful one must."""

from itertools import pairwise
from typing import Any

import pytest

from companyos.chaos import CATALOG, Layer, parse_chaos
from companyos.evaluation.acceptance import (
    CAREFUL_AT_LEAST,
    CAREFUL_UP_TO,
    ENOUGH,
    NAIVE_AT_MOST,
    broken,
    rates,
    unmet,
)
from companyos.evaluation.baselines import interval

LEVELS = range(1, len(NAIVE_AT_MOST))


def rate(successes: int, episodes: int = 1000) -> dict[str, Any]:
    """The metrics of an agent that solved some of its episodes."""
    return {
        "episodes": episodes,
        "successes": successes,
        "success": successes / episodes,
        "interval": list(interval(successes, episodes)),
    }


def complaints(naive: dict[int, Any] | None = None, careful: dict[int, Any] | None = None) -> list[str]:
    levels = {
        str(level): {
            "agents": {
                **({"naive": naive[level]} if naive and level in naive else {}),
                **({"careful": careful[level]} if careful and level in careful else {}),
            }
        }
        for level in sorted({*(naive or {}), *(careful or {})})
    }
    return broken({"errand": {"levels": levels}})


@pytest.mark.parametrize("level", LEVELS)
def test_the_naive_agent_may_solve_what_the_level_allows_and_not_one_episode_more(level: int) -> None:
    most = round(NAIVE_AT_MOST[level] * 1000)

    assert complaints({level: rate(most)}) == []
    assert len(complaints({level: rate(most + 1)})) == 1


def test_every_level_allows_the_naive_agent_less_than_the_one_before() -> None:
    assert NAIVE_AT_MOST[0] == 1.0
    assert all(before > after for before, after in pairwise(NAIVE_AT_MOST))


@pytest.mark.parametrize("level", range(CAREFUL_UP_TO + 1))
def test_the_careful_agent_must_keep_its_share_and_may_keep_exactly_that(level: int) -> None:
    least = round(CAREFUL_AT_LEAST * 1000)

    assert complaints(careful={0: rate(1000), level: rate(1000)}) == []
    assert complaints(careful={level: rate(least)}) == []
    assert len(complaints(careful={0: rate(1000), level: rate(least - 1)})) == (1 if level else 0)


def test_the_careful_agent_is_free_above_the_levels_that_it_must_hold() -> None:
    assert complaints(careful={0: rate(1000), CAREFUL_UP_TO + 1: rate(0)}) == []


def test_a_careful_agent_that_was_not_played_without_chaos_is_measured_by_the_whole() -> None:
    assert len(complaints(careful={1: rate(899)})) == 1
    assert complaints(careful={1: rate(900)}) == []


@pytest.mark.parametrize(
    ("episodes", "is_told"), [(ENOUGH - 1, False), (ENOUGH, True), (ENOUGH + 1, True)], ids=str
)
def test_a_rate_is_compared_as_it_is_only_from_enough_episodes_on(episodes: int, is_told: bool) -> None:
    allowed = NAIVE_AT_MOST[1]
    barely_too_many = int(allowed * episodes) + 1

    assert bool(complaints({1: rate(barely_too_many, episodes)})) is is_told


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        (rate(500), rate(499), False),
        (rate(500), rate(500), True),
        (rate(500), rate(501), True),
        (rate(0), rate(0), False),
        (rate(0), rate(1), True),
        (rate(0), rate(1, 499), False),
        (rate(0, 20), rate(1), True),
        (rate(10, 20), rate(300), False),
        (rate(10, 20), rate(14, 20), False),
        (rate(2, 20), rate(15, 20), True),
        (rate(1, 20), rate(51), True),
        (rate(1, 20), rate(50), False),
    ],
)
def test_the_naive_agent_has_to_fall_as_far_as_the_number_of_episodes_can_show(
    before: dict[str, Any], after: dict[str, Any], is_told: bool
) -> None:
    told = [one for one in complaints({0: before, 1: after}) if "fell from" in one]

    assert bool(told) is is_told


def test_levels_are_compared_with_the_next_one_that_was_played() -> None:
    assert complaints({0: rate(1000), 2: rate(200), 5: rate(0)}) == []
    [told] = complaints({0: rate(300), 2: rate(300)})
    assert told.startswith("errand, chaos 0: naive fell from 30.0% to 30.0% only; let it call each tool once")


def test_rates_are_those_of_the_levels_at_which_the_agent_played() -> None:
    levels = {"0": {"agents": {"oracle": rate(1)}}, "3": {"agents": {"oracle": rate(2), "naive": rate(3)}}}

    assert list(rates(levels, "oracle")) == [0, 3]
    assert list(rates(levels, "naive")) == [3]
    assert rates(levels, "careful") == {}


def test_complaints_name_the_scenario_and_come_in_its_order() -> None:
    too_good = {"levels": {"1": {"agents": {"naive": rate(1000)}}}}

    told = broken({"one": too_good, "two": {"levels": {}}, "three": too_good})

    assert [complaint.partition(",")[0] for complaint in told] == ["one", "three"]


@pytest.mark.parametrize(("landed", "is_told"), [(29, True), (30, False), (31, False)])
def test_a_fault_has_to_land_as_often_as_was_asked(landed: int, is_told: bool) -> None:
    met = {str(fault): {"landed": 30} for fault in parse_chaos(3).settings}
    met["svc.lost_ack"] = {"landed": landed}

    assert unmet(met, [3], 30) == (
        [f"svc.lost_ack landed {landed} times, of 30 that would be evidence"] if is_told else []
    )


def test_of_several_levels_every_fault_counts_once() -> None:
    told = unmet({}, [5, 4, 3, 2, 1, 0], 1)

    faults = [complaint.partition(" ")[0] for complaint in told]
    assert len(faults) == len(set(faults))
    assert set(faults) == {str(fault) for level in range(6) for fault in parse_chaos(level).settings}


def test_every_layer_has_faults_that_have_to_land_at_the_highest_level() -> None:
    told = {complaint.partition(" ")[0] for complaint in unmet({}, [5], 1)}

    assert {CATALOG[fault].layer for fault in CATALOG if str(fault) in told} == set(Layer)
