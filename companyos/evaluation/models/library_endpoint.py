"""Sends prompts with a client library, which retries after rate limits, timeouts and outages."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .endpoint import ModelReply, Prompt, RequestBody
from .failures import failure_of, unreadable
from .settings import ModelSettings, Prices


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
    """

    path: str
    body_of: Callable[[Prompt], RequestBody]
    reply_of: Callable[[object, Prices | None], ModelReply | None]


class LibraryEndpoint:
    """A model that is reached with a client library.

    Args:
        settings: The model's.
        client: The library's asynchronous client.
        errors: The base class of the library's errors.
        protocol: The protocol of the endpoint.
    """

    def __init__(
        self, settings: ModelSettings, client: LibraryClient, errors: type[Exception], protocol: ChatProtocol
    ) -> None:
        self._settings = settings
        self._client = client
        self._errors = errors
        self._protocol = protocol

    def request(self, prompt: Prompt) -> RequestBody:
        """Return the body of the request for a prompt."""
        return _sendable(self._protocol.body_of(prompt))

    async def send(self, request: RequestBody) -> ModelReply:
        """Return the model's answer."""
        try:
            answer = await self._client.post(self._protocol.path, body=request, cast_to=object)
        except (self._errors, ValueError) as error:  # ValueError: a response declared as JSON that is not
            raise failure_of(error, self._settings) from error
        reply = self._protocol.reply_of(answer, self._settings.prices)
        if reply is None:
            raise unreadable(answer, self._settings)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _sendable(request: RequestBody) -> RequestBody:
    """Return the request without lone surrogates, which models can produce and HTTP cannot carry."""
    text = json.dumps(request, ensure_ascii=False)
    sent = text.encode(errors="replace")
    cleaned: RequestBody = request if sent.decode() == text else json.loads(sent)
    return cleaned
