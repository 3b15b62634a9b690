"""Episodes against the Compose stack: every scenario solved, through the command line and through the client."""

import json
import os
import subprocess
import sys

import httpx
import pytest

from companyos.client import CompanyosEnv, Result
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from tests.families import SOME

from .compose import ROOT, Stack

SCENARIOS = load_scenarios()
SEED = 7


def play(env: CompanyosEnv, scenario: str) -> Result:
    """Let the oracle play an episode of the scenario and return its last result."""
    oracle = Oracle(SCENARIOS[scenario])
    result = env.reset(scenario=scenario, seed=SEED)
    oracle.start(result.observation)
    while not result.done:
        result = env.step(oracle.act(result.observation))
    return result


def test_the_scenarios_of_the_repository_are_served(stack: Stack) -> None:
    served = httpx.get(f"{stack.url}/scenarios").json()

    assert [card["name"] for card in served] == sorted(SCENARIOS)
    assert len(served) == 15


@pytest.mark.parametrize(
    ("scenario", "via"), [("vendor_onboarding", "websocket"), *((name, "http") for name in sorted(SCENARIOS))]
)
def test_the_oracle_solves_a_scenario_through_the_client(stack: Stack, scenario: str, via: str) -> None:
    with CompanyosEnv(stack.url, via=via) as env:
        ended = play(env, scenario)

    assert ended.metadata["success"] is True


def test_the_demo_plays_every_scenario_and_its_oracle_solves_them_all(stack: Stack) -> None:
    command = [
        sys.executable,
        "-m",
        "companyos",
        "demo",
        "--all",
        "--url",
        stack.url,
        "--episodes",
        "2",
        "--json",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COMPANYOS_")}

    shown = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert shown.returncode == 0, shown.stderr
    oracles = [line for line in json.loads(shown.stdout)["lines"] if line["agent"] == "oracle"]
    assert [(line["scenario"], line["success"]) for line in oracles] == [
        (name, 1) for name in sorted(SCENARIOS)
    ]


def test_containers_and_the_stack_without_docker_give_the_same_trace(
    stack: Stack, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running_stack(Home.at(tmp_path_factory.mktemp("home"))) as embedded:
        traces = [hashes_of(embedded.url), hashes_of(stack.url)]

    assert traces[0] == traces[1]


def hashes_of(url: str) -> dict[str, str]:
    """Return the hash of the oracle's trace in scenarios of every shape: it covers every observation, reward and id."""
    with CompanyosEnv(url) as env:
        return {name: play(env, name).metadata["trace_hash"] for name in SOME}
