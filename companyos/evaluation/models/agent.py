"""An agent that asks a language model what to do, over any endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from companyos.evaluation.agents.reported_usage import sum_of
from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, AgentUnavailable, AsyncAgent, Usage
from companyos.sdk.scenario import Observation

from .actions import CUT, intent_of
from .chat_history import ChatHistory
from .endpoint import ChatEndpoint, ContextOverflow, EndpointFailed, ModelReply, Picture, Prompt, RequestBody
from .pauses import WaitNews
from .prompts import FunctionTool, function_tools, with_tools
from .request_rules import RequestRules
from .settings import AnthropicSettings, ModelSettings, OpenAISettings, ToolMode
from .token_estimate import TokenEstimate

#: How often a model that returns nothing is asked.
_MOST_ASKED: Final = 3
#: How much shorter a prompt has to be than one that the endpoint refused.
_SHORTER: Final = 0.9


def openai_agent(
    settings: OpenAISettings, rules: RequestRules | None = None, news: WaitNews | None = None
) -> AsyncAgent:
    """Return an agent that plays with a model at an OpenAI-compatible endpoint.

    Args:
        settings: The model's.
        rules: What is known of the endpoint, shared by the agents of a run.
        news: Tells of waits for the endpoint, shared likewise; nobody is told without it.

    Raises:
        AgentUnusable: The extra `openai` is not installed, or there is no key.
    """
    from .openai_endpoint import openai_endpoint

    return ModelAgent(settings, openai_endpoint(settings, rules or rules_of(settings), news or WaitNews()))


def anthropic_agent(
    settings: AnthropicSettings, rules: RequestRules | None = None, news: WaitNews | None = None
) -> AsyncAgent:
    """Return an agent that plays with an Anthropic model.

    Args:
        settings: The model's.
        rules: What is known of the endpoint, shared by the agents of a run.
        news: Tells of waits for the endpoint, shared likewise; nobody is told without it.

    Raises:
        AgentUnusable: The extra `anthropic` is not installed, or there is no key.
    """
    from .anthropic_endpoint import anthropic_endpoint

    return ModelAgent(settings, anthropic_endpoint(settings, rules or rules_of(settings), news or WaitNews()))


def rules_of(settings: ModelSettings) -> RequestRules:
    """Return the rules for requests to an endpoint of which nothing is known yet."""
    return RequestRules(kept=frozenset(settings.extra_body))


def model_agent(
    settings: ModelSettings, rules: RequestRules | None = None, news: WaitNews | None = None
) -> AsyncAgent:
    """Return the agent that these settings are for.

    Args:
        settings: The model's.
        rules: What is known of the endpoint, shared by the agents of a run.
        news: Tells of waits for the endpoint, shared likewise; nobody is told without it.

    Raises:
        AgentUnusable: Its extra is not installed, or there is no key.
    """
    match settings:
        case OpenAISettings():
            return openai_agent(settings, rules, news)
        case AnthropicSettings():
            return anthropic_agent(settings, rules, news)
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
        self._notes_told = len(endpoint.notes)
        self._begin("")

    async def start(self, observation: Observation) -> None:
        """Begin an episode: tell the model its tools and its task."""
        self.tools = function_tools(observation["tools"])
        if self._settings.tool_mode is ToolMode.JSON:
            signatures = [tool["signature"] for tool in observation["tools"] if "signature" in tool]
            self.system_prompt = with_tools(self._settings.system_prompt, self.tools, signatures)
        self._begin(observation["text"], observation.get("screen"))

    async def act(self, observation: Observation) -> AgentTurn:
        """Return the model's next action."""
        if self._is_playing:
            self._history.add_result(observation["text"], observation.get("screen"))
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
            hint="; ".join(filter(None, [*self._new_notes(), intent.hint if intent else ""])),
            usage=usage,
            omitted_results=self._history.omitted,
            same_message=same_message,
        )

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        await self._endpoint.close()

    def _begin(self, task: str, picture: Picture | None = None) -> None:
        self._history = ChatHistory(task, picture)
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
        try:
            for _ in range(_MOST_ASKED):
                reply = await self._ask()
                usage = sum_of(usage, sum_of(reply.usage, reply.discarded))
                if not reply.is_empty:
                    return replace(reply, usage=usage)
        except AgentFailed as failure:
            failure.usage = sum_of(usage, failure.usage)
            raise
        cure = "; raise --answer-tokens" if reply.stop_reason in CUT else ""
        reason = f" (it stopped for: {reply.stop_reason}{cure})" if reply.stop_reason else ""
        raise AgentFailed(f"{self._settings.model} said nothing, {_MOST_ASKED} times in a row{reason}", usage)

    async def _ask(self) -> ModelReply:
        while True:
            request = self._fitting_request()
            try:
                reply = await self._endpoint.send(request)
            except ContextOverflow as refusal:
                self._shorten(request, refusal)
            except EndpointFailed as failure:
                raise AgentUnavailable(str(failure), failure.usage) from failure
            else:
                self._estimate.learn(request, reply.usage.prompt_tokens)
                return reply

    def _new_notes(self) -> Sequence[str]:
        """Return how requests were changed since this was last asked."""
        notes = self._endpoint.notes[self._notes_told :]
        self._notes_told += len(notes)
        return [f"{self._settings.model}: {note}" for note in notes]

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
        history = self._history
        return self._endpoint.request(
            Prompt(self.system_prompt, tools, history.task, history.exchanges(), history.task_picture)
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
