"""What is played while processes die: episodes whose actions follow from their observations and nothing else."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from companyos.evaluation.agents import Agent, Oracle, RandomPool
from companyos.sdk.scenario import Action, Observation, call, load_scenarios
from tests.families import SOME, SOME_AND_CHAOS

HOUR_S = 3600
#: A wanderer does not finish before this step.
LEAST_STEPS = 16
#: Every solution has more calls.
LEFT = 3


@dataclass(frozen=True)
class EpisodePlan:
    """One episode: where it starts and who plays it.

    Attributes:
        calls_left: The calls of the oracle's solution after its start; 0 for a start at the brief.
    """

    scenario: str
    seed: int
    chaos: int
    wanders: bool = False
    calls_left: int = 0

    @property
    def options(self) -> dict[str, Any]:
        """What reset is asked for, tools included: by default our client asks for others than a plain trainer gets."""
        start = {"start": {"calls_left": self.calls_left}} if self.calls_left else {}
        return {"scenario": self.scenario, "seed": self.seed, "chaos": self.chaos, "tools": "all", **start}

    def agent(self) -> Agent:
        """Return a player that does the same every time it sees the same."""
        return Wanderer(self.seed) if self.wanders else Oracle(load_scenarios()[self.scenario])


class Wanderer:
    """Plausible moves at random, with long waits among them, so that much falls due at once."""

    def __init__(self, seed: int, *, least_steps: int = LEAST_STEPS) -> None:
        self._pool = RandomPool(seed)
        self._least_steps = least_steps

    def start(self, observation: Observation) -> None:
        """Begin an episode."""
        self._pool.start(observation)

    def act(self, observation: Observation) -> Action:
        """Return a drawn action, or a wait."""
        action, step = self._pool.act(observation), observation["step"]
        if step % 4 == 3:
            return call("wait", seconds=(step + 1) * HOUR_S)
        early = action == call("finish") and step < self._least_steps
        return call("wait", seconds=HOUR_S) if early else action


def all_cases(seeds: range) -> list[EpisodePlan]:
    """Return oracles in scenarios of every shape, from the brief and near the end, and wanderers."""
    oracles = [EpisodePlan(name, seed, chaos) for seed, chaos, name in product(seeds, (0, 1), SOME)]
    started = [EpisodePlan(name, seeds[0], chaos, calls_left=LEFT) for name, chaos in SOME_AND_CHAOS]
    return [
        *oracles,
        *started,
        *(EpisodePlan(name, seed, 1, wanders=True) for seed, name in product(seeds, SOME)),
    ]
