"""Play the oracle through Gymnasium, alone and in a vector of four: usage `gymnasium_oracle.py URL`."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env

import companyos.integrations.gymnasium
from companyos import CompanyosEnv
from tests.adapters.programs.oracle import OracleModel, OracleOf

SCENARIO = "vendor_onboarding"


def main(url: str) -> None:
    # What the checker only warns of is a fault as well.
    warnings.simplefilter("error", UserWarning)
    env = gymnasium.make(
        companyos.integrations.gymnasium.ENVIRONMENT, base_url=url, scenario=SCENARIO, render_mode="ansi"
    )
    check_env(env.unwrapped)
    print(json.dumps({"single": single(env, url), "space": space(env), "vector": vector(url)}))


def single(env: Any, url: str) -> dict[str, Any]:
    oracle = OracleModel(url, [{"scenario": SCENARIO, "seed": 7}])
    text, info = env.reset(seed=7)
    seen, total, done = [text], 0.0, False
    while not done:
        text, reward, terminated, truncated, info = env.step(json.dumps(oracle(seen)))
        seen.append(text)
        total += reward
        done = terminated or truncated
    rendered = env.render()
    drawn = [env.reset(seed=5)[0], env.reset()[0], env.reset()[0], env.reset(seed=5)[0], env.reset()[0]]
    continued = branched(env)
    env.close()
    return {
        "continued": continued,
        "total": round(total, 6),
        "terminated": terminated,
        "rendered": bool(rendered),
        "drawn": [drawn.index(each) for each in drawn],
        **info,
    }


def branched(env: Any) -> list[int]:
    """Return the steps at which episodes begin: before, at and after a snapshot is asked for."""
    env.reset(seed=7)
    env.step('{"tool_name": "wait", "arguments": {"seconds": 60}}')
    snapshot = env.unwrapped.snapshot()
    begun = []
    for options in (None, {"snapshot": snapshot}, {"snapshot": snapshot, "seed": 3}, {"snapshot": None}):
        env.reset(seed=7, options=options)
        begun.append(env.unwrapped.result.observation.step)
    return begun


def space(env: Any) -> list[bool]:
    texts = env.observation_space
    return [
        "ä漢" in texts,
        3 in texts,
        texts == type(texts)(),
        texts == env.action_space,
        texts.is_np_flattenable,
    ]


def vector(url: str) -> dict[str, Any]:
    """Play 4 episodes until each has been won twice, the second of another task."""
    envs: Any = gymnasium.make_vec(
        companyos.integrations.gymnasium.ENVIRONMENT,
        num_envs=4,
        vectorization_mode="vector_entry_point",
        base_url=url,
        scenario=SCENARIO,
    )
    texts, _ = envs.reset(seed=0)
    first, oracles, won, restarts = texts, [OracleOf(SCENARIO) for _ in texts], [0] * 4, []
    while min(won) < 2:
        calls = [
            oracle(seen.observation) for oracle, seen in zip(oracles, envs.unwrapped.results, strict=True)
        ]
        texts, rewards, terminated, truncated, infos = envs.step([json.dumps(call) for call in calls])
        for index, result in enumerate(envs.unwrapped.results):
            if terminated[index]:
                won[index] += bool(infos["success"][index])
            if result.observation.step == 0:
                restarts.append([float(rewards[index]), texts[index] != first[index]])
                oracles[index] = OracleOf(SCENARIO)
    again, _ = envs.reset(seed=[0, 1, None, 3])
    with CompanyosEnv(url) as client:
        client.reset(scenario=SCENARIO, seed=7)
        client.call("wait", seconds=60)
        envs.reset(options={"snapshot": client.snapshot()})
    continued = [result.observation.step for result in envs.unwrapped.results]
    envs.close()
    kinds = [str(each.dtype) for each in (texts, rewards, terminated, truncated)]
    return {
        "restarts": restarts,
        "continued": continued,
        "kinds": kinds,
        "again": [a == b for a, b in zip(first, again, strict=True)],
        "gymnasiums_own": one_after_another(url).tolist() == first.tolist(),
    }


def one_after_another(url: str) -> Any:
    """Return the first texts of 4 episodes that Gymnasium's own vector environment steps one after another."""
    envs: Any = gymnasium.make_vec(
        companyos.integrations.gymnasium.ENVIRONMENT,
        num_envs=4,
        vectorization_mode="sync",
        base_url=url,
        scenario=SCENARIO,
    )
    texts, _ = envs.reset(seed=0)
    assert texts in envs.observation_space
    envs.close()
    return texts


if __name__ == "__main__":
    main(*sys.argv[1:])
