"""A real language model plays, where its environment is built: it fails, and nothing else does."""

import httpx
import pytest

from companyos.evaluation.models import OpenAISettings, openai_agent
from examples.small_model import NATIVE

from .episodes import play
from .recording import RECIPES


@pytest.mark.parametrize("name", ["text", "native"])
async def test_the_small_model_fails_by_itself(stack_url, small_model, name):
    recipe = RECIPES[name]
    agent = openai_agent(
        OpenAISettings(**recipe.settings, base_url=small_model, context_tokens=8192, timeout_s=150)
    )

    played = await play(stack_url, agent, **{**recipe.reset, "max_steps": 2})
    await agent.close()

    # On a busy machine an answer may take too long, which is the agent's failure as well.
    assert "Request timed out" in played.failure or played.metadata["truncated"] is True
    assert not played.metadata.get("success")
    assert played.grade["invalid"] is False
    assert all(turn.usage.prompt_tokens > 1000 for turn in played.turns)


async def test_the_small_model_answers_calls_of_tools_whose_schema_llama_cpp_cannot_enforce(small_model):
    text = {"type": "string", "maxLength": 4000}
    function = {"name": "refuse", "parameters": {"type": "object", "properties": {"explanation": text}}}
    request = {
        "model": NATIVE,
        "messages": [{"role": "user", "content": "Refuse."}],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "refuse"}},
        "max_tokens": 8,
    }

    answer = httpx.post(f"{small_model}/chat/completions", json=request, timeout=150)

    [call] = answer.raise_for_status().json()["choices"][0]["message"]["tool_calls"]
    assert call["function"]["arguments"].startswith("{")
