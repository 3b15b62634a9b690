"""The how-to page is true: its commands and its code run as they stand, but for the names and ports of this test."""

import json
import re
import secrets
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from companyos import CompanyosEnv
from tests.live_services import free_port

from ..compose import ROOT, docker
from .container import IMAGE, Container

PAGE = (ROOT / "docs" / "how-to" / "run-one-container.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (docker .*)$", PAGE, re.MULTILINE)
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
BUILD, RUN, STATUS, LOGS, STOP, CONFINED, ONE_PORT, MATERIALS = COMMANDS

TOKEN = secrets.token_hex(16)


class Names:
    """The page's container, its ports and its image, as this test calls them."""

    def __init__(self) -> None:
        self.container = f"one-{secrets.token_hex(4)}"
        self.trainer, self.agents = free_port(), free_port()

    def __call__(self, text: str) -> str:
        """Return a command or code of the page with these names."""
        for page, here in (
            (r"127\.0\.0\.1:8000", f"127.0.0.1:{self.trainer}"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{self.agents}"),
            (r"--detach (--name \w+)?", f"--detach --name {self.container} "),
            ("…", TOKEN),
            (r"\bcompanyos$", IMAGE),
            (r"cat companyos ", f"cat {IMAGE} "),
            (r'"companyos"', f'"{IMAGE}"'),
            (r"(exec|stop) \S+", rf"\1 {self.container}"),
        ):
            text = re.sub(page, here, text)
        return text

    def run(self, command: str) -> str:
        """Run a command of the page and return what it printed."""
        done = subprocess.run(self(command).split(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def names() -> Iterator[Names]:
    chosen = Names()
    yield chosen
    docker("rm", "--force", chosen.container)


def test_the_page_builds_the_image_that_it_runs() -> None:
    assert BUILD == "docker build -t companyos ."
    assert all(command.endswith(" companyos") for command in (RUN, CONFINED, ONE_PORT))


def test_the_first_commands_and_the_first_code_work_in_their_order(names: Names) -> None:
    names.run(RUN)
    Container(names.container).await_health()
    played: dict[str, Any] = {}

    exec(names(CODE[0]), played)

    assert played["result"].done is True
    assert "orchestrator" in names.run(STATUS)
    assert "startup complete" in names.run(LOGS)
    names.run(STOP)
    assert Container(names.container).state["ExitCode"] == 0


def test_a_client_starts_the_image(names: Names) -> None:
    played: dict[str, Any] = {}

    exec(names(CODE[1]), played)

    assert played["result"].done is False


def test_the_bill_of_materials_is_where_the_page_says(names: Names) -> None:
    command, _, _ = MATERIALS.partition(" > ")

    assert json.loads(names.run(command))["bomFormat"] == "CycloneDX"


def test_the_confined_container_is_healthy(names: Names) -> None:
    names.run(CONFINED)

    Container(names.container).await_health()


def test_agents_use_the_one_port_that_is_published(names: Names) -> None:
    names.run(ONE_PORT)
    Container(names.container).await_health()

    with CompanyosEnv(f"http://127.0.0.1:{names.trainer}", token=TOKEN) as env:
        access = env.reset(scenario="vendor_onboarding", seed=7).metadata
        headers = {"Authorization": f"Bearer {access['agent_token']}"}
        tools = httpx.get(access["agent_urls"]["tools"], headers=headers)
        asked = httpx.get(f"{access['agent_urls']['rest']}/ticketdesk/tickets", headers=headers)

    assert access["agent_urls"]["tools"].startswith(f"http://127.0.0.1:{names.trainer}/agent/")
    assert (tools.status_code, asked.status_code) == (200, 200)
    assert httpx.get(f"http://127.0.0.1:{names.trainer}/state", headers=headers).status_code == 401
