"""Traces are verified and regraded without a stack: unaltered traces pass, and alterations are reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest

from companyos.cli.audit import instance_of, rules
from companyos.evaluation.agents import OpenLoopPlan, Oracle, RandomPool, RandomSchema
from companyos.sdk.scenario import call, find
from orchestrator.audit.regrading import Rules, regraded
from orchestrator.audit.verification import broken_links
from orchestrator.protocol.trace import first_hash, next_hash, seal
from tests.command_line import run
from tests.families import SOME
from tests.sizes import size

from .play import play

#: Real time differs in every run, and is not part of any hash.
NOT_COVERED = {"took_ms"}
#: Chaos levels and options of an episode, each played by another of the agents, in a proof by all of them.
OPTIONS: list[tuple[int, dict[str, Any]]] = [
    (0, {}),
    (2, {"rewards": "progress"}),
    (4, {"reward_mode": "outcome"}),
    (5, {"rewards": "potential"}),
    (1, {"rewards": "potential", "max_steps": 2}),
    (3, {"rewards": "sparse"}),
    (5, {"rewards": "drill"}),
]
PLAYERS = ["oracle", "random calls", "random arguments"]
Trace = list[dict[str, Any]]


def audited(command: str, trace: Trace, folder: Path, **environment: str) -> tuple[int, dict[str, Any]]:
    """Run a command on a trace; return its exit code and what it printed."""
    file = folder / "trace.json"
    file.write_text(json.dumps(trace))
    done = run(command, str(file), "--json", **environment)
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def rehashed(trace: Trace) -> Trace:
    """Return a trace with every hash made anew, as whoever alters one would."""
    head, *steps = deepcopy(trace)
    head["hash"] = previous = first_hash(head)
    for record in steps:
        record["previous"] = previous
        record["hash"] = previous = next_hash(previous, record)
    return [{**head, "seal": seal(head, previous)}, *steps]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a trace, and of every empty list and object."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = list(inner)
    if not inner:
        yield path
    for key, child in inner:
        if key not in NOT_COVERED:
            yield from leaves(child, (*path, key))


def altered(trace: Trace, path: tuple[Any, ...]) -> Trace:
    """Return a trace with another value at one place."""

    def replaced(value: Any, path: tuple[Any, ...]) -> Any:
        if not path:
            return "altered" if value != "altered" else "otherwise"
        other = value.copy()
        other[path[0]] = replaced(value[path[0]], path[1:])
        return other

    other: Trace = replaced(trace, path)
    return other


@pytest.fixture(scope="module")
def services() -> Rules:
    """What the services say of themselves."""
    return rules()


@pytest.fixture(scope="module")
def failed(url: str) -> Trace:
    """The trace of an episode that failed."""
    return play(
        url, find(SOME[0]), 4, OpenLoopPlan([call("wait", seconds=60), call("finish")]), chaos=2
    ).trace


@pytest.mark.proof
@pytest.mark.parametrize("scenario", size(SOME[:1], SOME))
@pytest.mark.parametrize(
    ("chaos", "options", "agent"),
    [
        (chaos, options, agent)
        for number, (chaos, options) in enumerate(OPTIONS)
        for agent in size([PLAYERS[number % len(PLAYERS)]], PLAYERS)
    ],
)
def test_honest_traces_agree_with_their_regrading(
    url: str, services: Rules, scenario: str, chaos: int, options: dict[str, Any], agent: str
) -> None:
    player = {
        "oracle": Oracle(find(scenario)),
        "random calls": RandomPool(8),
        "random arguments": RandomSchema(8),
    }[agent]
    episode = play(url, find(scenario), 6, player, chaos=chaos, **options)

    result = regraded(episode.trace, instance_of(episode.trace[0]), services)

    assert (broken_links(episode.trace), result.differences) == ([], [])
    assert result.success == episode.grade["success"]
    assert result.episode_return == episode.grade["episode_return"]


def test_every_altered_field_of_a_trace_is_told(failed: Trace) -> None:
    assert broken_links(failed) == []

    unnoticed = [path for path in leaves(failed) if not broken_links(altered(failed, path))]

    assert unnoticed == []


@pytest.mark.parametrize("left_out", [1, -1])
def test_a_step_that_is_left_out_is_told(failed: Trace, left_out: int) -> None:
    shorter = [record for number, record in enumerate(failed) if number != left_out % len(failed)]

    assert broken_links(shorter)


def test_a_failure_made_a_success_with_new_hashes_is_told_by_regrading(failed: Trace, tmp_path: Path) -> None:
    forged = deepcopy(failed)
    last = forged[-1]
    bonus = {"name": "success", "amount": 15.0, "evidence": []}
    last.update(success=True, ledger=[*last["ledger"], bonus], reward=last["reward"] + 15)
    last["return"] += 15
    forged = rehashed(forged)

    assert audited("verify", forged, tmp_path) == (
        0,
        {**audited("verify", failed, tmp_path)[1], "trace_hash": forged[-1]["hash"]},
    )
    code, told = audited("regrade", forged, tmp_path)
    assert (code, told["intact"], told["agrees"], told["success"]) == (1, True, False, False)
    assert any("success is True" in problem for problem in told["problems"])


@pytest.mark.parametrize("name", ["reward", "return", "ledger", "done", "success", "terminated", "truncated"])
def test_regrading_tells_every_field_of_the_grade_that_was_altered(
    failed: Trace, services: Rules, name: str
) -> None:
    forged = deepcopy(failed)
    forged[1][name] = [] if name == "ledger" else 7.0 if name in ("reward", "return") else True

    differences = regraded(rehashed(forged), instance_of(failed[0]), services).differences

    assert any(difference.startswith(f"step 1: {name} is") for difference in differences)


def test_a_trace_of_another_salt_cannot_be_regraded(failed: Trace, tmp_path: Path) -> None:
    code, told = audited("regrade", failed, tmp_path, COMPANYOS_SALT="elsewhere")

    assert code == 2
    assert "COMPANYOS_SALT" in told["error"]


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "neither JSON nor JSON lines"), ("{}", "A trace is a list"), ('[{"step": 1}]', "not the head")],
)
@pytest.mark.parametrize("command", ["verify", "regrade"])
def test_invalid_trace_is_refused_without_a_traceback(
    command: str, text: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(text)

    done = run(command, str(tmp_path / "file"))

    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


async def test_json_lines_are_read_as_the_server_writes_them(url: str, tmp_path: Path) -> None:
    async with httpx.AsyncClient(base_url=url) as http:
        begun = (await http.post("/reset", json={"seed": 3})).json()
        lines = await http.get(
            f"/episodes/{begun['metadata']['episode_id']}/trace", params={"format": "jsonl"}
        )
    (tmp_path / "trace.jsonl").write_bytes(lines.content)

    for command in ("verify", "regrade"):
        done = run(command, str(tmp_path / "trace.jsonl"))

        assert done.returncode == 0, done.stderr
        assert "0 steps" in done.stdout


def test_a_code_that_also_names_mistakes_does_not_prove_a_violation() -> None:
    assert "separation_of_duties" not in rules().violations
