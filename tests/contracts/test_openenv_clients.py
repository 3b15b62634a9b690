"""OpenEnv's own clients and its validator, as released, against a running stack."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find
from deploy.make_space import make_space
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "openenv_programs"
#: The set of tools is named, because our client asks for another than the server gives by itself.
OPTIONS = {"scenario": "vendor_onboarding", "seed": 0, "chaos": 1, "tools": "scenario"}
#: What differs between two plays of the same actions: the name of the episode and the token of its agent.
NAMES = {"episode_id", "episode_uid", "agent_token"}


@dataclass(frozen=True)
class Log:
    """What an oracle did and what came of it."""

    path: Path
    turns: list[dict[str, Any]]


@pytest.fixture(scope="session")
def oracle_log(url: str, tmp_path_factory: pytest.TempPathFactory) -> Log:
    """The log of an oracle that played `vendor_onboarding` to success."""
    oracle, actions = Oracle(find("vendor_onboarding")), []
    with CompanyosEnv(url) as env:
        result = env.reset(**OPTIONS)
        turns = [vars(result)]
        oracle.start(result.observation)
        while not result.done:
            actions.append(oracle.act(result.observation))
            result = env.step(actions[-1])
            turns.append(vars(result))
    assert result.metadata.success is True, result.observation.text
    path = tmp_path_factory.mktemp("logs") / "oracle.json"
    path.write_text(json.dumps({"options": OPTIONS, "actions": actions}))
    return Log(path, turns)


@pytest.fixture(scope="session")
def replayed(openenv_python: Path, url: str, oracle_log: Log) -> dict[str, Any]:
    """What each of OpenEnv's clients made of the oracle's log."""
    outcomes: dict[str, Any] = json.loads(run(openenv_python, PROGRAMS / "replay.py", url, oracle_log.path))
    return outcomes


def run(python: Path, *command: object, **environment: str) -> str:
    ran = subprocess.run(
        [python, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def nameless(turn: dict[str, Any]) -> dict[str, Any]:
    return {
        **turn,
        "metadata": {name: value for name, value in turn["metadata"].items() if name not in NAMES},
    }


@pytest.mark.parametrize("way", ["sync", "async", "http"])
def test_an_oracles_log_replays_to_success(replayed: dict[str, Any], oracle_log: Log, way: str) -> None:
    outcome = replayed[way]

    assert outcome["turns"][-1]["metadata"]["success"] is True
    assert list(map(nameless, outcome["turns"])) == list(map(nameless, oracle_log.turns))
    assert outcome["state"]["step_count"] == len(oracle_log.turns) - 1
    assert outcome["state"]["done"] is True


def test_the_mcp_client_plays_the_same_episode(replayed: dict[str, Any], oracle_log: Log) -> None:
    outcome = replayed["mcp"]

    results = [turn["observation"]["result"] for turn in oracle_log.turns[1:]]
    failed = [turn["observation"]["error"] for turn in oracle_log.turns[1:]]
    expected = [{"error": error} if error else result for result, error in zip(results, failed, strict=True)]
    assert outcome["turns"] == expected
    assert outcome["state"]["step_count"] == len(results)


def test_auto_env_finds_our_client(openenv_python: Path, url: str, tmp_path: Path) -> None:
    """The distribution is told by its metadata alone, as pip would write it; the wheel is tested elsewhere."""
    facts = tmp_path / "openenv_companyos-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: openenv-companyos\nVersion: 0.1.0\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])

    said = run(openenv_python, PROGRAMS / "discover.py", url, PYTHONPATH=path, XDG_CACHE_HOME=str(tmp_path))

    assert said.split()[-3:] == ["True", "CompanyosEnv", "0"]


def test_openenv_validates_the_running_server(openenv_python: Path, url: str) -> None:
    openenv = openenv_python.parent / "openenv"

    report = json.loads(run(openenv, "validate", "--url", url, "--json"))

    assert report["passed"] is True
    assert report["standard_profile"] == "openenv-http/1.x"
    assert [each["id"] for each in report["criteria"] if not each["passed"]] == []


def test_openenv_accepts_our_manifest(openenv_python: Path, tmp_path: Path) -> None:
    openenv = openenv_python.parent / "openenv"

    run(openenv, "validate", ROOT, "--level", "static", "--output", tmp_path / "report.json")

    report = json.loads((tmp_path / "report.json").read_text())
    assert report["verdict"].lower() == "pass"


def test_openenv_push_takes_the_folder_of_our_space_as_it_is(openenv_python: Path, tmp_path: Path) -> None:
    space, staged = tmp_path / "space", tmp_path / "staged"
    make_space(space)

    warned = run(openenv_python, PROGRAMS / "check_push.py", space)

    assert warned.splitlines()[-1] == "[]"
    assert (staged / "README.md").read_text() == (space / "README.md").read_text()
    added = set((staged / "Dockerfile").read_text().splitlines()) - set(
        (space / "Dockerfile").read_text().splitlines()
    )
    assert added == {"ENV ENABLE_WEB_INTERFACE=true"}
