"""What OpenEnv's validator says of a container, and of a container that it builds and confines itself."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from deploy.make_space import make_space

from .container import Container

RUNTIME = {"startup", "network_policy", "observation_schema", "reward_well_formed", "state_contract"}
NOT_GRADED = "grader not implemented in this build"


def validated(python: Path, report: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    ran = subprocess.run(
        [python.parent / "openenv", "validate", *arguments, "--output", str(report)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def test_the_validator_plays_in_an_image_that_it_builds_and_confines(
    openenv_python: Path, tmp_path: Path, docker_front: str
) -> None:
    path = os.pathsep.join([docker_front, os.environ["PATH"]])
    # Of a copy, since the validator refuses a folder in which anything changes meanwhile.
    make_space(tmp_path / "space")

    report = validated(openenv_python, tmp_path / "report.json", str(tmp_path / "space"), PATH=path)

    results = {result["check_id"]: result for result in report["results"]}
    passed = {name for name, result in results.items() if result["status"] == "pass"}
    assert passed == {"static.manifest", *(f"runtime.{name}" for name in RUNTIME)}
    others = [result for name, result in results.items() if name not in passed]
    assert all((each["status"], each["evidence"]) == ("skip", [NOT_GRADED]) for each in others), others


def test_the_validator_accepts_a_container_by_its_url(
    openenv_python: Path, tmp_path: Path, container: Container
) -> None:
    report = validated(openenv_python, tmp_path / "report.json", "--url", container.url)

    assert report["passed"] is True
