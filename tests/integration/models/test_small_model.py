"""A real language model plays, where its environment is built: it fails, and nothing else does."""

import pytest

from companyos.evaluation.models import OpenAISettings, openai_agent

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
