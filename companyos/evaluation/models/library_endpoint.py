"""Sends prompts with a client library, again after rate limits, timeouts and outages."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from companyos.evaluation.agents.reported_usage import sum_of
from companyos.evaluation.agents.turn import Usage

from .endpoint import ContextOverflow, EndpointFailed, ModelReply, PassingFailure, Prompt, RequestBody
from .failures import failure_in, failure_of, unread_call_in, unreadable
from .formats.openai_format import completion_of
from .formats.streamed import answer_of, is_stream
from .pauses import WaitNews
from .request_rules import RequestRules
from .settings import ModelSettings, Prices

#: The first pause before a request is repeated and the longest, in seconds, where the endpoint asks for none.
_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
#: How many refusals of one request may change the form of requests.
_MOST_LEARNED: Final = 8


class LibraryClient(Protocol):
    """The interface that the client libraries of all vendors share."""

    async def post(self, path: str, *, cast_to: type[Any], body: RequestBody) -> Any:
        """Send a request and return the response's JSON, or its text if it is not JSON."""

    async def close(self) -> None:
        """Close the connections."""


@dataclass(frozen=True)
class ChatProtocol:
    """The protocol of an endpoint.

    Attributes:
        path: Where requests go.
        body_of: Makes the body of a request.
        reply_of: Reads a response; None if it does not have the right form.
        usage_of: Reads the usage that a response reports.
    """

    path: str
    body_of: Callable[[Prompt], RequestBody]
    reply_of: Callable[[object, Prices | None], ModelReply | None]
    usage_of: Callable[[object, Prices | None], Usage]


class LibraryEndpoint:
    """A model that is reached with a client library.

    Args:
        settings: The model's.
        client: The library's asynchronous client.
        errors: The base class of the library's errors.
        protocol: The protocol of the endpoint.
        rules: What the endpoint is known to refuse, shared by the agents of a run.
        news: Tells of waits, shared likewise.
    """

    def __init__(
        self,
        settings: ModelSettings,
        client: LibraryClient,
        errors: type[Exception],
        protocol: ChatProtocol,
        rules: RequestRules,
        news: WaitNews,
    ) -> None:
        self._settings = settings
        self._client = client
        self._errors = errors
        self._protocol = protocol
        self._rules = rules
        self._news = news

    @property
    def notes(self) -> Sequence[str]:
        """How requests were changed because the endpoint refused them, oldest first."""
        return self._rules.notes

    def request(self, prompt: Prompt) -> RequestBody:
        """Return the body of the request for a prompt."""
        body: RequestBody = _cleaned(self._protocol.body_of(prompt))
        return body

    async def send(self, request: RequestBody) -> ModelReply:
        """Return the model's answer, after failures that pass and refusals that another form of request avoids."""
        discarded, repeated, learned, waited_s = Usage(), 0, 0, 0.0
        while True:
            sent = self._rules.apply(request)
            try:
                return replace(await self._send_once(sent), discarded=discarded)
            except ContextOverflow:
                raise
            except PassingFailure as failure:
                discarded = failure.usage = sum_of(discarded, failure.usage)
                if repeated == self._settings.max_retries:
                    raise
                waited_s += await self._pause(failure, repeated, waited_s)
                repeated += 1
            except EndpointFailed as failure:
                discarded = failure.usage = sum_of(discarded, failure.usage)
                # Another agent of the run may have learned the same in the meantime.
                is_known = self._rules.apply(request) != sent
                if learned == _MOST_LEARNED or not (is_known or self._learn(sent, failure)):
                    raise
                learned += 1

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _pause(self, failure: PassingFailure, repeated: int, waited_s: float) -> float:
        """Wait before a request is repeated; return for how many seconds.

        Raises:
            EndpointFailed: The endpoint asks for more than is left of the time to wait.
        """
        # Agents that were refused together do not come back together.
        usual_s = min(_PAUSE_S * 2**repeated, _LONGEST_PAUSE_S) * random.uniform(0.75, 1)  # noqa: S311
        pause_s = usual_s if failure.wait_s is None else failure.wait_s
        most_s = self._settings.max_wait_s
        if waited_s + pause_s > most_s:
            asked = f"It asks to wait {failure.wait_s:g} s; " if failure.wait_s else ""
            spent = f", of which {waited_s:.1f} s are spent" if waited_s else ""
            limit = f"{asked}--max-wait allows {most_s:g} s for an answer{spent}"
            raise EndpointFailed(f"{str(failure).rstrip('.')}. {limit}", usage=failure.usage) from failure
        self._news.tell(failure, pause_s)
        await asyncio.sleep(pause_s)
        return pause_s

    async def _send_once(self, sent: RequestBody) -> ModelReply:
        try:
            answer = await self._response_to(sent)
            answer = _cleaned(completion_of(answer_of(answer) if is_stream(answer) else answer))
        except (self._errors, ValueError) as error:  # ValueError: a response declared as JSON that is not
            if not (words := unread_call_in(error)):
                raise failure_of(error, self._settings) from error
            answer = {"choices": [{"message": {"role": "assistant", "content": words}}]}
        prices = self._settings.prices
        if isinstance(answer, Mapping):
            failure = failure_in(answer, self._settings, self._protocol.usage_of(answer.get("usage"), prices))
            if failure is not None:
                raise failure
        reply = self._protocol.reply_of(answer, prices)
        if reply is None:
            raise unreadable(answer, self._settings)
        return reply

    async def _response_to(self, sent: RequestBody) -> Any:
        """Return the response's JSON, or its text if it is none."""
        try:
            return await self._client.post(self._protocol.path, body=sent, cast_to=object)
        except json.JSONDecodeError as error:
            # Ollama declares lines of JSON as `application/x-ndjson`, which the libraries take for JSON.
            if not is_stream(error.doc):
                raise
            return error.doc

    def _learn(self, sent: RequestBody, failure: EndpointFailed) -> bool:
        return bool(failure.words) and self._rules.learn(sent, failure.words)


def _cleaned(document: Any) -> Any:
    """Return JSON without lone surrogates, which models can produce and HTTP and files cannot hold."""
    text = json.dumps(document, ensure_ascii=False)
    clean = text.encode(errors="replace")
    return document if clean.decode() == text else json.loads(clean)
