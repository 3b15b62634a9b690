"""Recorded runs, and what the rows made of them have in common."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.client.model_output import action_of
from companyos.evaluation.agents.turn import AgentTurn
from companyos.evaluation.runs import AgentSpec, Run, RunFolder, read_run
from companyos.evaluation.runs.trajectory import TrajectoryWriter

from .samples import REQUEST, record
from .test_trajectory import Agent, shown

FINISH = {"tool_name": "finish", "arguments": {"summary": "Done"}}
#: What an agent says in an episode of a seed and a repetition, and whether it succeeds.
Played = tuple[int, int, list[Any], bool]
Make = Callable[..., Run]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a run and reads it."""

    def made(
        *episodes: Played,
        spec: AgentSpec = REQUEST.agent,
        agent: Agent | None = None,
        scenario: str = "one",
    ) -> Run:
        path = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        chosen = agent or Agent("")
        with RunFolder.open(path, replace(REQUEST, agent=spec), {"name": spec.name}) as folder:
            for seed, repeat, said, success in episodes:
                writer = TrajectoryWriter(spec, chosen, shown(f"Task {seed}."))
                for step, output in enumerate(said, start=1):
                    writer.add(
                        AgentTurn(output, text="Hm.", reasoning="Sh."),
                        action_of(output),
                        shown(f"Result {step}.", step),
                    )
                one = record(seed, repeat=repeat, scenario=scenario, success=success, steps=len(said))
                folder.keep(one, writer.document(one, "run"), None)
        return read_run(path)

    return made


def types_in(rows: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return the types of every place in rows; an object's type is its fields, except of messages and rows.

    A field that a message of one role lacks reads as null, which it means. Of other objects nothing may be missing.
    """
    types: dict[str, set[str]] = {}

    def visit(value: Any, path: str) -> None:
        if isinstance(value, dict):
            is_message = "role" in value or not path
            types.setdefault(path, set()).add("message" if is_message else f"object of {sorted(value)}")
            for name, part in value.items():
                visit(part, f"{path}.{name}")
        elif isinstance(value, list):
            types.setdefault(path, set()).add("list")
            for part in value:
                visit(part, f"{path}[]")
        elif value is not None:
            types.setdefault(path, set()).add(type(value).__name__)

    for row in rows:
        visit(row, "")
    return types
