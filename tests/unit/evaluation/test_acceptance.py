"""Gates over the chaos levels: a curve that must fall, one that must not, and faults that must land."""

from typing import Any

import pytest

from companyos.chaos import FaultId, parse_chaos
from companyos.evaluation.acceptance import broken, unmet
from companyos.evaluation.baselines import interval

FALLING = (1.0, 0.5, 0.2, 0.1, 0.02, 0.0)
STEADY = (1.0, 1.0, 0.97, 0.95, 0.8, 0.6)
LEVER = "; let it call each tool once, repeat nothing after an error, and believe every answer"
OF_CHAOS_FREE = "is required, 90% of the rate without chaos"


def metrics(rate: float, episodes: int) -> dict[str, Any]:
    successes = round(rate * episodes)
    return {
        "episodes": episodes,
        "invalid": 0,
        "successes": successes,
        "success": successes / episodes,
        "interval": list(interval(successes, episodes)),
    }


def curves(naive: tuple[float, ...], careful: tuple[float, ...] = STEADY, episodes: int = 1000) -> Any:
    levels = {
        str(level): {"agents": {"naive": metrics(n, episodes), "careful": metrics(c, episodes)}}
        for level, (n, c) in enumerate(zip(naive, careful, strict=True))
    }
    return {"errand": {"levels": levels}}


def test_a_naive_curve_that_falls_and_a_careful_one_that_holds_break_no_gate() -> None:
    assert broken(curves(FALLING)) == []


@pytest.mark.parametrize(
    ("naive", "told"),
    [
        (
            (1.0, 0.61, *FALLING[2:]),
            "chaos 1: naive succeeded at 61.0% (95 %: 57.9% to 64.0%); at most 60% is allowed",
        ),
        (
            (*FALLING[:5], 0.021),
            "chaos 5: naive succeeded at 2.1% (95 %: 1.4% to 3.2%); at most 2% is allowed",
        ),
        ((1.0, 0.2, 0.2, *FALLING[3:]), "chaos 1: naive fell from 20.0% to 20.0% only"),
        ((*FALLING[:4], 0.0, 0.01), "chaos 4: naive fell from 0.0% to 1.0% only"),
    ],
)
def test_a_naive_agent_that_does_too_well_or_does_not_fall_is_told(
    naive: tuple[float, ...], told: str
) -> None:
    assert f"errand, {told}{LEVER}" in broken(curves(naive))


def test_a_curve_that_is_down_may_stay_down() -> None:
    assert broken(curves((1.0, 0.5, 0.2, 0.0, 0.0, 0.0))) == []


def test_a_careful_agent_must_hold_up_to_level_three_and_may_fall_then() -> None:
    assert broken(curves(FALLING, (1.0, 1.0, 1.0, 0.89, 0.1, 0.0))) == [
        f"errand, chaos 3: careful succeeded at 89.0% (95 %: 86.9% to 90.8%); at least 90.0% {OF_CHAOS_FREE}"
    ]


def test_a_careful_agent_that_cannot_solve_every_task_must_keep_what_it_solves() -> None:
    assert broken(curves(FALLING, (0.5, 0.5, 0.48, 0.46, 0.1, 0.0))) == []
    assert broken(curves(FALLING, (0.5, 0.5, 0.48, 0.44, 0.1, 0.0))) == [
        f"errand, chaos 3: careful succeeded at 44.0% (95 %: 41.0% to 47.1%); at least 45.0% {OF_CHAOS_FREE}"
    ]


def test_of_few_episodes_only_what_chance_cannot_explain_breaks_a_gate() -> None:
    rising = (1.0, 0.7, 0.5, 0.2, 0.1, 0.0)

    assert broken(curves(rising, (1.0, 1.0, 1.0, 0.85, 0.5, 0.5), episodes=20)) == []
    assert broken(curves((1.0, 1.0, *FALLING[2:]), episodes=20)) == [
        "errand, chaos 1: naive succeeded at 100.0% (95 %: 83.9% to 100.0%); at most 60% is allowed" + LEVER
    ]


def test_a_plain_task_without_business_faults_may_leave_its_naive_agent_a_share_of_what_it_solves_calmly() -> (
    None
):
    kept = (0.5, 0.5, 0.44, 0.3, 0.2, 0.12)
    plain = {"errand": {**curves(kept)["errand"], "meets_business_faults": False}}
    too_good = {"errand": {**curves((*kept[:5], 0.13))["errand"], "meets_business_faults": False}}

    assert [told for told in broken(plain) if "is allowed" in told] == []
    assert [told for told in broken(too_good) if "is allowed" in told] == [
        f"errand, chaos 5: naive succeeded at 13.0% (95 %: 11.1% to 15.2%); at most 12% is allowed{LEVER}"
    ]


def test_a_plain_task_whose_naive_agent_solves_nothing_calmly_keeps_the_bounds_of_every_task() -> None:
    lucky = {"errand": {**curves((0.0, 0.0, 0.0, 0.0, 0.0, 0.03))["errand"], "meets_business_faults": False}}

    assert any("at most 2% is allowed" in told for told in broken(lucky))


def test_a_fault_that_landed_too_seldom_is_no_evidence() -> None:
    met = {str(fault): {"landed": 30} for fault in parse_chaos(2).settings}
    met[str(FaultId.DELAY)]["landed"] = 29

    assert unmet(met, [0, 1, 2], 30) == ["evt.delay landed 29 times, of 30 that would be evidence"]
    assert len(unmet({}, [1], 1)) == len(parse_chaos(1).settings)
    assert unmet({}, [5], 0) == []
