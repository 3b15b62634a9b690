"""`companyos browser`: OpenEnv's clients play by pictures, and windows, Chromium and process end as they should."""

from __future__ import annotations

import base64
import faulthandler
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from companyos import CompanyosEnv
from companyos.client.pages.chromium import HEIGHT, INSTALL_CHROMIUM, WIDTH
from companyos.client.pages.pixel_door import PixelDoor
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home, Status
from companyos.sdk import stackpath
from tests.command_line import run
from tests.contracts.client_venvs import made_once
from tests.patience import PATIENCE_S

from .player import Play, play_by_pictures, replayed_hash

TASK = {"scenario": "license_renewal", "seed": 3, "chaos": 0, "max_steps": 100}
TESTS = Path(__file__).parents[1]
REPLAY = TESTS / "contracts" / "openenv_programs" / "replay.py"
PAGE = TESTS.parent / "docs" / "how-to" / "use-the-pages.md"
NOTHING = {"action_str": "noop()"}
LIST = {"tool_name": "goto", "arguments": {"url": "ticketdesk_list_tickets"}}

pytestmark = pytest.mark.usefixtures("browser")


@dataclass(frozen=True)
class BrowserServer:
    """A `companyos browser` that runs.

    Attributes:
        url: Its address.
        process: Its process.
    """

    url: str
    process: subprocess.Popen[str]

    @contextmanager
    def socket(self) -> Iterator[ClientConnection]:
        """Yield a WebSocket, which is a session."""
        with connect(f"{self.url.replace('http', 'ws', 1)}/ws", max_size=2**25) as socket:
            yield socket

    def programs(self) -> list[int]:
        """Return the processes of Chromium that do not stand below another of its own."""
        listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
        lines = [line.split(None, 2) for line in listed.splitlines()]
        drivers = {pid for pid, parent, _ in lines if parent == str(self.process.pid)}
        return [int(pid) for pid, parent, args in lines if parent in drivers and "--headless" in args]


@contextmanager
def browser_server(stack: Status, *options: str, **environment: str) -> Iterator[BrowserServer]:
    """Start one on a stack, and end it."""
    command = [sys.executable, "-m", "companyos", "browser", "--url", stack.url, "--port", "0", "--json"]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, env=stackpath.environment(**environment)
    )
    assert process.stdout is not None
    told = "".join(iter(process.stdout.readline, "}\n"))
    try:
        yield BrowserServer(json.loads(f"{told}}}")["url"], process)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def ask(socket: ClientConnection, kind: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Send a message, and return the answer's data."""
    socket.send(json.dumps({"type": kind} if data is None else {"type": kind, "data": data}))
    answer: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE_S))["data"]
    return answer


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether a condition holds before patience ends."""
    ends = time.monotonic() + PATIENCE_S
    while not (held := holds()) and time.monotonic() < ends:
        time.sleep(0.1)
    return held


def is_closed(stack: Status, episode_id: str) -> bool:
    """Whether the stack has no such episode any more."""
    return httpx.get(f"{stack.url}/state", params={"episode_id": episode_id}).status_code == 404


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Status]:
    with running_stack(Home.at(tmp_path_factory.mktemp("browsed") / "home")) as stack:
        yield stack


@pytest.fixture(scope="module")
def server(stack: Status) -> Iterator[BrowserServer]:
    with browser_server(stack, "--limit", "6") as server:
        yield server


@pytest.fixture(scope="module")
def openenv_python() -> Path:
    """The interpreter of an environment with OpenEnv's clients."""
    # To install them has a limit of its own, longer than that of a test.
    faulthandler.cancel_dump_traceback_later()
    return made_once()


@pytest.fixture(scope="module")
def lone(stack: Status) -> Play:
    """The oracle's calls, made by clicks and keys in a browser of this process."""
    with CompanyosEnv(stack.url) as env:
        play = play_by_pictures(env, TASK)
        assert replayed_hash(env, TASK, play) == play.records[-1]["hash"]
    return play


def actions_of(play: Play) -> list[dict[str, Any]]:
    """Return what the player of a play did, as actions of the browser."""
    parts = {name: action.arguments for name, action in PixelDoor.ACTIONS.items()}
    return [
        {"tool_name": name, "arguments": dict(zip(parts[name], arguments, strict=True))}
        for name, arguments in play.player.actions
    ]


