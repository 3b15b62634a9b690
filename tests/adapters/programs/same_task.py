"""Play one task with the oracle's calls through a framework, and print its episode.

Usage: `same_task.py URL FRAMEWORK FOLDER`.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx

from tests.adapters.programs.oracle import Call, OracleModel, played, written

RESET = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1, "rewards": "drill"}


def through_gymnasium(url: str, calls: list[Call], folder: Path) -> str:
    from companyos.integrations.gymnasium import GymEnv

    env = GymEnv(url, **RESET)
    env.reset()
    for call in calls:
        env.step(json.dumps(call))
    return episode_of(env)


def through_skyrl(url: str, calls: list[Call], folder: Path) -> str:
    from companyos.integrations.skyrl import SkyrlEnv

    env = SkyrlEnv({"base_url": url}, RESET)
    env.init([])
    for call in calls:
        env.step(written(call))
    return episode_of(env)


def through_openenv(url: str, calls: list[Call], folder: Path) -> str:
    from companyos.integrations.harness import SessionFactory

    session = SessionFactory(url, scenario="vendor_onboarding").create({"prompt": "", **RESET})
    for call in calls:
        session.call_tool(call["name"], call["arguments"])
    return episode_of(session)


def through_trl(url: str, calls: list[Call], folder: Path) -> str:
    from companyos.integrations.trl import CompanyosFactory

    env = CompanyosFactory(url)()
    env.reset(**RESET)
    for call in calls:
        getattr(env, call["name"])(**call["arguments"])
    return episode_of(env)


def through_inspect(url: str, calls: list[Call], folder: Path) -> str:
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from companyos.integrations.inspect_ai import EPISODE, companyos

    task, turns = companyos(seeds=RESET["seed"], base_url=url), iter(calls)
    for sample in task.dataset:
        sample.metadata = dict(RESET)

    def output(*_: Any) -> ModelOutput:
        call = next(turns)
        said = ModelOutput.for_tool_call("oracle", call["name"], call["arguments"])
        # Otherwise Inspect counts tokens with a file that it downloads.
        said.usage = ModelUsage()
        return said

    model = get_model("mockllm/oracle", custom_outputs=output)
    (log,) = evaluate(task, model=model, log_dir=str(folder), display="none")
    return str(log.samples[0].store[EPISODE])


def through_verifiers(url: str, calls: list[Call], folder: Path) -> str:
    from tests.adapters.programs.model_server import as_tool_call, served
    from tests.adapters.programs.verifiers_oracle import AGENT, MODULE, evaluated, flags

    (folder / "companyos_taskset.py").write_text(MODULE)
    settings = {"base-url": url, "first-seed": RESET["seed"], "tasks": 1}
    with served(OracleModel(url, [RESET]), as_tool_call) as endpoint:
        before = solved_episodes(url)
        evaluated(folder, endpoint, ["companyos-taskset", *AGENT, *flags(settings)])
    # What verifiers writes of a rollout does not name the episode.
    (episode_id,) = solved_episodes(url) - before
    return episode_id


def solved_episodes(url: str) -> set[str]:
    """Return the ids of the episodes on the stack that were solved."""
    listed = httpx.get(f"{url}/episodes", params={"limit": 200}).raise_for_status().json()
    assert listed["next_cursor"] is None
    return {each["episode_id"] for each in listed["items"] if each["success"]}


def episode_of(env: Any) -> str:
    return str(env.result.metadata.episode_id)


#: Each framework's distribution, and how it plays the task.
THROUGH = {
    "gymnasium": ("gymnasium", through_gymnasium),
    "skyrl": ("skyrl-gym", through_skyrl),
    "openenv": ("openenv", through_openenv),
    "trl-pinned": ("trl", through_trl),
    "inspect": ("inspect-ai", through_inspect),
    "verifiers": ("verifiers", through_verifiers),
}


def main(url: str, framework: str, folder: str) -> None:
    distribution, through = THROUGH[framework]
    episode_id = through(url, played(url, RESET).calls, Path(folder))
    print(json.dumps({"episode_id": episode_id, "version": version(distribution)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
