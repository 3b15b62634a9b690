"""What the files of swarms promise: one stack of the processes of Compose, or cells, each on the node of its label."""

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
CELLS_FILE = ROOT / "deploy/cells.yml"
CELLS: Mapping[str, Any] = yaml.safe_load(CELLS_FILE.read_text())
CELL_NAMES = [name for name in CELLS["services"] if name.startswith("cell-")]
HARDENED = {**SERVICES, **CELLS["services"]}
REPLICATED = ["ticketdesk", "datahub", "approvalflow", "orchestrator", "trainer-api", "agent-api"]

every_service = pytest.mark.parametrize("name", HARDENED)
replicated = pytest.mark.parametrize("name", REPLICATED)


def test_the_swarm_runs_what_compose_runs() -> None:
    always = {name for name, service in COMPOSE["services"].items() if "profiles" not in service}
    assert SERVICES.keys() == always
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
    service = HARDENED[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["init"] is True
    assert service["user"].partition(":")[0] in {"10001", "postgres", "redis"}
    assert not {"privileged", "cap_add", "devices"} & service.keys()


@every_service
def test_a_container_is_limited_in_memory_processors_and_processes(name: str) -> None:
    assert HARDENED[name]["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}


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


@pytest.mark.parametrize("name", CELL_NAMES)
def test_a_cell_is_alone_under_its_name_on_the_node_of_its_label(name: str) -> None:
    cell = CELLS["services"][name]

    placed = cell["deploy"]
    assert cell["environment"]["COMPANYOS_CELL"] == name
    assert placed["placement"] == {"constraints": [f"node.labels.companyos.{name} == true"]}
    assert (placed["replicas"], placed["endpoint_mode"]) == (1, "dnsrr")
    assert placed["update_config"] == {"order": "stop-first"}
    assert cell["networks"] == {"control": {"aliases": ["cells"]}}


@pytest.mark.parametrize("name", CELL_NAMES)
def test_a_cell_of_a_swarm_reads_its_token_from_a_file(name: str) -> None:
    cell = CELLS["services"][name]

    [token] = cell["secrets"]
    assert cell["environment"]["COMPANYOS_TRAINER_TOKEN_FILE"] == f"/run/secrets/{token['target']}"
    assert "COMPANYOS_TRAINER_TOKEN" not in cell["environment"]
    assert (token["uid"], token["mode"]) == (cell["user"].partition(":")[0], 0o400)


def test_agents_of_a_swarm_of_cells_reach_their_router_alone_and_nothing_else_is_published() -> None:
    services, networks = CELLS["services"], CELLS["networks"]

    assert [name for name, service in services.items() if "ports" in service] == [
        "trainer-router",
        "agent-router",
    ]
    assert [name for name, service in services.items() if "agents" in service["networks"]] == ["agent-router"]
    assert [name for name, network in networks.items() if not (network or {}).get("internal")] == ["edge"]


def test_the_commands_at_the_top_of_the_cells_file_label_and_route_every_cell() -> None:
    commands = CELLS_FILE.read_text().partition("x-hardened")[0].replace("\\\n#", "")
    labels = re.findall(r"--label-add companyos\.(\S+)=true", commands)
    routers = [line for line in commands.splitlines() if "companyos router" in line]

    assert labels == CELL_NAMES
    assert [re.findall(r" (\S+)=http://\1:8000", line) for line in routers] == [CELL_NAMES, CELL_NAMES]
    assert re.findall(r"--agents (\S+)=http://\1:8080", routers[1]) == CELL_NAMES


@pytest.mark.skipif(shutil.which("docker") is None, reason="there is no Docker client")
def test_the_swarms_own_check_accepts_the_cells_with_what_their_routers_are_told(tmp_path: Path) -> None:
    shutil.copy(CELLS_FILE, tmp_path)
    for name in ("trainers.cfg", "agents.cfg"):
        (tmp_path / name).touch()

    checked = subprocess.run(
        ["docker", "stack", "config", "--compose-file", str(tmp_path / CELLS_FILE.name)],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )

    assert (checked.returncode, checked.stderr) == (0, "")
    assert "${" not in checked.stdout
    services = yaml.safe_load(checked.stdout)["services"]
    assert {services[name]["image"] for name in CELL_NAMES} == {"companyos:local"}
    assert {services[name]["deploy"]["placement"]["constraints"][0] for name in CELL_NAMES} == {
        f"node.labels.companyos.{name} == true" for name in CELL_NAMES
    }


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
    # A swarm replaces no variable in the default of another.
    assert "${" not in checks["a-token"].stdout
    assert checks[""].returncode != 0
    assert "COMPANYOS_TRAINER_TOKEN" in checks[""].stderr
