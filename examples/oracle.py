"""Play an episode to its end with the oracle, which knows how to solve the task.

    python examples/oracle.py [URL] [--episode-id ID]

The URL is that of a trainer API, by default of the stack on this machine. With an id, or OPENENV_EPISODE_ID, an episode
that somebody else began goes on; otherwise one begins. OpenEnv's manifest names this program as the proof that the
environment can be solved: it runs in the image too, and ends with one line of JSON. It exits with 1 unless the
episode ends in success.
"""

import argparse
import json
import os
import sys

from companyos.client import CompanyosEnv, Observation, Result
from companyos.client.base import DEFAULT_URL
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find

OPTIONS = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1, "tools": "scenario", "rewards": "sparse"}


def play(env: CompanyosEnv, episode_id: str | None = None) -> tuple[list[dict[str, object]], Result]:
    """Return the oracle's actions and the last result.

    Raises:
        EpisodeOver: The episode to continue has ended.
    """
    if episode_id is None:
        first = env.reset(**OPTIONS).observation
    else:
        env.attach(episode_id)
        first = Observation(env.trace()[0]["observation"])
    oracle, actions = Oracle(find(str(env.state()["scenario"]))), []
    oracle.start(first)
    actions.append(oracle.act(first))
    result = env.step(actions[-1])
    while not result.done:
        actions.append(oracle.act(result.observation))
        result = env.step(actions[-1])
    return actions, result


def main(*arguments: str) -> int:
    """Play, print how the episode ended, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", nargs="?", default=DEFAULT_URL)
    parser.add_argument("--episode-id", default=os.environ.get("OPENENV_EPISODE_ID"))
    options = parser.parse_args(arguments)
    with CompanyosEnv(options.url) as env:
        actions, result = play(env, options.episode_id)
    metadata = result.metadata
    told = {"episode_id": metadata.episode_id, "success": metadata.success, "reward": result.reward}
    print(json.dumps({**told, "episode_return": metadata.episode_return, "steps": len(actions)}))
    return 0 if metadata.success else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
