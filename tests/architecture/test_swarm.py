"""What the swarm stack promises, read from its file: the same processes as Compose, hardened, two of each, rolling."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.generate.per_service import FILES, with_services

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy/stack.yml"
STACK = yaml.safe_load(FILE.read_text())
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: Mapping[str, Mapping[str, Any]] = STACK["services"]
REPLICATED = ["ticketdesk", "datahub", "approvalflow", "orchestrator", "trainer-api", "agent-api"]

every_service = pytest.mark.parametrize("name", SERVICES)
replicated = pytest.mark.parametrize("name", REPLICATED)


def test_the_swarm_runs_what_compose_runs() -> None:
    assert SERVICES.keys() == COMPOSE["services"].keys()
    for name, service in SERVICES.items():
        composed = COMPOSE["services"][name]
        assert (service["image"], service.get("command")) == (composed["image"], composed.get("command"))
        assert set(service["networks"]) - {"nowhere"} == set(composed.get("networks", []))
        assert service.get("healthcheck", {}).get("test") == composed.get("healthcheck", {}).get("test")


@pytest.mark.parametrize("name", FILES)
def test_a_container_file_has_what_each_service_needs(name: str) -> None:
    text = (ROOT / name).read_text()

    assert with_services(text) == text, "run `python -m docs.generate`"
    # Wherever a service is named, the next one of the tree will be.
    renamed = text.replace("approvalflow", "payroll").replace("APPROVALFLOW", "PAYROLL")
    assert yaml.safe_load(with_services(text, ["ticketdesk", "datahub", "payroll"])) == yaml.safe_load(
        renamed
    )


@every_service
def test_a_container_has_a_read_only_root_no_capability_and_is_not_root(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["init"] is True
    assert service["user"].partition(":")[0] in {"10001", "postgres", "redis"}
    assert not {"privileged", "cap_add", "devices"} & service.keys()


@every_service
def test_a_container_is_limited_in_memory_processors_and_processes(name: str) -> None:
    assert SERVICES[name]["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}


@replicated
def test_two_of_each_process_are_replaced_one_by_one_once_the_new_one_is_healthy(name: str) -> None:
    deploy = SERVICES[name]["deploy"]

    assert deploy["replicas"] == 2
    assert (deploy["update_config"]["order"], deploy["update_config"]["parallelism"]) == ("start-first", 1)
    assert SERVICES[name]["healthcheck"]["retries"] == 3


def test_only_the_load_balancers_are_published_and_every_other_network_is_internal() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["trainer-api", "agent-api"]
    assert [name for name, network in STACK["networks"].items() if not (network or {}).get("internal")] == [
        "edge"
    ]
    joined = {
        network: [name for name, service in SERVICES.items() if network in service["networks"]]
        for network in ("edge", "agents")
    }
    assert joined == {"edge": ["trainer-api", "agent-api"], "agents": ["agent-api"]}


def test_a_swarm_without_a_trainer_token_is_not_deployed() -> None:
    assert re.search(r"\$\{COMPANYOS_TRAINER_TOKEN:\?", FILE.read_text())
    assert SERVICES["orchestrator"]["environment"]["COMPANYOS_PUBLISHED_HOST"] == "0.0.0.0"


@pytest.mark.skipif(shutil.which("docker") is None, reason="there is no Docker client")
def test_the_swarms_own_check_accepts_the_file_and_wants_the_token() -> None:
    checks = {
        token: subprocess.run(
            ["docker", "stack", "config", "--compose-file", str(FILE)],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "COMPANYOS_TRAINER_TOKEN": token},
            capture_output=True,
            text=True,
        )
        for token in ("a-token", "")
    }

    assert (checks["a-token"].returncode, checks["a-token"].stderr) == (0, "")
    assert checks[""].returncode != 0
    assert "COMPANYOS_TRAINER_TOKEN" in checks[""].stderr
