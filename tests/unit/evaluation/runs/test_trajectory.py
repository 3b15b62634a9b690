"""Trajectories in ATIF: what was said and done, in a form that Harbor reads."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.client import Observation, Result
from companyos.client.model_output import action_of
from companyos.evaluation.agents.turn import AgentTurn, Usage
from companyos.evaluation.runs import AgentSpec
from companyos.evaluation.runs.trajectory import TrajectoryWriter, call_of

from .atif import flaws
from .samples import WON

TOOL = {
    "type": "function",
    "function": {"name": "finish", "description": "End.", "parameters": {"type": "object", "properties": {}}},
}


class Agent:
    """An agent as far as a trajectory needs it."""

    def __init__(self, system_prompt: str = "You work here.") -> None:
        self.system_prompt = system_prompt
        self.tools = [TOOL]

    async def start(self, observation: Any) -> None:
        """Begin."""

    async def act(self, observation: Any) -> AgentTurn:
        """Finish."""
        return AgentTurn({"tool_name": "finish", "arguments": {}})

    async def close(self) -> None:
        """End."""


def shown(text: str, step: int = 0, error: Any = None) -> Result:
    observation = {"text": text, "step": step, "sim_now": "2030-07-18T11:00:00Z", "error": error}
    return Result(Observation(observation), -0.1 if step else None, False)


def written(*said: Any, agent: Agent | None = None, spec: AgentSpec | None = None) -> dict[str, Any]:
    """Return the trajectory of an episode in which the agent said these things."""
    chosen = agent or Agent()
    writer = TrajectoryWriter(
        spec or AgentSpec("openai", "m", {"model": "vendor/m"}), chosen, shown("Do it.")
    )
    for step, output in enumerate(said, start=1):
        turn = output if isinstance(output, AgentTurn) else AgentTurn(output)
        writer.add(turn, action_of(turn.output), shown("Done.", step))
    return writer.document(replace(WON, steps=len(said)), "run-1")


CALL = {"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1"}}


def test_an_episode_is_a_valid_trajectory() -> None:
    trajectory = written(
        AgentTurn(CALL, text="Let me look.", usage=Usage(10, 2, 4, 0.5), omitted_results=3), "No."
    )

    assert flaws(trajectory) == []
    system, user, first, second = trajectory["steps"]
    assert (system["message"], user["message"]) == ("You work here.", "Do it.")
    assert first["message"] == "Let me look."
    assert first["tool_calls"] == [
        {
            "tool_call_id": "call_3",
            "function_name": "ticketdesk_get_ticket",
            "arguments": {"ticket_id": "TD-1"},
        }
    ]
    assert first["observation"]["results"] == [{"source_call_id": "call_3", "content": "Done."}]
    assert first["metrics"] == {
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "cached_tokens": 4,
        "cost_usd": 0.5,
    }
    assert first["extra"]["omitted_results"] == 3
    assert second["message"] == "No."
    assert second["observation"]["results"] == [{"content": "Done."}]
    assert "tool_calls" not in second


def test_a_trajectory_says_who_played_and_what_came_of_it() -> None:
    trajectory = written(CALL)

    assert trajectory["agent"]["model_name"] == "vendor/m"
    assert trajectory["agent"]["tool_definitions"] == [TOOL]
    assert (trajectory["session_id"], trajectory["trajectory_id"]) == ("run-1", WON.key)
    assert trajectory["final_metrics"]["extra"] == {
        "ended": "finished",
        "success": True,
        "return": 15.3,
        "trace_hash": WON.trace_hash,
    }
    assert trajectory["final_metrics"]["total_steps"] == 3


def test_a_program_has_neither_system_prompt_nor_model() -> None:
    trajectory = written(CALL, agent=Agent(""), spec=AgentSpec("oracle", "oracle"))

    assert flaws(trajectory) == []
    assert [step["source"] for step in trajectory["steps"]] == ["user", "agent"]
    assert "model_name" not in trajectory["agent"]
    assert "metrics" not in trajectory["steps"][1]


@pytest.mark.parametrize(
    ("said", "name", "arguments"),
    [
        (CALL, "ticketdesk_get_ticket", {"ticket_id": "TD-1"}),
        ({"tool_name": "wait", "arguments": '{"seconds": 60}'}, "wait", {"seconds": 60}),
        ({"tool_name": "wait", "arguments": "{broken"}, "wait", {"raw": "{broken"}),
        ({"tool_name": "wait", "arguments": "[1]"}, "wait", {"raw": [1]}),
        ({"tool_name": "finish"}, "finish", {}),
        (
            {"app": "ticketdesk", "method": "get_ticket", "params": {"a": 1}},
            "ticketdesk_get_ticket",
            {"a": 1},
        ),
        ({"type": "list_tools"}, "list_tools", {}),
        ('{"tool_name": "finish", "arguments": {}}', "finish", {}),
    ],
)
def test_every_spelling_of_an_action_is_a_call(said: Any, name: str, arguments: Any) -> None:
    call = call_of(action_of(said), "call_1")

    assert call == {"tool_call_id": "call_1", "function_name": name, "arguments": arguments}
    assert flaws(written(said)) == []


@pytest.mark.parametrize("said", ["I give up", None, 3, ["a"], {"thought": "hm"}])
def test_output_without_a_call_is_a_message(said: Any) -> None:
    assert call_of(action_of(said), "call_1") is None
    assert flaws(written(said)) == []


def test_errors_are_on_record() -> None:
    writer = TrajectoryWriter(AgentSpec("oracle", "oracle"), Agent(), shown("Do it."))
    error = {
        "error_type": "execution_error",
        "code": "ticket_not_found",
        "message": "No.",
        "retryable": False,
    }
    writer.add(AgentTurn(CALL), CALL, shown("No.", 1, error))

    trajectory = writer.document(WON, "run-1")

    assert trajectory["steps"][-1]["extra"]["error"] == error
    assert flaws(trajectory) == []


def test_the_rules_find_what_is_wrong() -> None:
    right = written(CALL)
    twice, orphan, foreign = (written(CALL) for _ in range(3))
    twice["steps"][1]["step_id"] = 1
    orphan["steps"][2]["observation"]["results"][0]["source_call_id"] = "call_9"
    foreign["steps"][0]["metrics"] = {}

    assert flaws(right) == []
    for wrong in (twice, orphan, foreign, {**right, "mood": "good"}, {**right, "steps": []}):
        assert len(flaws(wrong)) == 1
