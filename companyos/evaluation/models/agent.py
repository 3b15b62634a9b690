"""An agent that asks a language model what to do, over any endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, AgentUnavailable, AsyncAgent, Usage
from companyos.scenario import Observation

from .actions import intent_of
from .chat_history import ChatHistory
from .endpoint import ChatEndpoint, ContextOverflow, EndpointFailed, ModelReply, Prompt, RequestBody
from .prompts import FunctionTool, function_tools, with_tools
from .settings import AnthropicSettings, ModelSettings, OpenAISettings, ToolMode
from .token_estimate import TokenEstimate

#: How often a model that returns nothing is asked.
_MOST_ASKED: Final = 3
#: How much shorter a prompt has to be than one that the endpoint refused.
_SHORTER: Final = 0.9


def openai_agent(settings: OpenAISettings) -> AsyncAgent:
    """Return an agent that plays with a model at an OpenAI-compatible endpoint.

    Raises:
        AgentUnusable: The extra `openai` is not installed, or there is no key.
    """
    from .openai_endpoint import openai_endpoint

    return ModelAgent(settings, openai_endpoint(settings))


def anthropic_agent(settings: AnthropicSettings) -> AsyncAgent:
    """Return an agent that plays with an Anthropic model.

    Raises:
        AgentUnusable: The extra `anthropic` is not installed, or there is no key.
    """
    from .anthropic_endpoint import anthropic_endpoint

    return ModelAgent(settings, anthropic_endpoint(settings))


def model_agent(settings: ModelSettings) -> AsyncAgent:
    """Return the agent that these settings are for.

    Raises:
        AgentUnusable: Its extra is not installed, or there is no key.
    """
    match settings:
        case OpenAISettings():
            return openai_agent(settings)
        case AnthropicSettings():
            return anthropic_agent(settings)
    raise TypeError(f"no endpoint takes {type(settings).__name__}")


class ModelAgent:
    """Plays one episode at a time by asking a model.

    Each tool call of an answer is a turn, in order; an answer without one is a turn with an invalid action.

    Attributes:
        system_prompt: What the model is told before the task, with the tools in `json` mode.
        tools: The tools in OpenAI function format.
    """

    def __init__(self, settings: ModelSettings, endpoint: ChatEndpoint) -> None:
        self.system_prompt = settings.system_prompt
        self.tools: Sequence[Mapping[str, Any]] = ()
        self._settings = settings
        self._endpoint = endpoint
        self._most_tokens = settings.prompt_tokens
        self._is_playing = False
        self._begin("")

    async def start(self, observation: Observation) -> None:
        """Begin an episode: tell the model its tools and its task."""
        self.tools = function_tools(observation["tools"])
        if self._settings.tool_mode is ToolMode.JSON:
            self.system_prompt = with_tools(self._settings.system_prompt, self.tools)
        self._begin(observation["text"])

    async def act(self, observation: Observation) -> AgentTurn:
        """Return the model's next action."""
        if self._is_playing:
            self._history.add_result(observation["text"])
        usage, intent = Usage(), None
        action = self._history.next_action()
        same_message = action is not None
        if action is None:
            reply = await self._answer()
            intent = intent_of(reply, self._settings.tool_mode)
            self._history.add_reply(reply, intent.actions)
            usage, action = reply.usage, self._history.next_action()
        self._is_playing = True
        return AgentTurn(
            action,
            text=intent.text if intent else "",
            reasoning=intent.reasoning if intent else "",
            hint=intent.hint if intent else "",
            usage=usage,
            omitted_results=self._history.omitted,
            same_message=same_message,
        )

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        await self._endpoint.close()

    def _begin(self, task: str) -> None:
        self._history = ChatHistory(task)
        self._estimate = TokenEstimate()
        self._most_tokens = self._settings.prompt_tokens
        self._is_playing = False

    async def _answer(self) -> ModelReply:
        """Return the model's next reply that is not empty, with the usage of all attempts.

        Raises:
            AgentUnavailable: The endpoint refuses the request or does not respond.
            AgentFailed: The model returns nothing.
        """
        usage = Usage()
        for _ in range(_MOST_ASKED):
            reply = await self._ask()
            usage = _sum(usage, reply.usage)
            if not reply.is_empty:
                return replace(reply, usage=usage)
        reason = f" (it stopped for: {reply.stop_reason})" if reply.stop_reason else ""
        raise AgentFailed(f"{self._settings.model} said nothing, {_MOST_ASKED} times in a row{reason}")

    async def _ask(self) -> ModelReply:
        while True:
            request = self._fitting_request()
            try:
                reply = await self._endpoint.send(request)
            except ContextOverflow as refusal:
                self._shorten(request, refusal)
            except EndpointFailed as failure:
                raise AgentUnavailable(str(failure)) from failure
            else:
                self._estimate.learn(request, reply.usage.prompt_tokens)
                return reply

    def _fitting_request(self) -> RequestBody:
        """Return the next request, with just enough of the oldest results left out to fit the budget."""
        request = self._request()
        while self._most_tokens is not None and self._estimate.tokens_of(request) > self._most_tokens:
            if not self._history.omit_oldest():
                break
            request = self._request()
        return request

    def _request(self) -> RequestBody:
        tools: Sequence[FunctionTool] = self.tools if self._settings.tool_mode is ToolMode.NATIVE else ()
        return self._endpoint.request(
            Prompt(self.system_prompt, tools, self._history.task, self._history.exchanges())
        )

    def _shorten(self, refused: RequestBody, refusal: ContextOverflow) -> None:
        """Make later prompts shorter than one that was refused.

        Raises:
            AgentFailed: Nothing is left to leave out.
        """
        self._most_tokens = int(self._estimate.tokens_of(refused) * _SHORTER)
        if not self._history.omit_oldest():
            raise AgentFailed(
                f"{self._settings.model} cannot read the task and the latest result together: {refusal}"
            ) from refusal


def _sum(one: Usage, other: Usage) -> Usage:
    costs = [usage.cost_usd for usage in (one, other) if usage.cost_usd is not None]
    return Usage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        cost_usd=sum(costs) if costs else None,
    )
