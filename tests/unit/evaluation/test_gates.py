"""The gates across chaos levels: some skill is needed, chaos makes it needed more, and faults land."""

from typing import Any

import pytest

from companyos.evaluation.acceptance import HARD_FROM, broken, costless, unmet
from companyos.evaluation.baselines import interval
from companyos.sdk.chaos import parse_chaos


def rate(successes: int, episodes: int = 1000) -> dict[str, Any]:
    """The metrics of an agent that solved some of its episodes."""
    return {
        "episodes": episodes,
        "successes": successes,
        "success": successes / episodes,
        "interval": list(interval(successes, episodes)),
    }


def complaints(**curves: dict[int, Any]) -> list[str]:
    """The gates that omissions break with these metrics by level."""
    levels = {
        str(level): {"agents": {name: curve[level] for name, curve in curves.items() if level in curve}}
        for level in sorted({level for curve in curves.values() for level in curve})
    }
    return broken({"errand": {"levels": levels}})


ALWAYS, NEVER, HALF = rate(10, 10), rate(0, 10), rate(5, 10)
NOT_NEEDED = "errand, chaos 0: no omission costs success, so no skill is needed"
NOT_HARDER = "errand, chaos 5: no omission costs more success than at chaos 0"


@pytest.mark.parametrize("calm", [NEVER, HALF, rate(999)])
def test_a_single_failure_without_chaos_shows_that_a_skill_is_needed(calm: dict[str, Any]) -> None:
    assert complaints(believes_claims={0: calm}) == []
    assert complaints(believes_claims={0: ALWAYS}) == [NOT_NEEDED]
    assert complaints(believes_claims={0: ALWAYS}, looks_once={0: calm}) == []


@pytest.mark.parametrize(
    ("calm", "stormy", "told"),
    [
        (HALF, NEVER, []),
        (HALF, HALF, [NOT_HARDER]),
        (NEVER, NEVER, [NOT_HARDER]),
        (NEVER, HALF, [NOT_HARDER]),
        (ALWAYS, HALF, [NOT_NEEDED]),
        (ALWAYS, ALWAYS, [NOT_NEEDED, NOT_HARDER]),
    ],
)
def test_an_omission_has_to_cost_more_under_chaos_and_a_constant_never_passes(
    calm: dict[str, Any], stormy: dict[str, Any], told: list[str]
) -> None:
    assert complaints(believes_claims={0: calm, 5: stormy}) == told


def test_one_omission_may_be_needed_and_another_be_needed_more() -> None:
    assert complaints(believes_claims={0: NEVER, 5: NEVER}, retries_nothing={0: ALWAYS, 5: HALF}) == []


@pytest.mark.parametrize("level", range(1, 6))
def test_levels_at_which_a_short_episode_may_meet_no_fault_need_not_be_harder(level: int) -> None:
    assert bool(complaints(believes_claims={0: HALF, level: HALF})) is (level >= HARD_FROM)


def test_only_the_highest_level_is_compared_with_none() -> None:
    assert complaints(believes_claims={0: HALF, 3: NEVER, 5: HALF}) == [NOT_HARDER]
    assert complaints(believes_claims={0: HALF, 3: HALF, 5: NEVER}) == []


def test_without_plays_at_level_zero_or_omissions_no_gate_is_tried() -> None:
    assert complaints(believes_claims={3: HALF, 5: HALF}) == []
    assert complaints(oracle={0: ALWAYS, 5: ALWAYS}) == []


def test_an_omission_that_never_failed_is_costless() -> None:
    levels = {
        "0": {"agents": {"oracle": ALWAYS, "looks_once": ALWAYS, "believes_claims": ALWAYS}},
        "5": {"agents": {"oracle": HALF, "looks_once": ALWAYS, "believes_claims": HALF}},
    }

    assert costless(levels) == ["looks_once"]


@pytest.mark.parametrize(("landed", "is_told"), [(29, True), (30, False), (31, False)])
def test_a_fault_has_to_land_as_often_as_was_asked(landed: int, is_told: bool) -> None:
    met = {str(fault): {"landed": 30} for fault in parse_chaos(3).settings}
    met["svc.lost_ack"] = {"landed": landed}

    assert unmet(met, [3], 30) == (
        [f"svc.lost_ack landed {landed} times, of 30 that would be evidence"] if is_told else []
    )
