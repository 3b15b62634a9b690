"""The oracle behind OpenAI's chat completions API, for frameworks that speak to an endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.adapters.programs.oracle import Call, OracleModel


@contextmanager
def served(oracle: OracleModel) -> Iterator[str]:
    """Serve the model, and yield the base URL of the endpoint."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            shown = [text_of(each) for each in asked["messages"] if each["role"] in ("user", "tool")]
            try:
                call = oracle(shown)
            except Exception as error:  # noqa: BLE001 - the program that asked has to hear of it
                self.reply(500, "application/json", json.dumps({"error": {"message": repr(error)}}))
                return
            if asked.get("stream"):
                self.reply(200, "text/event-stream", as_stream(call))
            else:
                self.reply(200, "application/json", json.dumps(completion(call, "message")))

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
    """Return the text of a message, which may come in parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def completion(call: Call | None, part: str) -> dict[str, Any]:
    """Return a completion, or a chunk of one, that holds the call; a last word if there is none."""
    said: dict[str, Any] = {"role": "assistant", "content": None if call else "Done."}
    if call:
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        said["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    return {
        "id": "completion",
        "object": "chat.completion" if part == "message" else "chat.completion.chunk",
        "created": 0,
        "model": "oracle",
        "choices": [{"index": 0, part: said, "finish_reason": "tool_calls" if call else "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def as_stream(call: Call | None) -> str:
    """Return the completion as a stream of one chunk."""
    return f"data: {json.dumps(completion(call, 'delta'))}\n\ndata: [DONE]\n\n"