def replay(python: Path, url: str, log: Path, *clients: str) -> dict[str, list[dict[str, Any]]]:
    """Return what OpenEnv's clients got for the actions of a log, by client."""
    played = subprocess.run([python, REPLAY, url, log, *clients], capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    return {client: outcome["turns"] for client, outcome in json.loads(played.stdout).items()}


def test_an_openenv_client_plays_by_pictures_with_the_hash_of_typed_calls(
    openenv_python: Path, server: BrowserServer, lone: Play, tmp_path: Path
) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"options": TASK, "actions": actions_of(lone)}))

    last = replay(openenv_python, server.url, log, "http")["http"][-1]

    assert (last["done"], last["metadata"]["success"]) == (True, True)
    assert last["metadata"]["trace_hash"] == lone.records[-1]["hash"]


def test_openenv_clients_see_the_same_pictures(
    openenv_python: Path, server: BrowserServer, lone: Play, tmp_path: Path
) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"options": TASK, "actions": actions_of(lone)[:8]}))

    seen = replay(openenv_python, server.url, log, "sync", "async", "http")

    shown = {
        client: [turn["observation"]["screen"]["sha256"] for turn in turns] for client, turns in seen.items()
    }
    assert len(set(shown["sync"])) > 3
    assert shown == dict.fromkeys(("sync", "async", "http"), shown["sync"])


def test_the_documented_program_sees_a_picture(openenv_python: Path, server: BrowserServer) -> None:
    [program] = re.findall(r"```python\n(from openenv.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    ran = subprocess.run(
        [openenv_python, "-c", program.replace("http://127.0.0.1:8090", server.url)],
        capture_output=True,
        text=True,
    )

    assert (ran.stdout, ran.returncode) == ("Tickets · CompanyOS image/jpeg -0.1\n", 0), ran.stderr


def test_sessions_at_once_see_the_same_pictures_each_in_its_own_episode(
    server: BrowserServer, lone: Play
) -> None:
    def play(_: int) -> list[str]:
        with server.socket() as socket:
            seen = [ask(socket, "reset", TASK)]
            seen += [ask(socket, "step", action) for action in actions_of(lone)[:12]]
        return [each["observation"]["screen"]["sha256"] for each in seen]

    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(play, range(4))

    assert len(set(first)) > 4
    assert others == [first] * 3


def test_an_observation_has_a_picture_in_jpeg_and_no_reward(server: BrowserServer) -> None:
    with server.socket() as socket:
        first = ask(socket, "reset", TASK)
        opened = ask(socket, "step", LIST)
        refused = ask(socket, "step", {"action_str": "mouse_click(5000, 1)"})

    screen = opened["observation"]["screen"]
    file = base64.b64decode(screen["data"])
    assert (file[:3], screen["media_type"]) == (b"\xff\xd8\xff", "image/jpeg")
    assert (screen["width"], screen["height"]) == (WIDTH, HEIGHT)
    assert screen["sha256"] == hashlib.sha256(file).hexdigest()
    assert opened["observation"]["url"] == "ticketdesk_list_tickets"
    assert [tool["name"] for tool in first["observation"]["tools"]] == list(PixelDoor.ACTIONS)
    assert opened["reward"] == -0.1
    assert "reward" not in opened["observation"]
    assert "outside the picture" in refused["observation"]["last_action_error"]
    assert [each["observation"]["actions_left"] for each in (first, opened, refused)] == [400, 399, 398]
    assert [each["observation"]["step"] for each in (first, opened, refused)] == [0, 1, 1]


def test_an_episode_goes_on_from_its_page_after_chromium_was_killed(server: BrowserServer) -> None:
    with server.socket() as socket:
        ask(socket, "reset", TASK)
        before = ask(socket, "step", LIST)
        [program] = server.programs()
        os.kill(program, signal.SIGKILL)
        restarted = ask(socket, "step", {"action_str": "scroll(0, 300)"})
        after = ask(socket, "step", NOTHING)

    seen = [each["observation"] for each in (before, restarted, after)]
    assert "started anew" in restarted["observation"]["last_action_error"]
    assert [each["screen"]["sha256"] for each in seen] == [before["observation"]["screen"]["sha256"]] * 3
    assert [each["step"] for each in seen] == [1, 1, 1]
    assert [each["actions_left"] for each in seen] == [399, 399, 398]


