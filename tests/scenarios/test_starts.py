"""From every place in its solution at which an episode can start, the oracle goes on and succeeds."""

from typing import Any

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from tests.sizes import FULL, size

from .play import Episode, play, solve

pytestmark = pytest.mark.proof

SOME = [("vendor_onboarding", 0), ("erasure_request", 3)]
EVERY = [(name, level) for name in sorted(load_scenarios()) for level in (0, 3)]


def places(calls: int) -> list[int]:
    """Return the places at which to start, all or some."""
    return list(range(calls)) if FULL else sorted({0, calls // 2, calls - 1})


def seen_and_changed(episode: Episode) -> list[Any]:
    """Return what every step showed and what it changed."""
    return [(record["action"], record["observation"], record["changes"]) for record in episode.trace[1:]]


@pytest.mark.parametrize(("name", "level"), size(SOME, EVERY))
def test_the_oracle_goes_on_from_its_rungs_as_in_an_unbroken_play(url: str, name: str, level: int) -> None:
    scenario = load_scenarios()[name]
    for seed in range(7_000, 7_000 + size(1, 10)):
        whole = solve(url, scenario, seed, chaos=level)
        for calls in places(len(whole.trace) - 1):
            options = {"chaos": level, "start": {"calls": calls}, "rewards": "drill"}
            started = play(url, scenario, seed, Oracle(scenario), **options)

            assert started.success, (seed, calls, started.grade)
            assert seen_and_changed(started) == seen_and_changed(whole), (seed, calls)
