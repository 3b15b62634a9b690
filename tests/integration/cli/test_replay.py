"""Traces played again on a live stack: equal, or different at a step that is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from orchestrator.protocol.trace import first_hash, next_hash, seal

from .conftest import CommandLine

Trace = list[dict[str, Any]]


@pytest.fixture(scope="module")
def trace(running: CommandLine) -> Trace:
    """An episode with malformed actions, faults of its own and faults put in force on the way."""
    chaos = {"preset": "bad-day", "limits": {"service": 3}}
    with CompanyosEnv(running.status.url) as env:
        oracle = Oracle(load_scenarios()["vendor_onboarding"])
        result = env.reset(seed=4, chaos=chaos, tools="scenario", rewards="sparse")
        oracle.start(result.observation)
        env.step("I would rather not.")
        env.step({"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket": 1}})
        while not result.done:
            if result.observation.step == 8:
                env.set_chaos({"preset": "papercuts", "only": ["service"]})
            result = env.step(oracle.act(result.observation))
        return env.trace()


@pytest.fixture
def replayed(running: CommandLine, tmp_path: Path) -> Callable[..., Any]:
    """Play a trace again and return what the command said."""

    def play(trace: Trace, *options: str, **environment: str) -> Any:
        file = tmp_path / "trace.json"
        file.write_text(json.dumps(trace), encoding="utf-8")
        return running("replay", str(file), *options, **environment)

    return play


def test_the_same_actions_give_the_same_hashes(trace: Trace, replayed: Callable[..., Any]) -> None:
    said = replayed(trace)

    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == (
        f"vendor_onboarding (version {trace[0]['version']}), seed 4, {len(trace) - 1} steps: "
        "played again, and every hash is equal.\n"
    )
    assert "chaos" in trace[9]


def test_json_lines_on_the_standard_input_are_played_as_well(running: CommandLine, trace: Trace) -> None:
    said = running("replay", "-", "--json", typed="\n".join(map(json.dumps, trace)))

    assert json.loads(said.stdout) == {
        "equal": True,
        "steps": len(trace) - 1,
        "trace_hash": trace[-1]["hash"],
        "step": None,
        "differences": [],
    }


def test_a_forged_trace_differs_at_the_step_that_was_forged(
    trace: Trace, replayed: Callable[..., Any]
) -> None:
    forged = [dict(record) for record in trace]
    forged[5]["reward"] = 17.0
    forged[5]["observation"] = {**forged[5]["observation"], "steps_remaining": 3, "extra": 1}

    said = replayed(with_new_hashes(forged))

    assert said.returncode == 1
    assert "steps: step 5 differs:" in said.stdout
    assert "  reward was 17.0, and is now 0.0" in said.stdout
    assert "  observation.steps_remaining was 3, and is now" in said.stdout
    assert "  observation.extra was 1, and is now missing" in said.stdout


def test_another_action_differs_from_there_on(trace: Trace, replayed: Callable[..., Any]) -> None:
    other = [dict(record) for record in trace]
    other[3]["action"] = {"type": "call_tool", "tool_name": "wait", "arguments": {}}

    said = replayed(with_new_hashes(other), "--json")

    told = json.loads(said.stdout)
    assert (said.returncode, told["equal"], told["step"]) == (1, False, 3)
    assert 1 < len(told["differences"]) <= 6


def test_an_episode_that_is_over_earlier_differs(trace: Trace, replayed: Callable[..., Any]) -> None:
    longer = [*trace, {**trace[-1], "step": len(trace)}]

    said = replayed(with_new_hashes(longer))

    assert said.returncode == 1
    assert f"step {len(trace)} differs:\n  the episode was over before this step" in said.stdout


def test_a_trace_that_was_altered_proves_nothing(trace: Trace, replayed: Callable[..., Any]) -> None:
    altered = [dict(record) for record in trace]
    altered[2]["reward"] = 5.0

    said = replayed(altered)

    assert said.returncode == 1
    assert "the file differs:\n  step 2: the record does not match its hash" in said.stdout


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"base": "0" * 32}, "the stack generates another company for these options"),
        ({"version": 1}, "the trace is of version 1 of the scenario, and the stack has"),
        ({"observation": {}}, "observation.elapsed_s was missing, and is now 0"),
    ],
)
def test_another_start_is_told_before_any_step(
    trace: Trace, replayed: Callable[..., Any], change: dict[str, Any], reason: str
) -> None:
    said = replayed(with_new_hashes([{**trace[0], **change}, *trace[1:]]))

    assert said.returncode == 1
    assert "the start differs:" in said.stdout
    assert reason in said.stdout


def test_a_trace_of_an_unknown_scenario_cannot_be_played(trace: Trace, replayed: Callable[..., Any]) -> None:
    said = replayed(with_new_hashes([{**trace[0], "scenario": "elsewhere"}, *trace[1:]]))

    assert said.returncode == 2
    assert "elsewhere" in said.stderr


def with_new_hashes(trace: Trace) -> Trace:
    """Return a trace whose hashes belong to its records, as a forger would."""
    head, *records = trace
    previous = first_hash(head)
    made = [{**head, "hash": previous}]
    for record in records:
        linked = {**record, "previous": previous}
        previous = next_hash(previous, linked)
        made.append({**linked, "hash": previous})
    return [{**made[0], "seal": seal(made[0], previous)}, *made[1:]]
