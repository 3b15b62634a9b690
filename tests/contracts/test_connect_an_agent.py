"""The page on connecting an agent is true: its code runs as it stands, and its tables name what there is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from companyos.embedded.home import Home
from orchestrator.http.agent_api.app import ROUTES

from .agent_calls import agent_in
from .client_venvs import made_once
from .conftest import ELSEWHERE

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "connect-an-agent.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_trainers_and_the_agents_code_play_an_episode(
    url: str, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if ELSEWHERE in os.environ:
        pytest.skip("the stack under test is another machine's")
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))
    start, _, rest, grade = CODE
    names: dict[str, Any] = {}

    for block in (start, rest, grade):
        exec(block, names)

    assert names["env"].base_url == url
    assert names["note"].status_code == 201
    assert names["missing"].json()["type"] == "ticket_unknown"
    assert names["grade"]["success"] is False
    assert names["result"].observation["text"] in capsys.readouterr().out
    names["agent"].close()
    names["env"].close()


def test_the_code_for_mcp_plays_an_episode(url: str, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(CODE[1])

    with agent_in(url, seed=7, chaos=0) as agent:
        task = agent.http.get("/task").json()["text"]
        access = {"AGENT_URL": agent.urls["mcp"], "AGENT_TOKEN": agent.token}
        ran = subprocess.run(
            [str(made_once("mcp==2.*")), str(program)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **access},
        )
        assert ran.returncode == 0, ran.stderr
        assert agent.http.get("/task").status_code == 401

    assert task in ran.stdout
    assert "ticketdesk_get_ticket" in ran.stdout


def test_the_page_names_the_routes_there_are() -> None:
    named = set(re.findall(r"`(/[a-z]+)`", PAGE))

    assert named - {"/ticketdesk", "/datahub", "/approvalflow", "/agent"} <= {route.path for route in ROUTES}
