"""Plays a step on a stack that traces, in the trace of a trainer, and prints what a collector got of it."""

import asyncio
import json
import os
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from companyos.chassis.world.context import Context
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from orchestrator.agent.tools import ToolRequest
from orchestrator.runtime.tracing import TracedGateway

TRACE, SPAN = sys.argv[1:3]
CALL = {"tool_name": "ticketdesk_list_tickets", "arguments": {}}
spans: list[dict[str, Any]] = []
told: list[str | None] = []


def attributes(holder: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in holder.attributes}


class Collector(BaseHTTPRequestHandler):
    """Keeps the spans that are exported to it, and the traces that calls of a service name."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/traces":
            self._keep(ExportTraceServiceRequest.FromString(body))
        else:
            told.append(self.headers["traceparent"])
        answer = b'{"result":{},"effects":{"changes":[],"events":[]}}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _keep(self, request: ExportTraceServiceRequest) -> None:
        for of_process in request.resource_spans:
            for span in (span for scope in of_process.scope_spans for span in scope.spans):
                ids = {
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "trace": span.trace_id.hex(),
                }
                spans.append(
                    {"name": span.name, **ids, **attributes(of_process.resource), **attributes(span)}
                )

    def log_message(self, *_: Any) -> None:
        pass


def play(home: Path) -> str:
    """Return the name of an episode of which one step was played in the trace."""
    client = partial(httpx.Client, timeout=60, trust_env=False)
    with running_stack(Home.at(home)) as stack, client(base_url=stack.url) as http:
        episode_id = http.post("/reset", json={"seed": 1}).json()["metadata"]["episode_id"]
        body = {"episode_id": episode_id, "action": CALL}
        http.post("/step", json=body, headers={"traceparent": f"00-{TRACE}-{SPAN}-01"}).raise_for_status()
    return str(episode_id)


async def call_a_service(url: str) -> None:
    """Call a service in the trace, and in none."""
    of_trainer = trace.SpanContext(int(TRACE, 16), int(SPAN, 16), is_remote=True)
    context = Context(1, (-1, 1), 0, "ann", "clerk", "s1", "s1")
    async with TracedGateway({"desk": url}, context_key="-" * 16, admin_token="-", call_s=5.0) as gateway:
        for around in (of_trainer, trace.INVALID_SPAN_CONTEXT):
            with trace.use_span(trace.NonRecordingSpan(around)):
                await gateway.call("desk", ToolRequest("POST", "/tickets", b"{}"), context)


with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    os.environ |= {
        "COMPANYOS_TRACING": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        "COMPANYOS_CELL": "cell-a",
        # No proxy reaches a collector on this machine.
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }
    episode = play(Path(os.environ["HOME"], "traced"))
    asyncio.run(call_a_service(url))
    server.shutdown()
print(json.dumps({"episode": episode, "spans": spans, "told": told}))
