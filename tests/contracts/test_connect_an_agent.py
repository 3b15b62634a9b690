"""The page on connecting an agent is true: its code runs as it stands, and its tables name what there is."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.embedded.home import Home
from orchestrator.http.agent_api.app import ROUTES
from tests.patience import PATIENCE_S
from tests.scripted_endpoint import Scripted, completion, function_call, scripted_endpoint
from tests.sizes import size

from .agent_calls import agent_in
from .client_venvs import AGENTS_SDK, LANGCHAIN, PYDANTIC_AI, SMOLAGENTS, made_once
from .conftest import ELSEWHERE

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "connect-an-agent.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_trainers_and_the_agents_code_play_an_episode(
    url: str, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if ELSEWHERE in os.environ:
        pytest.skip("the stack under test is another machine's")
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))
    start, rest, grade = (block for block in CODE if "pip install" not in block)
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
    program.write_text(program_of("mcp>=2"))

    with agent_in(url, seed=7, chaos=0) as agent:
        task = agent.http.get("/task").json()["text"]
        access = {"AGENT_URL": agent.urls["mcp"], "AGENT_TOKEN": agent.token}
        ran = subprocess.run(
            [str(made_once("mcp==2.*")), str(program)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env={**os.environ, **access},
        )
        assert ran.returncode == 0, ran.stderr
        assert agent.http.get("/task").status_code == 401

    assert task in ran.stdout
    assert "ticketdesk_get_ticket" in ran.stdout


@pytest.mark.parametrize(
    ("framework", "requirement"),
    [
        ("smolagents", SMOLAGENTS),
        # Each takes half a gigabyte and half a minute.
        *size(
            [],
            [("LangChain", LANGCHAIN), ("OpenAI Agents SDK", AGENTS_SDK), ("Pydantic AI", PYDANTIC_AI)],
        ),
    ],
)
@pytest.mark.proof
async def test_a_framework_that_hides_instructions_shows_its_model_the_task(
    url: str, tmp_path: Path, framework: str, requirement: str
) -> None:
    python = made_once(requirement)
    program = tmp_path / "agent.py"
    program.write_text(program_of(framework))

    async with scripted_endpoint() as model:
        model.decides = finish_once
        with agent_in(url, seed=7, chaos=0) as agent:
            task = agent.http.get("/task").json()["text"]
            ran = await asyncio.to_thread(
                subprocess.run,
                [str(python), str(program)],
                capture_output=True,
                text=True,
                timeout=240,
                env={
                    **os.environ,
                    "AGENT_URL": agent.urls["mcp"],
                    "AGENT_TOKEN": agent.token,
                    "OPENAI_BASE_URL": model.url,
                    "OPENAI_API_KEY": "none",
                    "OPENAI_AGENTS_DISABLE_TRACING": "1",
                },
            )
            assert ran.returncode == 0, ran.stderr
            assert agent.http.get("/task").status_code == 401
        with CompanyosEnv(url) as env:
            assert len(env.trace(agent.episode_id)) == 2

    # Each framework shows the text in a form of its own: as content, as parts of it, or within a longer text.
    assert json.dumps(task)[1:200] in json.dumps(model.requests[0]["messages"])
    assert "I only looked around." in ran.stdout


def finish_once(request: dict[str, Any]) -> Scripted:
    """Return the call that ends the episode, and then the answer that ends the conversation."""
    last = "I only looked around."
    names = {tool["function"]["name"] for tool in request["tools"]}
    assert {"get_task", "finish"} <= names
    if all("finish" not in json.dumps(each.get("tool_calls") or []) for each in request["messages"]):
        return Scripted(completion(None, function_call("finish", json.dumps({"answer": last}))))
    if "final_answer" in names:
        return Scripted(completion(None, function_call("final_answer", json.dumps({"answer": last}), id="b")))
    return Scripted(completion(last))


def program_of(framework: str) -> str:
    """Return the program of the page that begins with the installation of a framework."""
    [found] = [block for block in CODE if framework in block.partition("\n")[0]]
    return found


def test_the_page_names_the_routes_there_are() -> None:
    named = set(re.findall(r"`(/[a-z]+)`", PAGE))

    assert named - {"/ticketdesk", "/datahub", "/approvalflow", "/agent"} <= {route.path for route in ROUTES}
