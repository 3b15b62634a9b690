"""`companyos run --agent mcp`: an agent that comes by itself, told where by the command's output."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from companyos.evaluation.runs import EpisodeEnding, read_run
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S
from tests.sizes import whole_proof

from .conftest import CommandLine

SCENARIO = "expense_report"


def called(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_name": tool, "arguments": arguments}


WAIT = called("wait", seconds=60)


def begun(running: CommandLine, out: Path, *options: str) -> "subprocess.Popen[str]":
    """Start a run that waits for agents."""
    command = ("run", "--agent", "mcp", SCENARIO, "--chaos", "0", "--out", str(out), *options)
    return subprocess.Popen(
        stackpath.program(*command),
        cwd=running.home.path,
        env=stackpath.environment(COMPANYOS_HOME=str(running.home.path), PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def announced(process: "subprocess.Popen[str]") -> Iterator[tuple[str, str, str]]:
    """Yield the key, the URL and the token of every episode as it is announced."""
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.fullmatch(r"(\S+) (http://\S+/mcp) (\S+)\n", line):
            yield match[1], match[2], match[3]


class Client:
    """The plainest MCP client."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}

    def play(self, action: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and return the observation."""
        params = {"name": action["tool_name"], "arguments": action["arguments"]}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        with httpx.Client(headers=self._headers, trust_env=False, timeout=PATIENCE_S) as http:
            answer = http.post(self._url, json=message).raise_for_status().json()
        observation: dict[str, Any] = answer["result"]["structuredContent"]
        return observation


def test_external_client_with_the_token_plays_and_the_run_records_it(
    running: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    process = begun(running, out, "--seeds", "2", "--concurrency", "1")
    with process:
        tokens = []
        for key, url, token in announced(process):
            client = Client(url, token)
            for action in (WAIT, called("no_such_tool"), called("finish")):
                client.play(action)
            tokens.append(token)
            assert key.startswith(f"{SCENARIO}-c0-s")
        assert process.wait(60) == 0

    run = read_run(out)
    assert len(tokens) == len(run.episodes) == 2
    for record in run.episodes:
        assert (record.ended, record.success, record.steps) == (EpisodeEnding.FINISHED, False, 3)
        assert record.refused_calls == 1
        names = [
            s["tool_calls"][0]["function_name"]
            for s in run.trajectory(record.key)["steps"]
            if "tool_calls" in s
        ]
        assert names == ["wait", "no_such_tool", "finish"]
        assert running("verify", str(out / "traces" / f"{record.key}.jsonl")).returncode == 0
    assert all(token not in path.read_text() for token in tokens for path in out.rglob("*.*"))


@whole_proof
def test_a_visitor_has_a_budget_of_steps_too(running: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with begun(running, out, "--seeds", "1", "--max-steps", "2") as process:
        for _, url, token in announced(process):
            client = Client(url, token)
            client.play(WAIT)
            client.play(WAIT)
        assert process.wait(60) == 0

    (record,) = read_run(out).episodes
    assert (record.ended, record.steps) == (EpisodeEnding.BUDGET, 2)


def test_an_episode_that_nobody_plays_is_an_agent_error_and_announced_beside_the_document(
    running: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with begun(running, out, "--seeds", "1", "--turn-timeout", "0.5", "--json") as process:
        shown, told = process.communicate(timeout=PATIENCE_S)

    (record,) = read_run(out).episodes
    assert process.returncode == 1  # no episode was played
    assert record.ended is EpisodeEnding.AGENT_ERROR
    assert record.agent_error == "nobody took a step for 0.5 s"
    assert shown.startswith("{")
    assert "/mcp cosagent_" in told
