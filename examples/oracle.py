"""Play one episode with the oracle, which knows how to solve the task, and print how it ended.

    python examples/oracle.py [URL]

The URL is that of a trainer API, by default of the stack on this machine. OpenEnv's manifest names this
program as the proof that the environment can be solved. It exits with 1 unless the episode ends in success.
"""

import sys

from companyos.client import CompanyosEnv, Result
from companyos.client.base import DEFAULT_URL
from companyos.evaluation.agents import Oracle
from companyos.scenario import find

OPTIONS = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1, "tools": "scenario"}


def play(env: CompanyosEnv) -> tuple[list[dict[str, object]], Result]:
    """Return the oracle's actions and the last result."""
    oracle, actions = Oracle(find(str(OPTIONS["scenario"]))), []
    result = env.reset(**OPTIONS)
    oracle.start(result.observation)
    while not result.done:
        actions.append(oracle.act(result.observation))
        result = env.step(actions[-1])
    return actions, result


def main(url: str = DEFAULT_URL) -> int:
    """Play, print how the episode ended, and return the exit code."""
    with CompanyosEnv(url) as env:
        actions, result = play(env)
    ended = "success" if result.metadata.success else "no success"
    print(f"{OPTIONS['scenario']}: {ended} in {len(actions)} steps, return {result.metadata.episode_return}")
    return 0 if result.metadata.success else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
