"""From every place in its solution at which an episode can start, the oracle goes on and succeeds."""

from typing import Any

import pytest

from companyos.evaluation.agents import Oracle
from companyos.scenario import Action, Observation, Scenario, load_scenarios
from tests.sizes import FULL, size

from .play import Episode, play, solve

pytestmark = pytest.mark.proof

SOME = [("vendor_onboarding", 0), ("erasure_request", 3)]
EVERY = [(name, level) for name in sorted(load_scenarios()) for level in (0, 3)]


class OracleGoingOn:
    """Plays the oracle of an episode that starts after some of its calls."""

    def __init__(self, scenario: Scenario) -> None:
        self._oracle = Oracle(scenario)
        self._told: list[dict[str, Any]] = []

    def start(self, observation: Observation) -> None:
        """Let the oracle go through what was done before."""
        self._told = observation.get("prefix", [])
        latest: Observation = {**observation, "text": observation.get("brief", observation["text"])}
        self._oracle.start(latest)
        for exchange in self._told:
            assert self._oracle.act(latest) == {"type": "call_tool", **exchange["action"]}
            latest = exchange["observation"]

    def act(self, observation: Observation) -> Action:
        """Return the oracle's next action."""
        told, self._told = self._told, []
        return self._oracle.act(told[-1]["observation"] if told else observation)


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
            started = play(url, scenario, seed, OracleGoingOn(scenario), **options)

            assert started.success, (seed, calls, started.grade)
            assert seen_and_changed(started) == seen_and_changed(whole), (seed, calls)
