"""What the container files promise, read from the files: hardening, zones, secrets, pinned builds."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from companyos.version import __version__
from docs.generate.per_service import with_services

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: Mapping[str, Mapping[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
LOAD_BALANCER = ROOT / "deploy/load-balancer"
DOCKERFILES = [ROOT / "Dockerfile", LOAD_BALANCER / "Dockerfile"]
LABELED = {"COMPANYOS_VERSION", "COMPANYOS_REVISION", "COMPANYOS_SOURCE", "COMPANYOS_CREATED"}
BROWSER_LOCK = "deploy/requirements-browser.lock"
LOCKS = ["requirements.lock", "requirements-dev.lock", "deploy/requirements-build.lock", BROWSER_LOCK]
ONE_SHOTS = {"secrets", "migrate"}
PROCESSES = {"ticketdesk", "datahub", "approvalflow", "orchestrator"}
IMAGE_USERS = {"postgres": "postgres", "redis": "redis"}
ZONES = {
    "secrets": set(),
    "postgres": {"data"},
    "redis": {"data"},
    "migrate": {"data"},
    "ticketdesk": {"svc", "data"},
    "datahub": {"svc", "data"},
    "approvalflow": {"svc", "data"},
    "orchestrator": {"control", "svc", "data"},
    "trainer-api": {"edge", "control"},
    "agent-api": {"edge", "control", "agents"},
    "browser": {"edge"},
}
REGISTRY_HOSTS = re.compile(
    r"\b(pypi\.org|pythonhosted\.org|npmjs\.(org|com)|crates\.io|hub\.docker\.com|registry-1\.|ghcr\.io|quay\.io"
    r"|gcr\.io|deb\.debian\.org|golang\.org)\b"
)
MACHINE_PATHS = re.compile(
    r"(?<![\w.~$}*])/(work|root|Users|home/\w+|opt/(pypi|wheels))(?=[/\s\"'`]|$)", re.MULTILINE
)

every_service = pytest.mark.parametrize("name", SERVICES)


def test_every_variable_of_the_compose_file_is_described_at_its_top() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    about = text.partition("\nname:")[0]

    described = set(re.findall(r"^#   (COMPANYOS_\w+) +\S", about, re.MULTILINE))

    # Those of the labels are passed on as they are.
    assert described == {*re.findall(r"\$\{(COMPANYOS_\w+)", text), *LABELED}


@pytest.mark.parametrize("file", ["docker-compose.yml", "deploy/stack.yml"])
def test_a_container_is_waited_for_as_long_as_the_environment_says(file: str) -> None:
    declared = yaml.safe_load((ROOT / file).read_text())

    assert declared["x-healthcheck"]["start_period"] == "${COMPANYOS_START_PERIOD:-600s}"


@every_service
def test_a_container_has_a_read_only_root_no_capability_and_no_way_to_gain_one(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["init"] is True
    assert any(mount.startswith("/tmp:") for mount in service["tmpfs"])


@every_service
def test_a_container_never_runs_as_root(name: str) -> None:
    assert SERVICES[name]["user"] == IMAGE_USERS.get(name, "10001:10001")


@every_service
def test_a_container_is_limited_in_memory_processors_and_processes(name: str) -> None:
    service = SERVICES[name]

    assert {"mem_limit", "cpus", "pids_limit"} <= service.keys()


@every_service
def test_a_container_shares_nothing_with_the_host(name: str) -> None:
    service = SERVICES[name]

    assert not {"privileged", "devices", "pid", "ipc", "userns_mode"} & service.keys()
    assert service.get("network_mode") in (None, "none")
    assert all(mount.split(":")[0] in COMPOSE["volumes"] for mount in service.get("volumes", []))


@every_service
def test_a_container_is_attached_to_the_networks_of_its_zone_only(name: str) -> None:
    assert set(SERVICES[name].get("networks", [])) == ZONES[name]


def test_every_network_but_the_published_one_is_internal_and_knows_no_address_of_the_host() -> None:
    inside = {name: network for name, network in COMPOSE["networks"].items() if name != "edge"}

    assert inside.keys() == {"agents", "control", "svc", "data"}
    for network in inside.values():
        assert network["internal"] is True
        assert network["driver_opts"] == {"com.docker.network.bridge.inhibit_ipv4": "true"}


def test_the_published_network_leads_nowhere() -> None:
    edge = COMPOSE["networks"]["edge"]

    assert edge == {"driver_opts": {"com.docker.network.bridge.enable_ip_masquerade": "false"}}


def test_the_load_balancers_and_the_browser_alone_publish_a_port_and_by_default_on_loopback() -> None:
    publishing = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert publishing == {
        "trainer-api": ["${COMPANYOS_BIND:-127.0.0.1}:${COMPANYOS_PORT:-8000}:8000"],
        "agent-api": ["${COMPANYOS_AGENT_BIND:-127.0.0.1}:${COMPANYOS_AGENT_PORT:-8080}:8080"],
        "browser": ["${COMPANYOS_BROWSER_BIND:-127.0.0.1}:${COMPANYOS_BROWSER_PORT:-8090}:8000"],
    }
    told = [SERVICES[name]["environment"]["COMPANYOS_PUBLISHED_HOST"] for name in ("orchestrator", "browser")]
    assert told == ["${COMPANYOS_BIND:-127.0.0.1}", "${COMPANYOS_BROWSER_BIND:-127.0.0.1}"]


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - ONE_SHOTS))
def test_a_lasting_container_tells_its_health_and_is_asked_often_while_it_starts(name: str) -> None:
    service = SERVICES[name]

    assert service["healthcheck"]["start_interval"] == "1s"
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", sorted(PROCESSES | {"migrate", "browser"}))
def test_secrets_reach_a_process_as_files_of_its_own_volume(name: str) -> None:
    service = SERVICES[name]
    secret = re.compile(r"PASSWORD|TOKEN|KEY|DATABASE_URL|REDIS_URL")

    assert service["volumes"] == [f"secrets-{name}:/run/secrets:ro"]
    assert all(key.endswith("_FILE") for key in service["environment"] if secret.search(key))


def test_the_seeds_of_all_secrets_are_mounted_where_they_are_made_and_nowhere_else() -> None:
    readers = [name for name, service in SERVICES.items() if "secrets-keys" in str(service.get("volumes"))]

    assert readers == ["secrets"]
    assert SERVICES["secrets"]["network_mode"] == "none"


def test_the_stack_needs_no_env_file() -> None:
    variables = re.findall(r"(?<!\$)\$\{([^}]*)\}", (ROOT / "docker-compose.yml").read_text())

    assert variables
    assert [variable for variable in variables if ":-" not in variable] == []


def _has_compose() -> bool:
    """Tell whether Compose is there for this user: the client alone does not bring it."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0


