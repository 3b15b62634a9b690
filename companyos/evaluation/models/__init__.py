"""Language models as agents: any OpenAI-compatible endpoint, and Anthropic's.

`openai_agent` and `anthropic_agent` need the endpoint's client library, which the extra of the same name
installs.
"""

from .agent import anthropic_agent, model_agent, openai_agent, rules_of
from .pauses import WaitNews
from .settings import (
    AgentUnusable,
    AnthropicSettings,
    ModelSettings,
    OpenAISettings,
    Prices,
    ToolMode,
    model_settings,
)

__all__ = [
    "AgentUnusable",
    "AnthropicSettings",
    "ModelSettings",
    "OpenAISettings",
    "Prices",
    "ToolMode",
    "WaitNews",
    "anthropic_agent",
    "model_agent",
    "model_settings",
    "openai_agent",
    "rules_of",
]
