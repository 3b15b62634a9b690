"""Released MCP clients work against the agent API unchanged."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S
from tests.sizes import size

from .agent_calls import AgentSide, agent_in
from .client_venvs import AGENTS_SDK, FASTMCP, INSPECT, SDK1, SDK2, made_once

pytestmark = pytest.mark.proof

PROGRAMS = Path(__file__).parent / "mcp_programs"
#: A client, how it begins, and the revision that it then speaks; fastmcp does not tell.
CLIENTS = [
    pytest.param(SDK1, "sdk1.py", "auto", "2025-11-25", id="mcp 1"),
    pytest.param(SDK2, "sdk2.py", "auto", "2026-07-28", id="mcp 2"),
    pytest.param(SDK2, "sdk2.py", "legacy", "2025-11-25", id="mcp 2 with a handshake"),
    pytest.param(FASTMCP, "fast.py", "auto", None, id="fastmcp"),
    *size([], [pytest.param(AGENTS_SDK, "agents_sdk.py", "auto", None, id="OpenAI Agents SDK")]),
]
#: A call that the Agents SDK refuses by itself, because it checks what the schema requires.
INCOMPLETE: dict[str, Any] = {"tool_name": "ticketdesk_get_ticket", "arguments": {}}
CALLS: list[dict[str, Any]] = [
    {"tool_name": "ticketdesk_list_tickets", "arguments": {"limit": 2}},
    {"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-0"}},
    INCOMPLETE,
    {"tool_name": "no_such_tool", "arguments": {}},
    {"tool_name": "wait", "arguments": {"seconds": 3600}},
    {"tool_name": "finish", "arguments": {"answer": "done"}},
    {"tool_name": "ticketdesk_list_tickets", "arguments": {}},
]


def played_by(
    requirement: str, program: str, mode: str, agent: AgentSide, calls: list[dict[str, Any]] = CALLS
) -> dict[str, Any]:
    """Return what a client saw."""
    command = [made_once(requirement), PROGRAMS / program, agent.urls["mcp"], agent.token, json.dumps(calls)]
    ran = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, "MCP_MODE": mode},
    )
    assert ran.returncode == 0, ran.stderr
    report: dict[str, Any] = json.loads(ran.stdout)
    return report


@pytest.mark.parametrize(("requirement", "program", "mode", "version"), CLIENTS)
def test_a_released_client_plays_an_episode_to_its_end_and_beyond(
    url: str, requirement: str, program: str, mode: str, version: str | None
) -> None:
    calls = [call for call in CALLS if requirement != AGENTS_SDK or call is not INCOMPLETE]
    with agent_in(url, seed=5, chaos=0) as agent, agent_in(url, seed=5, chaos=0) as other:
        task = agent.http.get("/task").json()["text"]
        expected = [other.by_mcp(call) for call in calls]

        report = played_by(requirement, program, mode, agent, calls)

        assert report["tools"] == ["get_task", *other_tools(url)]
        assert [one["text"] for one in report["results"]] == [one["content"][0]["text"] for one in expected]
        assert [one["structured"] for one in report["results"]] == [
            one["structuredContent"] for one in expected
        ]
        assert [one["is_error"] for one in report["results"]] == [one["isError"] for one in expected]
        if version is not None:
            assert (report["version"], report["instructions"]) == (version, task)
            assert "ticketdesk_get_ticket" in report["reading"]
            assert "ticketdesk_update_ticket" not in report["reading"]


def other_tools(url: str) -> list[str]:
    """Return the names of the tools of an episode with all of them."""
    with agent_in(url, seed=5, chaos=0) as agent:
        return list(agent.tools)


@pytest.mark.parametrize("requirement", size([], [INSPECT]))
def test_inspect_plays_an_episode_to_its_end_and_beyond(url: str, requirement: str) -> None:
    known = [call for call in CALLS if call["tool_name"] != "no_such_tool"]
    with agent_in(url, seed=5, chaos=0) as agent, agent_in(url, seed=5, chaos=0) as other:
        expected = [other.by_mcp(call) for call in known]

        report = played_by(requirement, "inspect_tools.py", "auto", agent)

    assert report["tools"] == ["get_task", *other_tools(url)]
    assert [one["text"] for one in report["results"]] == [one["content"][0]["text"] for one in expected]
    assert [one["is_error"] for one in report["results"]] == [one["isError"] for one in expected]