@pytest.mark.skipif(not _has_compose(), reason="Docker Compose is not installed")
@pytest.mark.parametrize("names", [None, ["ticketdesk", "datahub", "approvalflow", "payroll"]])
def test_compose_accepts_the_file_without_a_word_also_with_a_fourth_service(names: list[str] | None) -> None:
    text = with_services((ROOT / "docker-compose.yml").read_text(), names)

    checked = subprocess.run(
        ["docker", "compose", "--env-file", "/dev/null", "-f", "-", "config", "-q"],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
    )

    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_the_final_image_gets_what_was_built_and_installs_nothing_itself() -> None:
    build, final = re.split(r"^FROM python:3\.13-slim$", DOCKERFILE, flags=re.MULTILINE)[-2:]

    assert build.count("--require-hashes") == 3
    assert "pip" not in final
    assert "apt-get" not in final
    assert "\nADD " not in DOCKERFILE
    assert "\nUSER 10001:10001\n" in final


def test_the_load_balancer_installs_haproxy_and_nothing_else_and_is_not_root() -> None:
    dockerfile = (LOAD_BALANCER / "Dockerfile").read_text()

    assert re.findall(r"install .*? (\w+) \\\n", dockerfile) == ["haproxy"]
    assert "--no-install-recommends" in dockerfile
    assert "\nUSER 10001:10001\n" in dockerfile
    assert "\nADD " not in dockerfile


@pytest.mark.parametrize("name", ["service_unavailable", "answer_lost", "answer_late"])
def test_load_balancer_errors_are_retryable_problem_documents(name: str) -> None:
    head, _, body = (LOAD_BALANCER / f"{name}.http").read_bytes().partition(b"\r\n\r\n")
    status = int(head.split()[1])

    document = json.loads(body)
    assert f"content-length: {len(body)}".encode() in head
    assert b"content-type: application/problem+json" in head
    assert (document["status"], document["retryable"]) == (status, True)


@pytest.mark.parametrize(("name", "port"), [("trainer-api", 8000), ("agent-api", 8080)])
def test_a_load_balancer_listens_for_one_api_only(name: str, port: int) -> None:
    configured = (LOAD_BALANCER / "haproxy.cfg").read_text()

    assert SERVICES[name]["environment"] == {"COMPANYOS_PORT": port}
    assert re.findall(r"^ *bind (.*)$", configured, re.MULTILINE) == [
        '":${COMPANYOS_PORT}"',
        "127.0.0.1:8404",
    ]
    servers = re.findall(r"^ *server-template orchestrator 16 (.*)$", configured, re.MULTILINE)
    assert set(servers) == {'"${COMPANYOS_ORCHESTRATORS}:${COMPANYOS_PORT}"'}


