"""Secrets of a running stack stay out of its logs, its answers and its command lines, whatever fails."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.patience import PATIENCE_S

from .conftest import CommandLine, closing_home, kill, wait_until

TOKENS = {
    "COMPANYOS_TRAINER_TOKEN": "zq-trainer-token-of-a-secret-test",
    "COMPANYOS_OPERATOR_TOKEN": "zq-operator-token-of-a-secret-test",
    "COMPANYOS_ROLLOUT_TOKEN": "zq-rollout-token-of-a-secret-test",
    "COMPANYOS_GRADER_TOKEN": "zq-grader-token-of-a-secret-test",
    "COMPANYOS_VALIDATION_TOKEN": "zq-validation-token-of-a-secret-test",
    "COMPANYOS_SALT": "zq-salt-of-a-secret-test",
}
TRAINER = TOKENS["COMPANYOS_TRAINER_TOKEN"]
KEPT = ["context_key", "admin_token", "ticketdesk", "datahub", "approvalflow", "orchestrator"]
BROKEN: list[dict[str, Any]] = [
    {"content": b"{"},
    {"content": b"\xff"},
    {"content": b"[]"},
    {"content": b""},
    {"json": {"action": 5, "seed": "many", "chaos": "much", "scenario": []}},
    {"content": b"x" * 300_000},
]


class Caller:
    """Makes calls that fail, and keeps every answer."""

    def __init__(self, stack: CommandLine, http: httpx.Client) -> None:
        self.answers: list[str] = []
        self._stack = stack
        self._http = http
        http.event_hooks["response"] = [self._keep]
        begun = httpx.post(
            f"{self._trainer_api}/reset", json={"seed": 1}, headers=_bearer(TRAINER), timeout=60
        )
        self.begun: dict[str, Any] = begun.raise_for_status().json()["metadata"]
        self.agent: str = self.begun["agent_token"]

    def fail(self) -> None:
        """Call every listener with wrong credentials, right ones in wrong places, and broken bodies."""
        agent_api, services = self.begun["agent_urls"]["rest"], self._stack.status.addresses
        wrong = [TRAINER[:-1], f"{TRAINER}x", self.agent[:-1], f"{self.agent}x"]
        for token in (*wrong, self.agent, TRAINER):
            for url in (f"{self._trainer_api}/episodes/none", f"{agent_api}/task", f"{agent_api}/nowhere"):
                self._get(url, headers=_bearer(token))
                self._get(url, params={"token": token, "authorization": token})
                self._get(url, headers={"Authorization": token, "X-Token": token, "Cookie": f"token={token}"})
            for name in ("ticketdesk", "datahub", "approvalflow"):
                self._get(f"{services[name]}/admin/manifest", headers=_bearer(token))
                self._get(f"{services[name]}/metrics", headers=_bearer(token))
        for body in BROKEN:
            for path in ("reset", "step", "snapshots", "nowhere"):
                self._post(f"{self._trainer_api}/{path}", headers=_bearer(TRAINER), **body)
            for path in ("wait", "mcp", "finish/", "ticketdesk/tickets"):
                self._post(f"{agent_api}/{path}", headers=_bearer(self.agent), **body)
        self._refused_socket()
        self._misplaced()

    def play(self) -> None:
        """Play one call as the trainer and one as the agent."""
        step = {"episode_id": self.begun["episode_id"], "action": {"tool_name": "ticketdesk_list_tickets"}}
        self._post(f"{self._trainer_api}/step", headers=_bearer(TRAINER), json=step)
        self._get(f"{self.begun['agent_urls']['rest']}/ticketdesk/tickets", headers=_bearer(self.agent))
        self._get(f"{self._trainer_api}/ready")

    @property
    def _trainer_api(self) -> str:
        return self._stack.status.url

    def _refused_socket(self) -> None:
        url = self._trainer_api.replace("http", "ws")
        for token in (f"{TRAINER}x", self.agent):
            with pytest.raises(WebSocketException) as caught:
                connect(f"{url}/ws?token={token}", additional_headers=_bearer(token), proxy=None)
            self.answers.append(str(caught.value))

    def _misplaced(self) -> None:
        # Not kept: the answer to who sent it may repeat it, and no log may.
        for token in (TRAINER, self.agent):
            body = {"seed": token, "scenario": token, "episode_id": [token], token: token}
            httpx.post(f"{self._trainer_api}/reset", headers=_bearer(TRAINER), json=body, timeout=PATIENCE_S)

    def _get(self, url: str, **options: Any) -> None:
        self._http.get(url, **options)

    def _post(self, url: str, **options: Any) -> None:
        self._http.post(url, **options)

    def _keep(self, answer: httpx.Response) -> None:
        answer.read()
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.answers.append(f"{answer.status_code}\n{headers}\n{answer.text}")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """A command line whose stack has every kind of token, and logs all that it can."""
    with closing_home(tmp_path_factory.mktemp("locked")) as command_line:
        started = command_line("up", "--detach", COMPANYOS_LOG_LEVEL="debug", **TOKENS)
        assert started.returncode == 0, started.stderr
        yield command_line


@pytest.fixture(scope="module")
def caller(locked: CommandLine) -> Iterator[Caller]:
    """A trainer and an agent whose calls have failed in many ways, with and without an outage."""
    with httpx.Client(timeout=PATIENCE_S) as http:
        caller = Caller(locked, http)
        caller.fail()
        caller.play()
        os.kill(locked.pid("Valkey"), signal.SIGSTOP)
        kill(locked.pid("ticketdesk"))
        kill(locked.pid("PostgreSQL"))
        caller.play()
        caller.fail()
        kill(locked.pid("orchestrator"))
        wait_until(lambda: bool(locked.json("status")["healthy"]))
        caller.play()
        yield caller


def test_logs_hold_no_secret(locked: CommandLine, caller: Caller) -> None:
    logs = {path.name: path.read_text(errors="replace") for path in log_files(locked.home.path)}

    assert {"stack.log", "orchestrator.log", "ticketdesk.log", "postgres.log"} <= logs.keys()
    assert "service_unavailable" in "".join(caller.answers)
    assert [name for name, text in logs.items() if not text] == []
    assert [
        (name, secret) for name, text in logs.items() for secret in secrets_in(text, locked, caller)
    ] == []


def test_answers_hold_no_secret(locked: CommandLine, caller: Caller) -> None:
    statuses = {int(answer[:3]) for answer in caller.answers if answer[:3].isdecimal()}

    assert {401, 404, 413, 422, 503} <= statuses
    assert [
        (answer, found) for answer in caller.answers if (found := secrets_in(answer, locked, caller))
    ] == []


@pytest.mark.parametrize("arguments", [("status",), ("status", "--json"), ("up",), ("logs", "orchestrator")])
def test_commands_print_no_secret(locked: CommandLine, caller: Caller, arguments: tuple[str, ...]) -> None:
    printed = locked(*arguments, **TOKENS)

    assert secrets_in(printed.stdout + printed.stderr, locked, caller) == []


def test_command_lines_of_processes_hold_no_secret(locked: CommandLine, caller: Caller) -> None:
    lines = [Path(f"/proc/{pid}/cmdline").read_text() for pid in locked.all_pids()]

    assert all(lines)
    assert secrets_in("".join(lines), locked, caller) == []


def secrets_in(text: str, stack: CommandLine, caller: Caller) -> list[str]:
    """Return the names of the secrets that a text holds."""
    secrets = {**TOKENS, **stack.home.secrets(KEPT), "agent_token": caller.agent}
    return [name for name, secret in secrets.items() if secret in text]


def log_files(home: Path) -> list[Path]:
    """Return the logs of a home, those that were set aside included."""
    return [path for path in home.rglob("*") if path.is_file() and ".log" in path.name]


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
