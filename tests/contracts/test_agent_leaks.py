"""No byte that an agent can read on the agent API tells what only trainers and operators may know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from companyos.client import TOKEN_VARIABLE
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import CATALOG
from companyos.sdk.scenario import find
from tests.families import SOME
from tests.patience import PATIENCE_S
from tests.sizes import size

from .agent_calls import AgentSide, agent_side

TOKEN = "zq-the-trainers-own-token"
SALT = "zq-a-private-salt"
SEED = 7_319_551_843
#: Words of grading, of the fault plan and of the machinery; none of them belongs to a company's systems.
WORDS = re.compile(
    r"reward|episode|milestone|(?<!de)grade|grading|trainer|oracle|chaos|\bfault|seed|salt|trace_hash|success\b|"
    r"terminated|truncated|violation|scenario|layer|postgres|redis|valkey|traceback|footprint|penalt",
    re.IGNORECASE,
)


@dataclass
class Reading:
    """Everything that an agent's client received."""

    trainer: httpx.Client
    secrets: dict[str, str]
    bytes_read: list[bytes] = field(default_factory=list)

    def listen(self, agent: AgentSide) -> AgentSide:
        """Keep what an agent reads from now on, headers included."""
        agent.http.event_hooks["response"] = [self._keep]
        return agent

    def begin(self, **options: Any) -> dict[str, Any]:
        """Start an episode as the trainer does."""
        begun: dict[str, Any] = self.trainer.post("/reset", json=options).raise_for_status().json()
        return begun

    @property
    def text(self) -> str:
        """All of it."""
        return b"\n".join(self.bytes_read).decode()

    def _keep(self, response: httpx.Response) -> None:
        headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
        self.bytes_read += [headers.encode(), response.read()]


@pytest.fixture(scope="module")
def secret_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A trainer of a stack whose every secret is known here, and the secrets."""
    home = Home.at(tmp_path_factory.mktemp("secret"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TOKEN_VARIABLE, TOKEN)
        patch.setenv("COMPANYOS_SALT", SALT)
        with running_stack(home) as stack:
            patch.undo()
            kept = json.loads((home.path / "secrets.json").read_text())
            headers = {"Authorization": f"Bearer {TOKEN}"}
            with httpx.Client(base_url=stack.url, headers=headers, timeout=PATIENCE_S) as trainer:
                yield trainer, {**kept, "trainer token": TOKEN, "salt": SALT, "seed": str(SEED)}


@pytest.fixture
def reading(secret_stack: tuple[httpx.Client, dict[str, str]]) -> Reading:
    trainer, secrets = secret_stack
    return Reading(trainer, dict(secrets))


def assert_nothing_leaked(reading: Reading, begun: dict[str, Any]) -> None:
    """Compare everything that was read with everything that is secret about an episode."""
    text, told = reading.text, begun["metadata"]
    secrets = reading.secrets | {
        name: told[name] for name in ("episode_id", "episode_uid", "agent_token", "trace_hash")
    }
    assert text
    assert [name for name, secret in secrets.items() if secret in text] == []
    assert [str(fault) for fault in CATALOG if str(fault) in text] == []
    assert sorted({found.lower() for found in WORDS.findall(text)}) == []


@pytest.mark.proof
@pytest.mark.parametrize("level", size([3], [0, 3, 5]))
@pytest.mark.parametrize("scenario", SOME)
def test_an_agent_that_solves_a_task_learns_nothing_beside(
    reading: Reading, scenario: str, level: int
) -> None:
    options = {"scenario": scenario, "seed": SEED, "chaos": level, "tools": "all"}
    by_trainer, by_mcp, by_rest = (reading.begin(**options) for _ in range(3))
    actions = solved(reading.trainer, by_trainer, scenario)

    with agent_side(by_mcp["metadata"]) as agent:
        reading.listen(agent).rpc("initialize", protocolVersion="2025-11-25")
        agent.rpc("tools/list")
        for action in actions:
            agent.by_mcp(action)
    assert_nothing_leaked(reading, by_mcp)
    with agent_side(by_rest["metadata"]) as agent:
        reading.listen(agent).http.get("/task")
        for action in actions:
            agent.by_rest(action)
    assert_nothing_leaked(reading, by_rest)


def solved(trainer: httpx.Client, begun: dict[str, Any], scenario: str) -> list[dict[str, Any]]:
    """Return the actions with which the oracle played an episode to its end."""
    oracle, actions, answer = Oracle(find(scenario)), [], begun
    oracle.start(begun["observation"])
    while not answer["done"]:
        actions.append(oracle.act(answer["observation"]))
        step = {"episode_id": begun["metadata"]["episode_id"], "action": actions[-1]}
        answer = trainer.post("/step", json=step).raise_for_status().json()
    return actions


def test_an_agent_that_tries_every_tool_and_route_learns_nothing_beside(reading: Reading) -> None:
    begun = reading.begin(scenario="vendor_onboarding", seed=SEED, chaos=5, max_steps=1000)

    with agent_side(begun["metadata"]) as agent:
        reading.listen(agent)
        for name in agent.tools:
            if name not in ("finish", "refuse"):
                call = {"tool_name": name, "arguments": {"ticket_id": "TD-1001", "wrong": 1}}
                agent.by_mcp(call)
                agent.by_rest({**call, "arguments": {}})
        for path in ("/", "/health", "/ready", "/metrics", "/docs", "/openapi.json", "/episodes", "/state"):
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"):
                agent.http.request(method, path)
        for body in (b"", b"{", b"[]", b"{}", b"\xff", b"x" * 300_000):
            agent.http.post("/mcp", content=body)
            agent.http.post("/ticketdesk/tickets", content=body)
        agent.by_rest({"tool_name": "finish", "arguments": {}})
        agent.http.get("/task")
        agent.http.get("/task", headers={"Authorization": "Bearer nobody"})

    assert_nothing_leaked(reading, begun)