def test_only_the_agent_api_is_on_the_agents_network() -> None:
    joined = [name for name, service in SERVICES.items() if "agents" in service.get("networks", [])]

    assert joined == ["agent-api"]


def test_the_load_balancer_sends_nothing_twice() -> None:
    configured = (LOAD_BALANCER / "haproxy.cfg").read_text()

    assert re.findall(r"^ *retry-on (.*)$", configured, re.MULTILINE) == ["conn-failure"]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)
def test_the_labels_come_last_and_say_this_version_unless_they_are_told(path: Path) -> None:
    instructions = re.findall(r"^([A-Z]+) (.*)$", path.read_text(), re.MULTILINE)

    *_, (_, version), revision, source, created, (label, title) = instructions
    assert version == f"COMPANYOS_VERSION={__version__}"
    assert [revision, source] == [("ARG", "COMPANYOS_REVISION="), ("ARG", "COMPANYOS_SOURCE=")]
    assert created == ("ARG", "COMPANYOS_CREATED=1970-01-01T00:00:00Z")
    assert (label, title.partition("=")[0]) == ("LABEL", "org.opencontainers.image.title")


@pytest.mark.parametrize("name", ["secrets", "trainer-api"])
def test_compose_passes_on_what_the_labels_are_to_say_and_has_no_opinion_of_its_own(name: str) -> None:
    arguments = SERVICES[name]["build"]["args"]

    assert {argument: arguments[argument] for argument in LABELED} == dict.fromkeys(LABELED)


@pytest.mark.parametrize(
    ("told", "created"), [({"SOURCE_DATE_EPOCH": "1700000000"}, "2023-11-14T22:13:20Z"), ({}, None)]
)
def test_an_image_is_dated_by_its_commit_or_as_told_and_never_by_the_clock(
    tmp_path: Path, told: dict[str, str], created: str | None
) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\nenv\n")
    docker.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in {*LABELED, "SOURCE_DATE_EPOCH"}}

    made = subprocess.run(
        ["make", "--silent", "image", f"PYTHON={sys.executable}"],
        cwd=ROOT,
        env={**kept, **told, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )

    says = dict(line.split("=", 1) for line in made.stdout.splitlines() if "=" in line)
    assert says["COMPANYOS_CREATED"] == (created or _commit("%cd"))
    assert says["COMPANYOS_REVISION"].removesuffix("-dirty") == _commit("%H")


def _commit(form: str) -> str:
    """Return a fact of the commit that is checked out; a date as labels have it."""
    date = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
    asked = ["git", "log", "-1", date, f"--format={form}"]
    found = subprocess.run(asked, cwd=ROOT, env={**os.environ, "TZ": "UTC0"}, capture_output=True, text=True)
    if found.returncode != 0:
        pytest.skip("not a git checkout")
    return found.stdout.strip()


def test_the_image_is_given_the_product_and_nothing_else_of_the_tree() -> None:
    rules = (ROOT / ".dockerignore").read_text().splitlines()

    assert rules[0] == "*"
    assert not {"!.", "!tests", "!.git", "!docs"} & set(rules)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_pinned_and_hashed(lock: str) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text().strip())

    assert all(re.match(r"[a-z0-9._-]+==\S+", entry) and "--hash=sha256:" in entry for entry in entries)


def test_committed_files_name_no_package_registry_or_local_path() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")

    found = [f"{name}: {word}" for name in listed.stdout.split("\0") for word in _traces_in(ROOT / name)]

    assert found == []


def _traces_in(path: Path) -> list[str]:
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="ignore")
    return [match[0] for pattern in (REGISTRY_HOSTS, MACHINE_PATHS) for match in pattern.finditer(text)]


def test_the_check_for_registries_and_machine_paths_finds_what_it_looks_for(tmp_path: Path) -> None:
    planted = tmp_path / "planted.txt"
    planted.write_text("index = https://" + ".".join(["pypi", "org"]) + "/simple\ncd /" + "work/main\n")

    assert len(_traces_in(planted)) == 2


def test_scenarios_of_ones_own_are_mounted_read_only_where_the_orchestrator_looks() -> None:
    added = yaml.safe_load((ROOT / "deploy/scenarios.compose.yml").read_text())["services"]

    assert set(added) == {"orchestrator"}
    folder = added["orchestrator"]["environment"]["COMPANYOS_SCENARIOS"]
    [mount] = added["orchestrator"]["volumes"]
    assert mount.endswith(f":{folder}:ro")
    assert set(added["orchestrator"]) == {"environment", "volumes"}, "hardening stays as it is"
