"""Traces by OpenTelemetry: a span for each step and reset, with one for each call of a service below it.

The trace of a trainer's request (W3C `traceparent`) goes on in these spans, and each call takes it to its service. Only
a process with COMPANYOS_TRACING imports this module, so the others pay nothing. OpenTelemetry's own variables say where
spans go (`OTEL_EXPORTER_OTLP_ENDPOINT`) and how many (`OTEL_TRACES_SAMPLER`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from opentelemetry import context, propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog.contextvars import get_contextvars

from companyos.chassis.web.fast_path import FastPathApp
from companyos.version import __version__

from ..services.connections import Response
from ..services.gateway import Gateway
from .metrics import OrchestratorMetrics

#: Longest wait for a collector, in seconds; a process that stops waits for it once.
EXPORT_S: Final = 5
#: What log lines and spans are found by.
_SUBJECTS: Final = ("request", "episode", "step")
#: Finds the provider when the first span begins, which is after the start of the process.
_tracer: Final = trace.get_tracer("companyos", __version__)


@asynccontextmanager
async def exported_spans(cell: str) -> AsyncIterator[None]:
    """Export the spans of this process until the block ends."""
    about = {"service.name": "companyos", "service.version": __version__, "companyos.cell": cell}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=EXPORT_S)))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        await asyncio.to_thread(provider.shutdown)


class TracedMetrics(OrchestratorMetrics):
    """Metrics whose timed blocks, steps and resets, are spans too."""

    @contextmanager
    def timed(self, work: str) -> Iterator[None]:
        """Time the block, and make it a span that says what the log lines of the block say."""
        with _tracer.start_as_current_span(work) as span, super().timed(work):
            try:
                yield
            finally:
                bound = get_contextvars()
                span.set_attributes({f"companyos.{key}": bound[key] for key in _SUBJECTS if key in bound})


class TracedGateway(Gateway):
    """A gateway whose calls are spans, and that tells services which."""

    async def _send(
        self,
        service: str,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float | None = None,
    ) -> Response:
        if not trace.get_current_span().get_span_context().is_valid:
            # Background work, such as the garbage collector's, belongs to no trace.
            return await super()._send(service, method, target, headers, body, timeout_s)
        attributes = {
            "http.request.method": method,
            "url.path": target.partition("?")[0],
            "peer.service": service,
        }
        kind = trace.SpanKind.CLIENT
        with _tracer.start_as_current_span(f"{method} {service}", kind=kind, attributes=attributes) as span:
            carried = dict(headers)
            propagate.inject(carried)
            response = await super()._send(service, method, target, carried, body, timeout_s)
            span.set_attribute("http.response.status_code", response.status)
            return response


class TraceContext:
    """Continues the trace that a request's headers name; whoever sent it, it decides nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = context.attach(propagate.extract(Headers(scope=scope) if "headers" in scope else {}))
        try:
            await self._app(scope, receive, send)
        finally:
            context.detach(token)


def continue_traces(app: FastPathApp) -> None:
    """Have every request of an application continue its sender's trace."""
    app.add_middleware(TraceContext)
    if (find := app.fast_path) is not None:
        app.fast_path = lambda scope: None if (way := find(scope)) is None else TraceContext(way)
