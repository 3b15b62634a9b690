"""Whole episodes of models on a running stack: one that knows the way succeeds, and every other one fails by itself."""

import json
from typing import Any

import pytest

from companyos.evaluation.agents import Oracle
from companyos.evaluation.agents.turn import AsyncAgent
from companyos.evaluation.models import AnthropicSettings, OpenAISettings, model_agent
from companyos.sdk.scenario import Action, find
from tests.scripted_endpoint import Endpoint, Scripted, anthropic_message, completion, function_call
from tests.sizes import size

from .episodes import play
from .recording import RECIPES, read

pytestmark = pytest.mark.proof

RESET: dict[str, Any] = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 0}
SCENARIOS = size(
    ("vendor_onboarding",),
    ("vendor_onboarding", "expense_report", "bug_escalation", "license_renewal", "handbook_update"),
)


def native(action: Action) -> Any:
    return completion(None, function_call(action["tool_name"], json.dumps(action["arguments"])))


def in_text(action: Action) -> Any:
    return completion(f"The next step is clear.\n```json\n{json.dumps(action)}\n```")


def in_blocks(action: Action) -> Any:
    return anthropic_message(
        {"type": "tool_use", "id": "toolu_1", "name": action["tool_name"], "input": action["arguments"]}
    )


def openai(endpoint: Endpoint, **settings: Any) -> AsyncAgent:
    defaults = {"model": "scripted", "base_url": f"{endpoint.url}/v1", "max_retries": 0}
    return model_agent(OpenAISettings(**{**defaults, **settings}))


def agents(endpoint: Endpoint) -> dict[str, tuple[AsyncAgent, Any]]:
    anthropic = model_agent(AnthropicSettings(model="scripted", base_url=endpoint.url))
    return {
        "native": (openai(endpoint), native),
        "json": (openai(endpoint, tool_mode="json"), in_text),
        "anthropic": (anthropic, in_blocks),
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_model_that_says_what_the_oracle_does_succeeds_in_every_way_of_calling_tools(
    stack_url, endpoint, scenario
):
    for agent, said in agents(endpoint).values():
        oracle = Oracle(find(scenario))

        def speak(observation, oracle=oracle, said=said):
            if observation["step"] == 0:
                oracle.start(observation)
            endpoint.answers = [Scripted(said(oracle.act(observation)))]

        played = await play(stack_url, agent, before=speak, **{**RESET, "scenario": scenario})
        await agent.close()

        assert played.failure == ""
        assert played.metadata["success"] is True


@pytest.mark.parametrize("name", RECIPES)
async def test_recorded_model_output_is_parsed_as_recorded_and_fails_the_episode(stack_url, endpoint, name):
    recorded = read(name)
    endpoint.answers = [*recorded.responses]
    agent = openai(endpoint, **recorded.recipe.settings)

    played = await play(stack_url, agent, **recorded.recipe.reset)
    await agent.close()

    assert [turn.output for turn in played.turns] == recorded.actions
    assert played.failure.replace(endpoint.url, "ENDPOINT") == recorded.failure
    assert len(endpoint.requests) == len(recorded.responses)
    assert not played.metadata.get("success")
    assert played.grade["invalid"] is False


@pytest.mark.parametrize(
    "said",
    [
        completion("I will think about it. " * 400),
        completion(None, function_call("desk_invented", "{}")),
        completion(None, function_call("ticketdesk_get_ticket", '{"ticket_id": ')),
        completion(None, function_call("ticketdesk_get_ticket", '{"ticket_id": {"a": ' * 40)),
        completion(None, function_call("ticketdesk_get_ticket", '["TD-1001"]')),
        completion(None, *[function_call("ticketdesk_list_tickets", id=str(number)) for number in range(40)]),
        completion(None, {"id": "x", "type": "custom", "custom": {"name": "shell", "input": "ls"}}),
        completion(None, function_call("", "{}")),
        completion("\0 \ud800 {" * 100),
    ],
)
async def test_repeated_useless_replies_end_the_episode_as_the_agents_failure(stack_url, endpoint, said):
    endpoint.will_answer(said)
    agent = openai(endpoint, context_tokens=8192, max_tokens=200)

    played = await play(stack_url, agent, **RESET, max_steps=6)
    await agent.close()

    assert played.failure == ""
    assert played.metadata["truncated"] is True
    assert played.metadata["success"] is False
    assert played.grade["invalid"] is False
    assert len(played.turns) == 6


async def test_an_endpoint_that_breaks_down_in_the_middle_fails_the_agent_and_not_the_environment(
    stack_url, endpoint
):
    endpoint.will_answer(
        native({"tool_name": "ticketdesk_list_tickets", "arguments": {}}), Scripted(b"", status=500)
    )
    agent = openai(endpoint)

    played = await play(stack_url, agent, **RESET)
    await agent.close()

    assert "InternalServerError" in played.failure
    assert len(played.turns) == 1
    assert played.metadata["invalid"] is False
