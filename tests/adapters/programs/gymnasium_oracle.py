"""Play the oracle through Gymnasium, alone and in a vector of four: usage `gymnasium_oracle.py URL`."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import companyos.integrations.gymnasium
from companyos import CompanyosEnv
from companyos.client import InvalidRequest
from companyos.integrations.gymnasium import GymEnv
from companyos.integrations.gymnasium_vector import GymVectorEnv
from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.oracle import OracleModel, OracleOf

SCENARIO = "vendor_onboarding"
FINISH = '{"tool_name": "finish", "arguments": {}}'
WAIT = '{"tool_name": "wait", "arguments": {"seconds": 60}}'
#: Ours, and two of Gymnasium's: in one process, and in several with its default, shared memory.
VECTORS = ("vector_entry_point", "sync", "async")


def main(url: str) -> None:
    # What the checker only warns of is a fault as well.
    warnings.simplefilter("error", UserWarning)
    env = gymnasium.make(
        companyos.integrations.gymnasium.ENVIRONMENT, base_url=url, scenario=SCENARIO, render_mode="ansi"
    )
    check_env(env.unwrapped)
    print(
        json.dumps(
            {
                "single": single(env, url),
                "space": space(env),
                "vector": vector(url),
                "vectors": {kind: restarted(url, kind) for kind in VECTORS},
                "disabled": disabled(url),
                "seeds": seeds(env, url),
                "left": left_early(url),
            }
        )
    )


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


def make_environments(url: str, kind: str, count: int = 2, **options: Any) -> Any:
    return gymnasium.make_vec(
        companyos.integrations.gymnasium.ENVIRONMENT,
        num_envs=count,
        vectorization_mode=kind,
        base_url=url,
        scenario=SCENARIO,
        **options,
    )


def restarted(url: str, kind: str) -> dict[str, Any]:
    """Return what is seen of two tasks that end, restart twice by themselves, and restart in the same step."""
    envs = make_environments(url, kind)
    begun, _ = envs.reset(seed=[3, 4])
    texts = [list(begun), *[list(envs.step([FINISH, FINISH])[0]) for _ in range(4)]]
    kept = [begun[0], begun[1]] == texts[0]
    envs.close()
    same = {"autoreset_mode": "SameStep"}
    envs = make_environments(url, kind, **(same if kind == "vector_entry_point" else {"vector_kwargs": same}))
    envs.reset(seed=[3, 4])
    text, _, over, _, info = envs.step([FINISH, WAIT])
    envs.close()
    final = [
        next(iter(info["final_obs"])),
        info["final_info"]["success"].tolist(),
        info["_final_obs"].tolist(),
    ]
    return {"texts": texts, "kept": kept, "same": [list(text), over.tolist(), final]}


def disabled(url: str) -> dict[str, Any]:
    """Return what is seen of two tasks of which the finished one is reset by a mask."""
    seen = {}
    for kind in VECTORS:
        mode = {"autoreset_mode": "Disabled"}
        envs = make_environments(
            url, kind, **(mode if kind == "vector_entry_point" else {"vector_kwargs": mode})
        )
        envs.reset(seed=5)
        left = list(envs.step([FINISH, WAIT])[0])[1]
        texts, info = envs.reset(seed=np.array([8, 9]), options={"reset_mask": np.array([True, False])})
        seen[kind] = [list(texts), list(texts)[1] == left, info["_trace_hash"].tolist()]
        envs.close()
    return seen


def seeds(env: Any, url: str) -> dict[str, Any]:
    """Return whether seeds and options of NumPy are the tasks of Python's, and what is said of others."""
    plain = env.reset(seed=0)[0]
    envs = make_environments(url, "vector_entry_point", 1)
    scalars = [
        env.unwrapped.reset(seed=np.int64(0))[0] == plain,
        env.unwrapped.reset(
            options={"seed": np.int32(0), "chaos": np.int64(1), "tools": np.array(["finish"])}
        )
        is not None,
        envs.reset(seed=np.int64(0))[0][0] == plain,
        envs.reset(seed=np.array([0]))[0][0] == plain,
    ]
    wrong = {}
    for name, given in {
        "float": {"seed": 1.5},
        "many": {"seed": [1, 2]},
        "option": {"options": {"chaos": object()}},
        "mask": {"options": {"reset_mask": [2]}},
    }.items():
        try:
            envs.reset(**given)
        except (TypeError, ValueError, InvalidRequest) as error:
            wrong[name] = str(error)
    envs.close()
    return {"scalars": scalars, "wrong": wrong}


def left_early(url: str) -> dict[str, Any]:
    """Return what is earned by plays without success, whose episodes are left by a reset or by closing."""
    with CompanyosEnv(url) as client:
        return {
            "reset": earned(lambda calls: left_by_reset(url, calls)),
            "vector": earned(lambda calls: left_in_vector(url, calls)),
            "close": earned(lambda calls: client.grade(left_by_close(url, calls))["episode_return"]),
            "vector_close": earned(
                lambda calls: client.grade(left_by_vector_close(url, calls))["episode_return"]
            ),
        }


def left_by_reset(url: str, calls: Any) -> float:
    env = GymEnv(url, **TASK)
    env.reset()
    infos = [env.step(each)[-1] for each in calls]
    _, begun = env.reset()
    env.close()
    ended = begun.get("abandoned") or infos[-1]
    assert ended["success"] is False
    return float(ended["episode_return"])


def left_by_close(url: str, calls: Any) -> str:
    """Return the id of an episode that closing left early."""
    env = GymEnv(url, **TASK)
    env.reset()
    for each in calls:
        env.step(each)
    env.close()
    assert env.result is not None
    assert env.result.done
    return str(env.result.metadata.episode_id)


def left_in_vector(url: str, calls: Any) -> float:
    """Return what the second of two episodes earned, of which a mask resets only that one."""
    envs = GymVectorEnv(2, url, autoreset_mode="Disabled", **TASK)
    envs.reset()
    for each in calls:
        infos = envs.step([WAIT, each])[-1]
    _, begun = envs.reset(options={"reset_mask": np.array([False, True])})
    ended = begun.get("abandoned") or infos
    assert ended["_success"][1]
    earned_in_all = float(ended["episode_return"][1])
    assert not envs.results[0].done
    envs.close()
    return earned_in_all


def left_by_vector_close(url: str, calls: Any) -> str:
    """Return the id of the second of two episodes that closing left early."""
    envs = GymVectorEnv(2, url, **TASK)
    envs.reset()
    for each in calls:
        envs.step([WAIT, each])
    envs.close()
    assert all(result.done for result in envs.results)
    return str(envs.results[1].metadata.episode_id)


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
