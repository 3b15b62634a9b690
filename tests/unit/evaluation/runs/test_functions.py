"""Agents that are Python code, as `module:callable` names them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, Usage
from companyos.evaluation.runs import EpisodeTask
from companyos.evaluation.runs.players.functions import CodeUnusable, code_source
from tests.patience import PATIENCE_S

from . import user_agents

TASK = EpisodeTask("one", 0, 0, 0)
MODULE = user_agents.__name__
OBSERVATION: dict[str, Any] = {
    "text": "Get it approved.",
    "tools": [{"name": "finish", "description": "End.", "input_schema": {"type": "object"}}],
}


async def first_turn(name: str) -> AgentTurn:
    agent = code_source(f"{MODULE}:{name}")(TASK)
    await agent.start(OBSERVATION)
    try:
        return await agent.act(OBSERVATION)
    finally:
        await agent.close()


@pytest.mark.parametrize("name", ["plain", "waiting", "Place.inner"])
async def test_a_function_is_an_agent(name: str) -> None:
    assert await first_turn(name) == AgentTurn(user_agents.FINISH)


async def test_arguments_with_defaults_are_left_alone() -> None:
    assert (await first_turn("with_an_option")).output["arguments"] == {"mood": "good"}


async def test_a_class_makes_an_agent_for_every_episode() -> None:
    source, closed = code_source(f"{MODULE}:Counting"), user_agents.Counting.closed
    first, second = source(TASK), source(TASK)
    for agent in (first, second):
        await agent.start(OBSERVATION)

    turns = [await first.act(OBSERVATION), await first.act(OBSERVATION), await second.act(OBSERVATION)]
    await first.close()

    assert [turn.text for turn in turns] == ["1", "2", "1"]
    assert turns[0].usage == Usage(1, 2)
    assert first.system_prompt == "Count."
    assert first.tools[0]["function"]["name"] == "finish"
    assert user_agents.Counting.closed == closed + 1


async def test_exception_of_an_agent_is_an_agent_error() -> None:
    with pytest.raises(AgentFailed, match="KeyError: 'nothing'"):
        await first_turn("broken")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("exiting", "SystemExit: no budget left"),
        ("exiting_silently", "SystemExit"),
        ("exiting_later", "SystemExit: 3"),
        ("at_the_end_of_a_plan", "StopIteration"),
        ("closing", "GeneratorExit"),
        ("cancelling", "CancelledError"),
    ],
)
async def test_code_that_ends_itself_is_an_agent_error(name: str, told: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(AgentFailed, match=f"^{told}$"):
            await first_turn(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("broken_factory", "OSError: no key"),
        ("exiting_factory", "SystemExit: no key"),
        ("factory_of_nothing", "has no method `act`"),
    ],
)
async def test_an_agent_that_cannot_be_made_is_an_agent_error(name: str, told: str) -> None:
    with pytest.raises(AgentFailed, match=told):
        await first_turn(name)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("plain", "does not name a callable"),
        (":plain", "does not name a callable"),
        ("no_such_module:act", "cannot be imported"),
        (f"{MODULE}:nothing", "has no nothing"),
        (f"{MODULE}:NO_CODE", "is not callable"),
        (f"{MODULE}:two", "needs 2 arguments"),
    ],
)
def test_invalid_agent_target_is_refused(target: str, told: str) -> None:
    with pytest.raises(CodeUnusable, match=told):
        code_source(target)


async def test_code_is_found_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lying_here.py").write_text("def act(observation):\n    return 'here'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])

    agent = code_source("lying_here:act")(TASK)

    assert (await agent.act(OBSERVATION)).output == "here"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def act(:", r"SyntaxError: .*unusable\.py, line 1"),
        ("import sys\nsys.exit('no key')", r"SystemExit: no key \(.*unusable\.py:2\)"),
        ("{}['nothing']", r"KeyError: 'nothing' \(.*unusable\.py:1\)"),
        ("None.nothing", r"AttributeError: .*unusable\.py:1\)"),
        ("import no_such_module", "No module named 'no_such_module'"),
    ],
)
def test_code_that_cannot_be_imported_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, told: str
) -> None:
    (tmp_path / "unusable.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(CodeUnusable, match=f"^unusable cannot be imported: {told}"):
        code_source("unusable:act")
