"""Every command on a page exists, with its options, and is run by a test, or there is a reason why none runs it."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
import typer
from typer.core import TyperGroup

from companyos.cli.app import app
from tests.integration.cli.test_page_commands import RUN
from tests.page_blocks import ROOT, Command, all_commands

#: Why a command of a page is not run as it stands by `test_page_commands`, by a pattern of the whole command. Where
#: another test runs it, or the like at another size, the reason names the test.
REASONS: Final = {
    r"git clone .*": "needs a fork of the repository",
    r"make( setup| demo| check| test| browser| wheel)?|source .*|bash \.ci/run": "is a part of .ci/run, or that itself",
    r"make coverage": "runs the tests, of which this is one",
    r"make model|python -m examples\.small_model .*": "builds a model; tests/integration/models",
    r"make image|docker .*|openssl .*docker.*|.*docker (compose|stack) .*": "needs Docker, as tests/e2e does",
    r"helm .*|kubectl .*|haproxy .*": "needs a cluster, or a program that is not installed with this package",
    r"python3 -m venv .*|(\.venv/bin/)?pip install .*|python -m playwright .*": (
        "installs; tests/adapters/test_published.py checks what is named"
    ),
    r"export .*|kill -TERM PID|printf .*|cat > .*": "only names what the reader has",
    r"curl .*trace.*": "is a route of tests/contracts/test_episodes.py",
    r"openenv .*|python deploy/make_space\.py .*": (
        "needs openenv or its hub; tests/contracts/test_openenv_static.py and tests/unit/deploy/test_make_space.py"
    ),
    r"inspect .*|vf-.*|python -m examples\.(smollm2|train_unsloth) .*": (
        "needs a framework, of which tests/adapters/test_frameworks.py plays each"
    ),
    r"tests/device/learn\.sh .*": "needs a GPU; tests/device/learn.sh",
    r"companyos run .*(--ray|--url http://10\.).*": "needs Ray or machines; tests/adapters/test_ray_run.py",
    r"companyos run .*--door .*": "needs a model; tests/integration/cli/test_run_visited.py",
    r"companyos run .*--agent openai .*": "needs a model; tests/integration/models/test_episodes.py",
    r"companyos run .*--agent mcp .*": "waits for an agent; tests/integration/cli/test_run_programs.py",
    r"companyos run --agent overlooks_absence .*": "plays 480 episodes; tests/integration/cli/test_run.py plays few",
    r".*companyos run .*TrainedPolicy .*|companyos train .*": "trains for minutes; tests/adapters/test_trainings.py",
    r"companyos report .*|companyos view .*": "shows runs of others; tests/integration/results/test_viewer_command.py",
    r"companyos leaderboard .*": "needs such a run; tests/integration/cli/test_leaderboard.py",
    r"companyos dataset .*": "plays 40 episodes and more; tests/integration/cli/test_run_exported.py plays few",
    r"companyos ladder .*": "plays 100 episodes; tests/integration/cli/test_run.py plays few",
    r"companyos (scenario|certify|attack) .*": "is of a guide; tests/scenarios/authoring/test_guide.py",
    r"companyos (verify trace|regrade forged|replay forged).*": "needs a forgery; tests/integration/cli/test_replay.py",
    r"(COMPANYOS_\S+ |OTEL_\S+ )*companyos (up|down|drain).*": (
        "starts or stops a stack; tests/integration/cli/test_start_and_stop.py"
    ),
    r"companyos router .*": "writes what HAProxy reads; tests/integration/orchestrator/test_router.py runs it",
    r"companyos (status|logs) ?.*": "needs replicas; tests/integration/cli/test_replicas.py",
    r"companyos play \S+ --browser": "opens a browser; tests/integration/cli/test_play_by_hand.py",
    r"companyos browser": "needs Chromium; tests/browser/test_browser_server.py",
}


def companyos_calls() -> Iterator[Command]:
    """Yield each call of `companyos` itself on the pages, alone."""
    for command in all_commands():
        for part in re.split(r" && | \| ", re.sub(r" ?>\s*\S+", "", command.text)):
            call = Command(command.page, part)
            if call.words and call.words[0] == "companyos":
                yield call


@pytest.mark.parametrize("call", list(companyos_calls()), ids=lambda call: f"{call.page}: {call.text}")
def test_a_command_on_a_page_exists_and_takes_its_options(call: Command) -> None:
    command, words = typer.main.get_command(app), call.words[1:]
    context = typer.Context(command)
    while isinstance(command, TyperGroup):
        found = command.get_command(context, words.pop(0))
        assert found is not None
        command = found

    _, left, _ = command.make_parser(typer.Context(command)).parse_args(words)

    assert left == []


def test_every_command_on_a_page_is_run_or_there_is_a_reason_why_not() -> None:
    unrun = [command.text for command in all_commands() if command.text not in RUN]

    assert [text for text in unrun if not any(re.fullmatch(pattern, text) for pattern in REASONS)] == []
    assert set(RUN) <= {command.text for command in all_commands()}
    assert [pattern for pattern in REASONS if not any(re.fullmatch(pattern, text) for text in unrun)] == []


def test_a_reason_names_tests_that_exist() -> None:
    named = [path for reason in REASONS.values() for path in re.findall(r"tests/[\w/.]+|\.ci/run", reason)]

    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
