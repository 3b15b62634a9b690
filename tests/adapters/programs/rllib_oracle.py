"""Play the oracle in RLlib's env runner, as the module that it asks: usage `rllib_oracle.py URL`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from companyos.integrations.connection import EpisodeInvalid
from companyos.integrations.gymnasium import GymEnv
from companyos.integrations.rllib import Conversations, TextModule, register
from companyos.sdk.scenario import Action, call
from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.oracle import OracleModel

SCENARIO = "vendor_onboarding"
SEEDS = (7, 8)
SYSTEM = "You work in a company."


class Oracle(TextModule):
    """Says what the oracle says, and fails if an observation came otherwise than the environment showed it."""

    def setup(self) -> None:
        resets = [{"scenario": SCENARIO, "seed": seed} for seed in SEEDS]
        self._model = OracleModel(self.model_config["url"], resets)

    def answers(self, conversations: Any) -> list[str]:
        return [self.answer(*messages) for messages in conversations]

    def answer(self, first: Any, *messages: Any) -> str:
        assert first == {"role": "system", "content": SYSTEM}
        seen = [message["content"] for message in messages if message["role"] == "user"]
        # An episode that is done restarts with another task while the others go on, and nobody waits for its end.
        return json.dumps(self._model(seen)) if self._model.knows(seen[0]) else "I do not know this task."


def main(url: str) -> None:
    register()
    together = {mode: sampled(configured(url, mode, len(SEEDS))) for mode in ("sync", "vector_entry_point")}
    with a_failure_at_step(3):
        restarting = configured(url, "sync", 1).fault_tolerance(restart_failed_sub_environments=True)
        failing = sampled(restarting)
    left = {mode: earned(lambda calls, mode=mode: left_early(url, mode, calls)) for mode in together}
    print(json.dumps({**together, "failing": failing, "left": left}))


def configured(url: str, mode: str, episodes: int) -> PPOConfig:
    """Return a configuration that plays so many episodes together, each of another task."""
    return (
        PPOConfig()
        .environment("CompanyOS-v0", env_config={"base_url": url, "scenario": SCENARIO})
        .env_runners(
            num_envs_per_env_runner=episodes,
            gym_env_vectorize_mode=mode,
            env_to_module_connector=lambda env, spaces, device: Conversations(system=SYSTEM),
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Oracle, model_config={"url": url}))
        .debugging(seed=SEEDS[0])
    )


def sampled(config: PPOConfig) -> list[dict[str, Any]]:
    """Sample as many episodes as are played together, and return how each ended."""
    runner = SingleAgentEnvRunner(config=config)
    episodes = runner.sample(num_episodes=config.num_envs_per_env_runner)
    runner.stop()
    return [ended(episode) for episode in episodes]


class Script(TextModule):
    """Makes the same calls in every episode."""

    def answers(self, conversations: Any) -> list[str]:
        return [json.dumps(self.model_config["calls"][len(messages) // 2]) for messages in conversations]


def left_early(url: str, mode: str, calls: Sequence[Action]) -> float:
    """Return what an episode earned which sampling anew cuts off after some calls."""
    module = {"calls": [*calls, call("wait", seconds=60)]}
    config = (
        PPOConfig()
        .environment("CompanyOS-v0", env_config={"base_url": url, **TASK})
        .env_runners(
            gym_env_vectorize_mode=mode,
            env_to_module_connector=lambda env, spaces, device: Conversations(),
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Script, model_config=module))
    )
    runner = SingleAgentEnvRunner(config=config)
    (played,) = runner.sample(num_timesteps=max(len(calls), 1))
    (begun,) = runner.sample(num_timesteps=1, force_reset=True)
    runner.stop()
    ended_by = played.get_infos(-1) if played.is_done else begun.get_infos(0)["abandoned"]
    assert not ended_by["success"]
    return float(ended_by["episode_return"])


@contextmanager
def a_failure_at_step(number: int) -> Iterator[None]:
    """Let the environment fail once, at this step."""
    steps = count(1)
    play = GymEnv.step

    def step(self: GymEnv, action: Any) -> Any:
        if next(steps) == number:
            raise EpisodeInvalid("the environment failed")
        return play(self, action)

    with patch.object(GymEnv, "step", step):
        yield
    assert next(steps) > number, "no episode came so far"


def ended(episode: Any) -> dict[str, Any]:
    last = episode.get_infos(-1)
    return {
        "success": bool(last["success"]),
        "terminated": bool(episode.is_terminated),
        "return": episode.get_return(),
        "episode_return": float(last["episode_return"]),
        "calls": [json.loads(str(action))["name"] for action in episode.get_actions()],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
