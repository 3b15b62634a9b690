"""Evaluate the oracle with verifiers' own command: usage `verifiers_oracle.py URL FOLDER native|openenv`."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.adapters.programs.model_server import served
from tests.adapters.programs.oracle import OracleModel

SEEDS = (7, 8)
MODULE = "from companyos.integrations.verifiers import CompanyosTaskset\n\n__all__ = ['CompanyosTaskset']\n"


def main(url: str, folder: str) -> None:
    here = Path(folder)
    (here / "companyos_taskset.py").write_text(MODULE)
    model = OracleModel(url, [{"scenario": "vendor_onboarding", "seed": seed} for seed in SEEDS])
    with served(model) as endpoint:
        taskset = {"base-url": url, "first-seed": SEEDS[0], "tasks": len(SEEDS)}
        evaluated = run(here, endpoint, "companyos-taskset", taskset)
    traces = [trace for episode in evaluated for trace in episode["traces"]]
    print(
        json.dumps(
            [
                {"rewards": each["rewards"], "metrics": each["metrics"], "errors": each["errors"]}
                for each in traces
            ]
        )
    )


def run(here: Path, endpoint: str, taskset: str, settings: dict[str, object]) -> list[dict]:
    options = [part for name, value in settings.items() for part in (f"--env.taskset.{name}", str(value))]
    command = [
        Path(sys.executable).with_name("vf-eval"), taskset, *options,
        "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--model", "oracle", "--client.base-url", endpoint, "--no-push", "--no-rich",
        "--output-dir", here, "--run.name", "run",
    ]  # fmt: skip
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    bin_first = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        list(map(str, command)),
        cwd=here,
        env={**os.environ, "PYTHONPATH": path, "PATH": bin_first},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    lines = (here / "run" / "traces.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main(*sys.argv[1:])
