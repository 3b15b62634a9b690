"""Train PPO until it solves a task by choosing among the oracle's calls: usage `rllib_training.py URL PAGE`.

The network and the loop are RLlib's own, and what turns text into vectors is the page's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gymnasium
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from companyos.integrations.rllib import Choices, register
from tests.adapters.programs.oracle import OracleModel
from tests.adapters.programs.page import blocks, run

TASK = {"scenario": "vendor_onboarding", "seed": 4, "rewards": "progress"}
#: The oracle needs 8 steps for this seed.
MAX_STEPS = 20
MOST_ITERATIONS = 25
#: Training ends once so many of an iteration's episodes succeed.
ENOUGH = 0.75


def main(url: str, page: str) -> None:
    texts = [json.dumps(call) for call in OracleModel(url, [TASK]).calls()]
    assert len(texts) < MAX_STEPS, f"the oracle needs {len(texts)} steps"
    # Its encoder alone: what the page trains is another test's.
    words = run([blocks(Path(page))[-1].partition("config = ")[0]])["Words"]
    register()
    ended: list[dict[str, Any]] = []
    algorithm = configured(url, words, texts, ended).build_algo()
    iterations: list[dict[str, Any]] = []
    while not iterations or (iterations[-1]["success"] < ENOUGH and len(iterations) < MOST_ITERATIONS):
        iterations.append(told(algorithm.train(), ended))
        ended.clear()
    algorithm.stop()
    print(json.dumps(iterations))


def configured(url: str, words: Any, texts: list[str], ended: list[dict[str, Any]]) -> PPOConfig:
    """Return a configuration that trains in this process, and that adds each episode to `ended`."""
    task = {"base_url": url, **TASK, "max_steps": MAX_STEPS}
    return (
        PPOConfig()
        .environment("CompanyOS-v0", env_config=task, normalize_actions=False)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=4,
            gym_env_vectorize_mode="vector_entry_point",
            batch_mode="complete_episodes",
            env_to_module_connector=lambda env, spaces, device: words(),
            module_to_env_connector=lambda env, spaces: Choices(texts=texts),
        )
        .rl_module(rl_module_spec=RLModuleSpec(action_space=gymnasium.spaces.Discrete(len(texts))))
        .training(lr=1e-3, train_batch_size_per_learner=160, minibatch_size=64, num_epochs=8)
        .callbacks(on_episode_end=lambda episode, **_: ended.append(summary(episode)))
        .debugging(seed=0)
    )


def summary(episode: Any) -> dict[str, Any]:
    """Return what RLlib has of an episode, beside what the environment says of it."""
    last = episode.get_infos(-1)
    return {
        "success": bool(last["success"]),
        "return": episode.get_return(),
        "episode_return": float(last["episode_return"]),
    }


def told(result: Any, ended: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what an iteration says of itself, and the episodes it was trained on."""
    return {
        "episodes": list(ended),
        "success": sum(episode["success"] for episode in ended) / len(ended),
        "num_episodes": int(result["env_runners"]["num_episodes"]),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
