"""Conversations of a model that calls several tools at once, recorded by a run and exported as they were held."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents import Oracle
from companyos.evaluation.agents.turn import AgentTurn
from companyos.evaluation.models import AnthropicSettings, OpenAISettings, model_agent
from companyos.evaluation.runs import AgentSpec, EpisodeTask, Run, RunFolder, RunRequest, read_run
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.export.formats import FORMATS
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.runner import RunSession
from companyos.sdk.scenario import Action, Observation, find
from tests.scripted_endpoint import Endpoint, Scripted, anthropic_message, completion, function_call

LOOK = {"tool_name": "ticketdesk_list_tickets", "arguments": {}}
FINISH = {"tool_name": "finish", "arguments": {}}
REQUEST = RunRequest(
    agent=AgentSpec("openai", "scripted", {"model": "scripted"}),
    scenarios={"vendor_onboarding": find("vendor_onboarding").version},
    seeds=(7,),
    chaos=(0,),
    repeats=2,
    concurrency=1,
)


def openai_says(text: str, *actions: Action) -> Any:
    calls = [
        function_call(action["tool_name"], json.dumps(action["arguments"]), id=f"call_{number}")
        for number, action in enumerate(actions)
    ]
    return completion(text, *calls)


def anthropic_says(text: str, *actions: Action) -> Any:
    blocks = [
        {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": action["tool_name"],
            "input": action["arguments"],
        }
        for number, action in enumerate(actions)
    ]
    return anthropic_message({"type": "text", "text": text}, *blocks)


class Speaking:
    """A model's agent whose endpoint says two calls in its first message, and two in its last."""

    def __init__(self, agent: Any, endpoint: Endpoint, said: Any, *, succeeds: bool) -> None:
        self.system_prompt, self.tools = agent.system_prompt, ()
        self._agent, self._endpoint, self._said, self._succeeds = agent, endpoint, said, succeeds
        self._oracle = Oracle(find("vendor_onboarding"))
        self._observation: Observation = {}

    async def start(self, observation: Observation) -> None:
        self._oracle.start(observation)
        self._endpoint.decides = lambda request: Scripted(self._said("I act.", *self._actions()))
        await self._agent.start(observation)
        self.tools = self._agent.tools

    async def act(self, observation: Observation) -> AgentTurn:
        self._observation = observation
        turn: AgentTurn = await self._agent.act(observation)
        return turn

    async def close(self) -> None:
        await self._agent.close()

    def _actions(self) -> Sequence[Action]:
        if not self._succeeds:
            return [LOOK, FINISH, LOOK]
        action = self._oracle.act(self._observation)
        is_last = action["tool_name"] == "finish"
        return [LOOK, action] if self._observation["step"] == 0 else [action, LOOK] if is_last else [action]


@pytest.fixture(params=["openai", "anthropic"])
async def run(request: pytest.FixtureRequest, stack_url: str, endpoint: Endpoint, tmp_path: Path) -> Run:
    """A run of two episodes, of which the first succeeds."""
    said = openai_says if request.param == "openai" else anthropic_says

    def source(task: EpisodeTask) -> Speaking:
        settings = (
            OpenAISettings(model="scripted", base_url=f"{endpoint.url}/v1")
            if request.param == "openai"
            else AnthropicSettings(model="scripted", base_url=endpoint.url)
        )
        return Speaking(model_agent(settings), endpoint, said, succeeds=task.repeat == 0)

    async with TrainerConnection(stack_url) as connection:
        with RunFolder.open(tmp_path / "run", REQUEST, {"name": "scripted"}) as folder:
            await RunSession(
                REQUEST, folder, connection, playing_here(REQUEST, "run", connection, source)
            ).play()
    return read_run(tmp_path / "run")


def rows(form: str, run: Run) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(row)) for row in FORMATS[form]([run])]


def names(message: dict[str, Any]) -> list[str]:
    return [call["function"]["name"] for call in message.get("tool_calls") or ()]


def assert_is_as_held(messages: Sequence[dict[str, Any]], *, first: int) -> None:
    """Assert that calls that were made together are one message, answered in order, up to the last message."""
    said, *answers = messages[first : first + 3]
    assert said["role"] == "assistant"
    assert said["content"] == "I act."
    assert len(said["tool_calls"]) == 2
    assert [one["role"] for one in answers] == ["tool", "tool"]
    assert [one["tool_call_id"] for one in answers] == [call["id"] for call in said["tool_calls"]]
    assert messages[-1]["role"] == "assistant"
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("form", ["sft", "openai", "hf"])
async def test_calls_that_were_made_together_are_one_message_followed_by_their_results(
    run: Run, form: str
) -> None:
    assert [record.success for record in run.episodes] == [True, False]

    (row,) = rows(form, run)

    assert_is_as_held(row["messages"], first=2)
    assert names(row["messages"][2])[0] == LOOK["tool_name"]
    assert names(row["messages"][-1]) == ["finish"]
    if form == "openai":
        assert row["parallel_tool_calls"] is True


async def test_both_sides_of_a_preference_are_as_they_were_held(run: Run) -> None:
    (row,) = rows("preferences", run)

    assert_is_as_held(row["chosen"], first=0)
    (rejected,) = row["rejected"]
    assert names(rejected) == [LOOK["tool_name"], "finish"]


async def test_every_call_keeps_its_step_in_the_trajectory(run: Run) -> None:
    for record in run.episodes:
        steps = [step for step in run.trajectory(record.key)["steps"] if step["source"] == "agent"]
        assert len(steps) == record.steps
        assert [step.get("llm_call_count") for step in steps[:2]] == [1, None]
