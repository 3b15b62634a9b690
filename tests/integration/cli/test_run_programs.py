"""`companyos run --agent command`: a program over its standard input and output, and what it can reach."""

import sys
from pathlib import Path

import pytest

from companyos.evaluation.runs import EpisodeEnding, Run, read_run

from .conftest import CommandLine

PAIR = ("expense_report", "--seeds", "2", "--chaos", "0")


@pytest.fixture
def prying_agent(tmp_path: Path) -> Path:
    """A program that finishes every episode, and notes how the trainer API answers it."""
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import json, os, sys, urllib.error, urllib.request\n"
        "def status(url):\n"
        "    try:\n"
        "        return urllib.request.urlopen(url, timeout=60).status\n"
        "    except urllib.error.HTTPError as refusal:\n"
        "        return refusal.code\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    assert message['type'] in ('reset', 'step') and 'metadata' not in message\n"
        "    assert 'COMPANYOS_TRAINER_TOKEN' not in os.environ\n"
        "    url = json.load(open(os.path.join(os.environ['RUN'], 'run.json')))['stack']['url']\n"
        "    finish = {'tool_name': 'finish', 'arguments': {}}\n"
        "    said = f'The trainer API answers {status(url + \"/scenarios\")}.'\n"
        "    print(json.dumps({'action': finish, 'text': said, 'usage': {'prompt_tokens': 7}}), flush=True)\n"
    )
    return agent


def said_by_agent(run: Run) -> set[str]:
    trajectories = [run.trajectory(record.key) for record in run.episodes]
    return {step["message"] for one in trajectories for step in one["steps"] if step["source"] == "agent"}


def test_a_program_plays_on_a_stack_that_it_cannot_open(
    running: CommandLine, prying_agent: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    program = f"{sys.executable} {prying_agent}"

    played = running(
        "run", "--agent", "command", "--program", program, *PAIR, "--out", str(out), RUN=str(out)
    )

    assert played.returncode == 0, played.stderr
    run = read_run(out)
    assert run.name == "agent.py"
    assert run.request.agent.settings == {"program": program.split()}
    assert {record.ended for record in run.episodes} == {EpisodeEnding.FINISHED}
    assert {record.usage.prompt_tokens for record in run.episodes} == {7}
    assert "tokens: 14" in played.stdout
    assert said_by_agent(run) == {"The trainer API answers 401."}
    assert run.about["stack"]["url"] != running.status.url
    assert run.about["stack"]["open_trainer_api"] is False


def test_a_program_on_a_stack_that_it_can_open_is_reported(
    running: CommandLine, prying_agent: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    program = f"{sys.executable} {prying_agent}"
    command = ("run", "--agent", "command", "--program", program, *PAIR, "--out", str(out))

    played = running(*command, "--url", running.status.url, RUN=str(out))

    assert "Anybody can use the trainer API" in " ".join(played.stderr.split())
    assert said_by_agent(read_run(out)) == {"The trainer API answers 200."}
    assert read_run(out).about["stack"]["open_trainer_api"] is True
