"""A small HTTP server that speaks a chat endpoint's protocol and returns scripted responses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Scripted:
    """One response: bytes as they are sent, or an object that is sent as JSON."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        sent = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return web.Response(body=sent, status=self.status, headers={**JSON, **self.headers})


@dataclass
class Endpoint:
    """The server: its URL, what it was asked, and what it will answer; the last answer is repeated.

    Where `decides` is set, it makes each answer from the request instead.
    """

    url: str = ""
    answers: list[Scripted] = field(default_factory=list)
    decides: Callable[[dict[str, Any]], Scripted] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def will_answer(self, *bodies: Any) -> None:
        self.answers += [body if isinstance(body, Scripted) else Scripted(body) for body in bodies]

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(await request.json())
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path)
        if self.decides is not None:
            return self.decides(self.requests[-1]).response()
        return (self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]).response()


@asynccontextmanager
async def scripted_endpoint() -> AsyncIterator[Endpoint]:
    """An endpoint on a free port of this machine."""
    endpoint = Endpoint()
    app = web.Application(client_max_size=16 * 2**20)
    app.router.add_post("/{path:.*}", endpoint.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield endpoint
    finally:
        await runner.cleanup()


def completion(content: str | None = None, *calls: dict[str, Any], **message: Any) -> dict[str, Any]:
    """Return a chat completion with a text and tool calls."""
    said = {
        "role": "assistant",
        "content": content,
        **({"tool_calls": list(calls)} if calls else {}),
        **message,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": said}],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 50,
            "total_tokens": 1050,
            "prompt_tokens_details": {"cached_tokens": 400},
        },
    }


def function_call(name: str, arguments: str = "{}", *, id: str = "call_a") -> dict[str, Any]:  # noqa: A002
    """Return a tool call of a chat completion."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def anthropic_message(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a message of Anthropic's protocol."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "stop_reason": "end_turn",
        "content": list(blocks),
        "usage": {
            "input_tokens": 100,
            "cache_read_input_tokens": 800,
            "cache_creation_input_tokens": 100,
            "output_tokens": 50,
        },
        **fields,
    }


def shown(text: str = "The task.", **fields: Any) -> dict[str, Any]:
    """Return an observation as reset gives it, or a later one without `tools`."""
    tool = {
        "name": "desk_look",
        "description": "Look at a ticket.",
        "input_schema": {"type": "object", "properties": {"ticket_id": {"type": "string"}}},
    }
    return {"text": text, "tools": [tool], "result": None, "error": None, "step": 0, **fields}
