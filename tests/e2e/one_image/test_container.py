"""One container: any user, a read-only root, few processes and little memory; it serves, survives and ends well."""

import json
from pathlib import Path

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.sdk.scenario import load_scenarios
from examples import oracle
from tests.scenarios.logs import Log, played

from ..compose import docker
from .container import CONFINED, Container, healthy, started

TOKEN = "the-trainers-token-of-this-test"
ELSEWHERE = "http://agents.example:80"
OPEN = "Everyone who reaches this container's port"
#: A Space's user, and one that no image knows; others have the image's own, the validator's and root.
USERS = ("1000:1000", "3000000:3000000")
ZOMBIES = """
from pathlib import Path
print([path.parent.name for path in Path("/proc").glob("[0-9]*/stat") if ") Z " in path.read_text()])
"""
KILL = """
import json, os, signal
from pathlib import Path
stack = json.loads(Path("/tmp/.companyos/stack.json").read_text())
for process in stack["processes"]:
    os.kill(process["pid"], signal.SIGKILL)
"""


def plays(container: Container) -> bool:
    with CompanyosEnv(container.url) as env:
        return bool(oracle.play(env)[1].metadata.success)


@pytest.mark.parametrize("user", USERS)
def test_any_user_plays_an_episode_on_a_read_only_root_and_the_container_ends_well(user: str) -> None:
    with healthy(f"--user={user}", *CONFINED) as container:
        assert plays(container)
        assert container.execute("python", "-c", ZOMBIES).stdout.strip() == "[]"

        assert container.stop() == 0
        assert "Traceback" not in container.said


def test_root_with_dockers_own_capabilities_plays_an_episode() -> None:
    """PostgreSQL refuses root, so root needs the capability to become somebody else."""
    with healthy("--user=0:0") as container:
        assert plays(container)


def test_told_nothing_it_serves_trainers_and_agents_and_says_that_it_is_open(container: Container) -> None:
    started_episode = httpx.post(f"{container.url}/reset", json={"seed": 7}).json()
    token = started_episode["metadata"]["agent_token"]

    tools = httpx.get(f"{container.agent_url}/tools", headers={"Authorization": f"Bearer {token}"})
    stranger = httpx.get(f"{container.agent_url}/tools")

    assert (tools.status_code, stranger.status_code) == (200, 401)
    assert OPEN in container.said


def test_it_holds_no_volume_and_its_stack_is_whole(container: Container) -> None:
    mounts = json.loads(docker("inspect", "--format", "{{json .Mounts}}", container.name).stdout)

    assert mounts == []
    assert container.status()["healthy"] is True


@pytest.mark.parametrize("told", ["variable", "file"])
def test_a_token_closes_it_and_is_printed_nowhere_and_agents_are_sent_where_they_are_told(
    told: str, tmp_path: Path
) -> None:
    options = [f"--env=COMPANYOS_TRAINER_TOKEN={TOKEN}"]
    if told == "file":
        (tmp_path / "token").write_text(TOKEN)
        (tmp_path / "token").chmod(0o644)
        options = [
            f"--volume={tmp_path}/token:/run/secrets/token:ro",
            "--env=COMPANYOS_TRAINER_TOKEN_FILE=/run/secrets/token",
        ]
    with healthy(*options, f"--env=COMPANYOS_AGENT_URL={ELSEWHERE}") as container:
        stranger = httpx.get(f"{container.url}/scenarios")
        trainer = {"Authorization": f"Bearer {TOKEN}"}
        begun = httpx.post(f"{container.url}/reset", json={"seed": 7}, headers=trainer)

        assert (stranger.status_code, begun.status_code) == (401, 200)
        assert all(url.startswith(ELSEWHERE) for url in begun.json()["metadata"]["agent_urls"].values())
        assert OPEN not in container.said
        assert TOKEN not in container.said


def test_closed_access_without_a_token_ends_with_what_to_do() -> None:
    with started("--env=COMPANYOS_OPEN_ACCESS=false") as container:
        docker("wait", container.name)

        assert container.state["ExitCode"] == 2
        assert "COMPANYOS_TRAINER_TOKEN" in container.said
        assert "Traceback" not in container.said


def test_a_process_that_is_asked_for_without_its_settings_says_what_is_missing() -> None:
    with started(command=("serve", "orchestrator")) as container:
        docker("wait", container.name)

        assert container.state["ExitCode"] == 2
        assert "COMPANYOS_DATABASE_URL is not set" in container.said
        assert "Traceback" not in container.said


def test_without_a_network_it_is_healthy() -> None:
    with started("--network=none") as container:
        container.await_health()


async def test_sixty_four_episodes_at_once_fit_its_limits() -> None:
    names = sorted(load_scenarios())
    cases = [Log(names[number % len(names)], number, 3) for number in range(64)]
    with healthy("--user=65532:65532", *CONFINED) as container:
        logs = await played(container.url, cases, at_once=64)

        assert all(log.trace_hash for log in logs)
        assert container.state["OOMKilled"] is False
        assert container.status()["healthy"] is True


async def test_processes_that_are_killed_come_back_and_leave_no_zombie() -> None:
    with healthy() as container:
        assert container.execute("python", "-c", KILL).returncode == 0

        logs = await played(container.url, [Log("vendor_onboarding", 7, 0)], at_once=1)

        assert logs[0].trace_hash
        assert container.execute("python", "-c", ZOMBIES).stdout.strip() == "[]"
        assert container.stop() == 0


def test_a_tmp_that_is_too_small_is_named_as_the_reason() -> None:
    with started("--read-only", "--tmpfs=/tmp:size=16m") as container:
        docker("wait", container.name)

        assert container.state["ExitCode"] == 1
        assert "is full" in container.said
        assert "Traceback" not in container.said