def test_a_socket_that_is_closed_ends_its_episode(server: BrowserServer, stack: Status) -> None:
    with server.socket() as socket:
        episode_id = ask(socket, "reset", TASK)["metadata"]["episode_id"]
        before = is_closed(stack, episode_id)

    assert not before
    assert eventually(lambda: is_closed(stack, episode_id))


def test_a_connection_that_was_cut_is_taken_up_by_another(server: BrowserServer) -> None:
    with server.socket() as socket:
        began = ask(socket, "reset", TASK)
        episode_id = began["metadata"]["episode_id"]
        socket.socket.close()
    with connect(
        f"{server.url.replace('http', 'ws', 1)}/ws?episode_id={episode_id}", max_size=2**25
    ) as other:
        state = ask(other, "state")
        opened = ask(other, "step", LIST)
    closed = httpx.post(f"{server.url}/step", json={"action": NOTHING, "episode_id": "never-begun"})

    assert (state["episode_id"], state["step_count"]) == (episode_id, 0)
    assert opened["observation"]["step"] == 1
    assert (closed.status_code, closed.json()["type"]) == (404, "episode_unknown")


def test_more_windows_than_the_limit_are_refused_until_one_is_closed(stack: Status) -> None:
    with browser_server(stack, "--limit", "1") as server:
        began = httpx.post(f"{server.url}/reset", json=TASK, timeout=PATIENCE_S).json()
        refused = httpx.post(f"{server.url}/reset", json=TASK, timeout=PATIENCE_S)
        step = {"action": {"type": "abandon"}, "episode_id": began["metadata"]["episode_id"]}
        abandoned = httpx.post(f"{server.url}/step", json=step, timeout=PATIENCE_S).json()
        again = httpx.post(f"{server.url}/reset", json=TASK, timeout=PATIENCE_S)

    assert (refused.status_code, refused.json()["type"]) == (429, "too_many_episodes")
    assert "--limit" in refused.json()["detail"]
    assert abandoned["done"] is True
    assert again.status_code == 200


def test_a_browser_with_a_token_is_closed_to_others_and_to_foreign_pages(stack: Status) -> None:
    with browser_server(stack, COMPANYOS_TRAINER_TOKEN="a-token-of-the-stack") as server:
        health = httpx.get(f"{server.url}/health")
        without = httpx.post(f"{server.url}/reset", json=TASK)
        token = {"Authorization": "Bearer a-token-of-the-stack"}
        schema = httpx.get(f"{server.url}/schema", headers=token)

    assert (health.status_code, health.json()) == (200, {"status": "healthy"})
    assert (without.status_code, without.json()["type"]) == (401, "trainer_token_required")
    assert "screen" in schema.json()["observation"]["properties"]


@pytest.mark.parametrize("header", [{"Origin": "https://example.com"}, {"Host": "rebound.example.com"}])
def test_a_page_of_another_machine_is_refused_where_there_is_no_token(
    server: BrowserServer, header: dict[str, str]
) -> None:
    refused = httpx.post(f"{server.url}/reset", json=TASK, headers=header)

    assert (refused.status_code, refused.json()["type"]) == (403, "origin_refused")


def test_sigterm_ends_the_episodes_chromium_and_the_process(stack: Status) -> None:
    with browser_server(stack) as server, server.socket() as socket:
        episode_id = ask(socket, "reset", TASK)["metadata"]["episode_id"]
        before = server.programs()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(PATIENCE_S)

    assert (len(before), code) == (1, 0)
    assert is_closed(stack, episode_id)
    assert not any(Path(f"/proc/{pid}").exists() for pid in before)


def test_missing_parts_are_named_with_what_brings_them(stack: Status, tmp_path: Path) -> None:
    tools = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    without_chromium = run("browser", "--url", stack.url, **tools)
    without_stack = run("browser", "--home", str(tmp_path / "home"))
    unreachable = run("browser", "--url", "http://127.0.0.1:9")
    published = run("browser", "--url", stack.url, "--host", "0.0.0.0")

    assert shutil.which("chromium", path=str(tmp_path)) is None
    assert (without_chromium.returncode, without_stack.returncode) == (1, 1)
    assert INSTALL_CHROMIUM in without_chromium.stderr
    assert "companyos up" in without_stack.stderr
    assert (unreachable.returncode, "127.0.0.1:9" in unreachable.stderr) == (1, True)
    assert (published.returncode, "COMPANYOS_TRAINER_TOKEN" in published.stderr) == (2, True)
