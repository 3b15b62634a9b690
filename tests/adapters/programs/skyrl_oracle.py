"""Play the oracle through SkyRL's environments, as its generator steps them: usage `skyrl_oracle.py URL`."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import skyrl_gym

from companyos import CompanyosEnv
from companyos.integrations.skyrl import SkyrlEnv
from companyos.sdk.scenario import Action
from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.oracle import OracleModel, written

RESET = {"scenario": "vendor_onboarding", "seed": 7}


def main(url: str) -> None:
    skyrl_gym.register(id="companyos", entry_point="companyos.integrations.skyrl:SkyrlEnv")
    oracle = OracleModel(url, [{**RESET, "rewards": "drill"}])
    env: Any = skyrl_gym.make("companyos", env_config={"base_url": url}, extras={**RESET, "max_turns": 60})
    messages, _ = env.init([{"role": "user", "content": "Work on this."}])
    seen, rewards, done = [messages[-1]["content"]], [], False
    while not done:
        call = oracle(seen)
        assert call is not None
        turn = env.step("I think, then I act.\n" + written(call))
        seen += [each["content"] for each in turn["observations"]]
        rewards.append(turn["reward"])
        done = turn["done"]
    metrics = env.get_metrics()
    env.close()
    roles = [each["role"] for each in messages]
    told = {"roles": roles, "continued": continued(url), "left": earned(lambda calls: left_early(url, calls))}
    print(json.dumps({"sum": round(sum(rewards), 6), **told, **metrics}))


def left_early(url: str, calls: Sequence[Action]) -> float:
    """Return what an episode earned whose model stops after some calls."""
    env = SkyrlEnv({"base_url": url}, TASK)
    env.init([])
    for each in calls:
        env.step(written({"name": each["tool_name"], "arguments": each["arguments"]}))
    earned_in_all: float = env.get_metrics()["episode_return"]
    env.close()
    return earned_in_all


def continued(url: str) -> int:
    """Return the step at which an episode begins whose row has a snapshot after one step."""
    with CompanyosEnv(url) as client:
        client.reset(**RESET)
        client.call("wait", seconds=60)
        row = {**RESET, "snapshot": client.snapshot()}
    env = SkyrlEnv({"base_url": url}, row)
    env.init([])
    step: int = env.result.observation.step
    env.close()
    return step


if __name__ == "__main__":
    main(*sys.argv[1:])
