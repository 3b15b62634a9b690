"""The task and the tools of every scenario leave a small model room to work."""

import httpx
import pytest

from companyos.evaluation.models import OpenAISettings, openai_agent
from companyos.evaluation.models.token_estimate import TokenEstimate
from companyos.sdk.scenario import load_scenarios
from examples.small_model import CONTEXT_TOKENS, TEXT
from tests.patience import PATIENCE_S
from tests.scripted_endpoint import completion, function_call

from .episodes import play
from .recording import FEW_TOOLS

#: Tokens of what the model reads first in JSON mode, with the tools, counted with its tokenizer; the longest is 4,119.
COUNTED = 4_200
ROOM = 512


async def first_request(stack_url, endpoint, mode, **reset):
    """Return the first request of an episode."""
    finish = '{"tool_name": "finish", "arguments": {"outcome": "none"}}'
    endpoint.will_answer(completion(finish) if mode == "json" else completion(None, function_call("finish")))
    agent = openai_agent(OpenAISettings(model=TEXT, base_url=f"{endpoint.url}/v1", tool_mode=mode))
    await play(stack_url, agent, **{"seed": 7, "chaos": 0, "max_steps": 1, **reset})
    await agent.close()
    return endpoint.requests[0]


def counted(small_model: str, request) -> int:
    """Return the tokens of a request by the model's own tokenizer."""
    text = "\n".join(message["content"] for message in request["messages"])
    answer = httpx.post(
        f"{small_model.removesuffix('/v1')}/extras/tokenize/count",
        json={"model": TEXT, "input": text},
        timeout=PATIENCE_S,
    )
    return int(answer.raise_for_status().json()["count"])


@pytest.mark.parametrize("mode", ["native", "json"])
@pytest.mark.parametrize("scenario", sorted(load_scenarios()))
async def test_tools_and_first_observation_fit_a_context_of_8192_tokens_even_by_a_cautious_estimate(
    stack_url, endpoint, scenario, mode
):
    request = await first_request(stack_url, endpoint, mode, scenario=scenario)

    assert TokenEstimate().tokens_of(request) <= CONTEXT_TOKENS - ROOM


@pytest.mark.parametrize("scenario", sorted(load_scenarios()))
async def test_the_small_models_tokenizer_counts_about_half_of_its_context(
    stack_url, endpoint, small_model, scenario
):
    request = await first_request(stack_url, endpoint, "json", scenario=scenario)

    assert counted(small_model, request) <= COUNTED


async def test_few_tools_and_the_first_observation_are_at_most_2000_tokens(stack_url, endpoint, small_model):
    request = await first_request(stack_url, endpoint, "json", scenario="vendor_onboarding", tools=FEW_TOOLS)

    assert counted(small_model, request) <= 2000
