"""Measure how often the oracle has a next call, for the page of scenarios: run with a URL, keeps it."""

import json
import sys
from collections.abc import Iterable, Iterator

from companyos.client import CompanyosEnv, Result
from companyos.evaluation.agents import RandomPool
from companyos.sdk.scenario import call
from docs.generate.scenarios import ADVICE
from tests.families import ALL

#: After so many random calls that were answered the oracle is asked.
DEVIATIONS = (0, 1, 2, 4)
#: Where in the oracle's solution the random calls begin, as shares of its calls.
PLACES = (0.25, 0.5, 0.75)
SEEDS = (100, 101, 102, 103)


def measured(
    url: str, names: Iterable[str], seeds: Iterable[int] = SEEDS, places: Iterable[float] = PLACES
) -> dict[str, dict[str, list[int]]]:
    """Return for each family, by the number of deviations, how many states were asked about and how many answered."""
    found = {name: {str(count): [0, 0] for count in DEVIATIONS} for name in names}
    with CompanyosEnv(url) as env:
        for name, counts in found.items():
            for seed in seeds:
                for place in places:
                    for deviations, is_answered in answers(env, name, seed, place):
                        counts[str(deviations)][0] += 1
                        counts[str(deviations)][1] += is_answered
    return found


def answers(env: CompanyosEnv, name: str, seed: int, place: float) -> Iterator[tuple[int, bool]]:
    """Yield whether the oracle has a call, after each number of deviations that was reached."""
    options = {"scenario": name, "seed": seed, "chaos": 0, "rewards": "drill", "tools": "all"}
    calls = env.reset(**options, start={"calls": 0}).metadata["start"]["calls_left"]
    result = env.reset(**options, start={"calls": int(place * calls)})
    agent = RandomPool(seed)
    agent.start(result.observation)
    for reached in range(DEVIATIONS[-1] + 1):
        if reached in DEVIATIONS:
            yield reached, env.advise()["action"] is not None
        result = one_more(env, agent, result)
        if result.done:
            return


def one_more(env: CompanyosEnv, agent: RandomPool, result: Result) -> Result:
    """Make random calls until one is answered, or the episode is over; none of them ends it."""
    while not result.done:
        action = agent.act(result.observation)
        result = env.step(call("wait", seconds=60) if action["tool_name"] == "finish" else action)
        if result.observation["error"] is None:
            break
    return result


if __name__ == "__main__":
    kept = measured(sys.argv[1], ALL)
    ADVICE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
