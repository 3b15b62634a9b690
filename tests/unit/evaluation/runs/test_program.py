"""Agents that are programs: real ones, of every kind of failure."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, Usage
from companyos.evaluation.runs.players.program import MOST_BYTES, ProgramPlayer, turn_of

OBSERVATION: dict[str, Any] = {
    "text": "Get it approved.",
    "tools": [
        {"name": "finish", "description": "End.", "input_schema": {"type": "object", "properties": {}}}
    ],
    "step": 0,
}
FINISH = {"tool_name": "finish", "arguments": {}}

ECHO = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    said = f"{message['type']} {sorted(message)} {message['observation']['step']}"
    action = {"tool_name": "finish", "arguments": {}}
    print(json.dumps({"action": action, "text": said, "usage": {"prompt_tokens": 3, "cost_usd": 0.5}}), flush=True)
"""


def program(source: str) -> ProgramPlayer:
    return ProgramPlayer([sys.executable, "-c", source])


async def first_turn(player: ProgramPlayer) -> AgentTurn:
    await player.start(OBSERVATION)
    try:
        return await player.act(OBSERVATION)
    finally:
        await player.close()


async def test_a_program_reads_the_reset_with_its_tools_and_then_every_step() -> None:
    player = program(ECHO)
    await player.start(OBSERVATION)

    first = await player.act(OBSERVATION)
    second = await player.act({**OBSERVATION, "step": 1})
    await player.close()

    assert first == AgentTurn(FINISH, "reset ['observation', 'tools', 'type'] 0", Usage(3, cost_usd=0.5))
    assert second.text == "step ['observation', 'type'] 1"
    assert player.tools[0]["function"]["name"] == "finish"


async def test_a_program_is_a_new_one_for_every_episode() -> None:
    source = 'import os\nwhile True: input(); print(\'{"tool_name": "p%s"}\' % os.getpid(), flush=True)'

    assert (await first_turn(program(source))).output != (await first_turn(program(source))).output


async def test_the_trainers_token_is_not_in_a_programs_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_TRAINER_TOKEN", "hush")
    source = "import os\ninput(); print(os.environ.get('COMPANYOS_TRAINER_TOKEN', 'none'))"

    assert (await first_turn(program(source))).output == "none"


async def test_a_program_that_dies_is_quoted() -> None:
    with pytest.raises(AgentFailed, match=r"exit code 3: ValueError: no key"):
        await first_turn(
            program("import sys; input(); print('ValueError: no key', file=sys.stderr); sys.exit(3)")
        )


async def test_a_program_that_dies_before_it_reads_is_an_agent_error() -> None:
    with pytest.raises(AgentFailed, match="exit code 1"):
        await first_turn(program("raise SystemExit(1)"))


async def test_half_a_line_is_no_answer() -> None:
    with pytest.raises(AgentFailed, match="exit code 0"):
        await first_turn(program("input(); print('{', end='', flush=True)"))


async def test_a_program_that_closes_its_output_and_lives_on_is_an_agent_error() -> None:
    with pytest.raises(AgentFailed, match="closed its output"):
        await first_turn(program("import os, time; os.close(1); time.sleep(600)"))


async def test_an_endless_answer_is_an_agent_error() -> None:
    with pytest.raises(AgentFailed, match="more than"):
        await first_turn(program(f"input(); print('x' * {3 * MOST_BYTES})"))


async def test_a_program_that_does_not_exist_is_an_agent_error() -> None:
    with pytest.raises(AgentFailed, match="cannot be started"):
        await ProgramPlayer(["/nowhere/agent"]).start(OBSERVATION)


async def test_a_program_ends_with_what_it_has_started(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "input(); print(child.pid, flush=True); time.sleep(600)"
    )

    pid = (await first_turn(program(source))).output

    # The kill has been sent; the system may take a moment to carry it out.
    while is_running(int(pid)):
        await asyncio.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_program_that_floods_its_standard_error_does_not_block() -> None:
    source = "import sys\ninput(); sys.stderr.write('e' * 1_000_000); print('{}')"

    assert (await first_turn(program(source))).output == {}


@pytest.mark.parametrize(
    ("line", "output"),
    [
        (b'{"tool_name": "finish", "arguments": {}}\n', FINISH),
        (b'{"action": {"tool_name": "finish", "arguments": {}}}\n', FINISH),
        (b'{"action": "I give up", "omitted_results": 2}\n', "I give up"),
        (b"I give up\n", "I give up"),
        (b"[1]\n", "[1]"),
        (b"\xff\n", "\ufffd"),
        (b'"\xff"\n', '"\ufffd"'),
    ],
)
def test_a_line_is_an_action_or_what_the_program_said(line: bytes, output: Any) -> None:
    assert turn_of(line).output == output


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (b"null", Usage()),
        (b"3", Usage()),
        (b'{"prompt_tokens": -1, "completion_tokens": 7}', Usage(0, 7)),
        (b'{"prompt_tokens": 9.0, "completion_tokens": "7", "cached_tokens": true}', Usage(9, 7)),
        (b'{"prompt_tokens": NaN, "completion_tokens": Infinity, "cost_usd": NaN}', Usage()),
        (b'{"prompt_tokens": null, "cost_usd": "much"}', Usage()),
        (b'{"cost_usd": 0.5}', Usage(cost_usd=0.5)),
        (b'{"prompt_tokens": 1e999, "completion_tokens": [1]}', Usage()),
    ],
)
def test_a_usage_that_makes_no_sense_never_costs_the_call(reported: bytes, usage: Usage) -> None:
    turn = turn_of(
        b'{"action": {"tool_name": "finish", "arguments": {}}, "usage": %s, "omitted_results": 1.5}'
        % reported
    )

    assert turn == AgentTurn(FINISH, usage=usage)


@pytest.mark.parametrize("half", [b"\\ud83d", b"\xf0\x9f", b"\xff"])
def test_half_a_character_in_what_a_program_says_never_costs_the_call(half: bytes) -> None:
    turn = turn_of(b'{"action": {"tool_name": "finish", "arguments": {}}, "text": "I end %s"}\n' % half)

    assert turn.output == FINISH
    assert turn.text.startswith("I end ")
    turn.text.encode()
