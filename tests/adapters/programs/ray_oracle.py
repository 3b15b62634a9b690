"""Play the oracle on Ray, a remote task per episode: usage `ray_oracle.py URL`."""

import json
import sys

import ray

from companyos.integrations.rllib import made
from tests.adapters.programs.oracle import OracleModel

RESET = {"scenario": "vendor_onboarding", "seed": 7}


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
