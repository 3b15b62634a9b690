"""The oracle behind OpenAI's chat completions API, for frameworks that speak to an endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.adapters.programs.oracle import Call, OracleModel

Say = Callable[[Call | None], dict[str, Any]]


@contextmanager
def served(oracle: OracleModel, say: Say) -> Iterator[str]:
    """Serve the model, and yield the base URL of the endpoint; `say` is `as_tool_call` or `as_action`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            shown = [text_of(each) for each in asked["messages"] if each["role"] in ("user", "tool")]
            try:
                message = say(oracle(shown))
            except Exception as error:  # noqa: BLE001 - the program that asked has to hear of it
                self.reply(500, "application/json", json.dumps({"error": {"message": repr(error)}}))
                return
            if asked.get("stream"):
                chunk = json.dumps(completion(message, "delta"))
                self.reply(200, "text/event-stream", f"data: {chunk}\n\ndata: [DONE]\n\n")
            else:
                self.reply(200, "application/json", json.dumps(completion(message, "message")))

        def reply(self, status: int, kind: str, text: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


def text_of(message: dict[str, Any]) -> str:
    """Return what a message shows: its text, or the text of the observation in the JSON that it is."""
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    return str(json.loads(text)["observation"]["text"]) if text.startswith('{"observation"') else text


def as_tool_call(call: Call | None) -> dict[str, Any]:
    """Return a message that calls the tool; a last word if there is nothing to call."""
    if call is None:
        return {"role": "assistant", "content": "Done."}
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    calls = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def as_action(call: Call | None) -> dict[str, Any]:
    """Return a message that is an OpenEnv action as JSON."""
    assert call is not None
    action = {"type": "call_tool", "tool_name": call["name"], "arguments": call["arguments"]}
    return {"role": "assistant", "content": json.dumps(action)}


def completion(message: dict[str, Any], part: str) -> dict[str, Any]:
    """Return a completion, or the one chunk of it, that holds the message."""
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "completion",
        "object": "chat.completion" if part == "message" else "chat.completion.chunk",
        "created": 0,
        "model": "oracle",
        "choices": [{"index": 0, part: message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
