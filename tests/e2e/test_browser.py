"""The browser of the Compose stack, which nobody must start: an episode by pictures, in a hardened container."""

import re
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from companyos.client import CompanyosEnv
from companyos.client.pages.chromium import BrowserMissing
from companyos.client.pages.pixel_door import PixelDoor
from tests.browser.player import play_by_pictures, replayed_hash
from tests.live_services import free_port
from tests.patience import PATIENCE_S

from .compose import START_TIMEOUT_S, Stack, docker_json

TASK = {"scenario": "license_renewal", "seed": 3, "chaos": 0, "max_steps": 100}
PROFILE = ("--profile", "browser")
UNREACHABLE = re.compile(
    r"Unable to locate package|Failed to fetch|Temporary failure resolving|Could not resolve"
)


@pytest.fixture(scope="module")
def browsed(stack: Stack) -> Iterator[Stack]:
    """The shared stack with its browser."""
    browsed = replace(stack, settings={**stack.settings, "COMPANYOS_BROWSER_PORT": str(free_port())})
    built = browsed.compose(*PROFILE, "build", "browser", check=False)
    if built.returncode and UNREACHABLE.search(built.stdout + built.stderr):
        pytest.skip("Debian's packages cannot be reached from an image that is built here")
    assert built.returncode == 0, built.stderr
    browsed.compose(*PROFILE, "up", "--wait", "--wait-timeout", str(START_TIMEOUT_S), "--no-deps", "browser")
    yield browsed
    browsed.compose(*PROFILE, "rm", "--stop", "--force", "browser")


def test_an_episode_by_pictures_has_the_hash_of_its_calls(browsed: Stack) -> None:
    with CompanyosEnv(browsed.url) as env:
        try:
            play = play_by_pictures(env, TASK)
        except BrowserMissing as missing:
            pytest.skip(f"where elements are is seen in a Chromium of this machine: {missing}")
        typed = replayed_hash(env, TASK, play)
    parts = {name: action.arguments for name, action in PixelDoor.ACTIONS.items()}
    url = f"http://127.0.0.1:{browsed.settings['COMPANYOS_BROWSER_PORT']}"

    with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
        result = client.post("/reset", json=TASK).raise_for_status().json()
        episode_id = result["metadata"]["episode_id"]
        for name, arguments in play.player.actions:
            action = {"tool_name": name, "arguments": dict(zip(parts[name], arguments, strict=True))}
            step = {"action": action, "episode_id": episode_id}
            result = client.post("/step", json=step).raise_for_status().json()

    assert result["observation"]["screen"]["media_type"] == "image/jpeg"
    assert (result["done"], result["metadata"]["success"]) == (True, True)
    assert result["metadata"]["trace_hash"] == typed


def test_the_browsers_container_is_hardened_and_reaches_the_published_apis_only(browsed: Stack) -> None:
    inspected = docker_json("inspect", browsed.compose(*PROFILE, "ps", "-q", "browser").stdout.strip())[0]
    status = browsed.execute("browser", "cat", "/proc/1/status").stdout

    assert inspected["HostConfig"]["ReadonlyRootfs"] is True
    assert inspected["Config"]["User"] == "10001:10001"
    assert "CapEff:\t0000000000000000" in status
    assert list(inspected["NetworkSettings"]["Networks"]) == [f"{browsed.project}_edge"]


def test_a_stack_is_whole_without_its_browser(stack: Stack) -> None:
    assert "browser" not in stack.compose("config", "--services").stdout.split()
