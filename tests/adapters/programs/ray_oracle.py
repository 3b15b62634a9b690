"""Play the oracle on Ray: usage `ray_oracle.py URL`. One actor per episode, and RLlib's own runner of episodes."""

import json
import sys

import ray
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModule

from companyos.integrations.rllib import made
from tests.adapters.programs.oracle import OracleModel

RESET = {"scenario": "vendor_onboarding", "seed": 7}


class OracleModule(RLModule):
    """A module that answers each observation with the oracle's next call."""

    framework = None

    def setup(self):
        self.oracle = OracleModel(self.model_config["url"], [RESET])
        self.seen = []

    def _forward(self, batch, **_):
        self.seen += batch[Columns.OBS]
        return {Columns.ACTIONS: [json.dumps(self.oracle(self.seen))]}


@ray.remote
def played(url, reset):
    """Play an episode in a process of its own, through the environment that RLlib would make there."""
    env, model, done = made({"base_url": url, **reset}), OracleModel(url, [reset]), False
    seen = [env.reset(seed=reset["seed"])[0]]
    while not done:
        text, _, terminated, truncated, info = env.step(json.dumps(model(seen)))
        seen.append(text)
        done = terminated or truncated
    env.close()
    return info["success"]


def main(url):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    remote = ray.get([played.remote(url, {**RESET, "seed": seed}) for seed in (7, 8)])
    print(json.dumps({"remote": remote}))


if __name__ == "__main__":
    main(*sys.argv[1:])
