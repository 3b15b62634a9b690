"""The interface between an agent and its model's endpoint: prompts, replies, and errors by remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from companyos.evaluation.agents.turn import Usage

from .prompts import FunctionTool

#: A request as the endpoint's client library takes it, and as its tokens are estimated.
RequestBody = dict[str, Any]
#: What an agent's window shows, with its `media_type` and its `data` in Base64.
Picture = Mapping[str, Any]


class EndpointFailed(Exception):
    """The endpoint did not respond, even after retries, or refused the request.

    Attributes:
        words: All that the endpoint said, if it refused the request for what is in it.
        usage: What the endpoint charged all the same.
    """

    def __init__(self, message: str, *, words: str = "", usage: Usage = Usage()) -> None:
        super().__init__(message)
        self.words = words
        self.usage = usage


class PassingFailure(EndpointFailed):
    """The endpoint failed in a way that may pass: the same request is worth repeating.

    Attributes:
        wait_s: After how many seconds the endpoint wants to be asked again; None if it does not say.
    """

    def __init__(
        self, message: str, *, words: str = "", usage: Usage = Usage(), wait_s: float | None = None
    ) -> None:
        super().__init__(message, words=words, usage=usage)
        self.wait_s = wait_s


class ContextOverflow(EndpointFailed):
    """The endpoint refused the prompt because it is too long."""


@dataclass(frozen=True)
class ModelReply:
    """A model's answer, read from the endpoint's format.

    Attributes:
        message: The answer as the next request repeats it, in the endpoint's format.
        calls: Its native tool calls, in a form that `action_of` accepts.
        content: Its text.
        reasoning: The reasoning before the answer, if the endpoint returns it.
        refusal: What the model says if it declines to answer, where the endpoint tells it apart from text.
        usage: The usage of the request.
        discarded: The usage of earlier attempts, whose answers could not be used.
        stop_reason: Why the endpoint stopped, in its own term.
    """

    message: Mapping[str, Any]
    calls: Sequence[Mapping[str, Any]] = ()
    content: str = ""
    reasoning: str = ""
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    discarded: Usage = field(default_factory=Usage)
    stop_reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the model neither called a tool nor wrote any text."""
        return not self.calls and not self.content.strip() and not self.refusal


@dataclass(frozen=True)
class Exchange:
    """A reply that was played, the results of its actions, and the picture of the last one, if it is in view."""

    reply: ModelReply
    results: Sequence[str]
    picture: Picture | None = None


@dataclass(frozen=True)
class Prompt:
    """Everything that the next request contains for the model; `picture` is that of the task, if it is in view."""

    system_prompt: str
    tools: Sequence[FunctionTool]
    task: str
    exchanges: Sequence[Exchange]
    picture: Picture | None = None


class ChatEndpoint(Protocol):
    """The endpoint of a model.

    Attributes:
        notes: How requests were changed because the endpoint refused them, oldest first.
    """

    @property
    def notes(self) -> Sequence[str]: ...

    def request(self, prompt: Prompt) -> RequestBody:
        """Return the request for a prompt."""

    async def send(self, request: RequestBody) -> ModelReply:
        """Return the model's answer.

        Raises:
            ContextOverflow: The prompt is too long.
            EndpointFailed: There is no answer.
        """

    async def close(self) -> None:
        """Close the connections."""
