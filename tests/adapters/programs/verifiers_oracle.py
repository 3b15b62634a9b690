"""Evaluate the oracle with verifiers' own command: usage `verifiers_oracle.py URL FOLDER native|openenv`."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from companyos.client import AsyncCompanyosEnv
from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.model_server import as_action, as_tool_call, served
from tests.adapters.programs.oracle import OracleModel

SEEDS = (7, 8)
MODULE = "from companyos.integrations.verifiers import CompanyosTaskset\n\n__all__ = ['CompanyosTaskset']\n"
AGENT = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess")
PLAYER = ("--env.player.harness.id", "null", "--env.player.runtime.type", "subprocess")


def main(url, folder, kind):
    here = Path(folder)
    (here / "companyos_taskset.py").write_text(MODULE)
    # The server's own default is every tool; the adapter asks for those of the scenario.
    resets = [{"scenario": "vendor_onboarding", "seed": seed, "tools": "scenario"} for seed in SEEDS]
    if kind == "native":
        settings = {"base-url": url, "first-seed": SEEDS[0], "tasks": len(SEEDS)}
        arguments = ["companyos-taskset", *AGENT, *flags(settings)]
        validated(here, settings)
    else:
        # The harness starts anew for every turn, so one episode has to do.
        taskset = {"id": "openenv", "base_url": url, "resets": resets[:1]}
        (here / "openenv.json").write_text(json.dumps({"env": {"taskset": taskset}}))
        arguments = ["@", here / "openenv.json", *PLAYER]
    with served(OracleModel(url, resets), as_tool_call if kind == "native" else as_action) as endpoint:
        episodes = evaluated(here, endpoint, arguments)
    traces = [trace for episode in episodes for trace in episode["traces"]]
    rollouts = [{name: each[name] for name in ("rewards", "metrics", "errors")} for each in traces]
    left = earned(lambda calls: asyncio.run(left_early(url, calls))) if kind == "native" else None
    print(json.dumps({"rollouts": rollouts, "left": left}))


async def left_early(url, calls):
    """Return what a rollout earned whose model stops after some calls."""
    from verifiers.v1.trace import Trace

    from companyos.integrations.verifiers import CompanyosTaskset, CompanyosTasksetConfig
    from companyos.integrations.verifiers_tools import RolloutState

    config = CompanyosTasksetConfig(base_url=url, first_seed=TASK["seed"], tasks=1)
    (task,) = await asyncio.to_thread(lambda: list(CompanyosTaskset(config).load()))
    trace = Trace.model_construct(state=RolloutState(), metrics={})
    await task.setup(trace)
    async with AsyncCompanyosEnv(url) as env:
        await env.attach(trace.state.episode_id)
        for each in calls:
            await env.step(each)
        env.detach()
    return await task.episode_return(trace)


def flags(settings):
    return [part for name, value in settings.items() for part in (f"--env.taskset.{name}", str(value))]


def validated(here, settings):
    """Check that the oracle solves the tasks, that an untouched one is failed, and that headers are sent."""
    taskset = ["companyos-taskset", "--runtime.type", "subprocess", "--no-rich", "--output-dir", here]
    told = [part for name, value in settings.items() for part in (f"--taskset.{name}", value)]
    assert ran("vf-validate", here, *taskset, *told, "--run.name", "valid").returncode == 0
    rows = [json.loads(line) for line in (here / "valid" / "results.jsonl").read_text().splitlines()]
    assert [(row["gold"]["reason"], row["noop"]["reason"]) for row in rows] == [("valid", "valid")] * 2, rows
    foreign = json.dumps({"Origin": "http://elsewhere.example"})
    refused = ran("vf-validate", here, *taskset, *told, "--run.name", "no", "--taskset.headers", foreign)
    assert refused.returncode != 0
    assert "origin_refused" in refused.stderr, refused.stderr


def ran(program, here, *arguments):
    """Run a command of verifiers to its end."""
    command = [Path(sys.executable).with_name(program), *arguments]
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [*map(str, command)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


def evaluated(here, endpoint, arguments):
    """Return the episodes that the command has written."""
    run = ["--output-dir", here, "--run.name", "run", "--no-push", "--no-rich", "--max-concurrent", "2"]
    model = ["--model", "oracle", "--client.base-url", endpoint]
    played = ran("vf-eval", here, *arguments, *model, *run)
    assert played.returncode == 0, played.stdout[-3000:] + played.stderr[-3000:]
    return [json.loads(line) for line in (here / "run" / "traces.jsonl").read_text().splitlines()]


if __name__ == "__main__":
    main(*sys.argv[1:])
