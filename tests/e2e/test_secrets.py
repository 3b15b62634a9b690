"""Secrets of a running stack: files for those who need them, and nowhere else to be found."""

import json
import subprocess

import pytest

from companyos.client import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find

from .compose import LASTING, ONE_SHOTS, PROCESSES, Stack

READ_ALL = (
    "import json, pathlib; print(json.dumps({str(path): path.read_text() "
    "for path in pathlib.Path('/secrets').rglob('*') if path.is_file()}))"
)
OTHERS_TABLES = """
import pathlib, psycopg
url = pathlib.Path("/run/secrets/database_url").read_text()
with psycopg.connect(url) as connection:
    try:
        connection.execute("SELECT * FROM {schema}.{table}")
    except psycopg.errors.InsufficientPrivilege:
        print("refused")
"""

#: The bus loses events, so that services ask each other to send them again.
LOSING = {"faults": {"evt.broker_loss": {"p": 1}}}


@pytest.fixture(scope="module")
def secrets(stack: Stack) -> dict[str, str]:
    """Every secret of the stack by its path, as only the one-shot that makes them can read them."""
    options = ("run", "--rm", "-T", "--no-deps", "--entrypoint", "python")
    printed = stack.compose(*options, "secrets", "-c", READ_ALL).stdout
    found: dict[str, str] = json.loads(printed)
    return {path: text for path, text in found.items() if text}


def passwords(secrets: dict[str, str]) -> set[str]:
    """The random part of each secret: what must not be found anywhere."""
    return {text.partition("@")[0].rpartition(":")[2] for path, text in secrets.items() if "acl" not in path}


@pytest.mark.parametrize("service", [*LASTING, *ONE_SHOTS])
def test_container_inspection_shows_no_secret(stack: Stack, secrets: dict[str, str], service: str) -> None:
    told = json.dumps(stack.inspect(service))

    assert len(passwords(secrets)) > 10
    assert [password for password in passwords(secrets) if password in told] == []


def test_image_history_and_logs_contain_no_secret(stack: Stack, secrets: dict[str, str]) -> None:
    image = stack.inspect("orchestrator")["Image"]
    history = subprocess.run(
        ["docker", "history", "--no-trunc", image], capture_output=True, text=True
    ).stdout
    logs = stack.compose("logs", "--no-color").stdout

    assert [password for password in passwords(secrets) if password in history + logs] == []


def test_process_environments_contain_no_secret(stack: Stack, secrets: dict[str, str]) -> None:
    for service in PROCESSES:
        environment = stack.execute(service, "cat", "/proc/1/environ").stdout
        assert [password for password in passwords(secrets) if password in environment] == []


@pytest.mark.parametrize("service", PROCESSES)
def test_a_process_finds_its_own_secrets_read_only(stack: Stack, service: str) -> None:
    listed = stack.execute(service, "sh", "-c", "cd /run/secrets && stat -c '%a %u:%g %n' *").stdout.split(
        "\n"
    )
    written = stack.execute(service, "sh", "-c", "echo x > /run/secrets/planted", check=False)

    expected = {"database_url", "redis_url", "context_key", "admin_token", "operator_token"}
    expected |= {"trainer_token", "grader_token"} if service == "orchestrator" else set()
    assert set(filter(None, listed)) == {f"440 10001:10001 {name}" for name in expected}
    assert written.returncode != 0


def test_redis_answers_nobody_without_a_password(stack: Stack) -> None:
    assert "NOAUTH" in stack.execute("redis", "redis-cli", "ping").stdout


def test_redis_refuses_no_process_what_it_does(stack: Stack) -> None:
    with CompanyosEnv(stack.url) as env:
        oracle = Oracle(find("vendor_onboarding"))
        result = env.reset(scenario="vendor_onboarding", chaos=LOSING)
        oracle.start(result.observation)
        while not result.done:
            result = env.step(oracle.act(result.observation))
        account = env.grade().fault_account

    logs = stack.compose("logs", "--no-color", *PROCESSES).stdout
    assert "evt.broker_loss" in {fault["fault"] for fault in account if fault["landed_at"]}
    assert "startup complete" in logs
    assert "no permissions" not in logs.lower()


def test_a_service_cannot_read_the_tables_of_another(stack: Stack) -> None:
    program = OTHERS_TABLES.format(schema="datahub", table="metrics")

    assert stack.python("ticketdesk", program).stdout.strip() == "refused"


def test_a_service_role_is_no_administrator(stack: Stack) -> None:
    roles = stack.execute(
        "postgres", "psql", "-U", "postgres", "-d", "companyos", "-Atc",
        "SELECT count(*) FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)' AND (rolsuper OR rolbypassrls)",
    )  # fmt: skip

    assert roles.stdout.strip() == "0"
