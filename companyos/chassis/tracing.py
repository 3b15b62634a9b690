"""Traces by OpenTelemetry: the export of a process' spans, and the trace that goes on from caller to called.

The orchestrator makes a span for each step, reset and call (`orchestrator/runtime/tracing.py`), a service one for each
call that it answers, below the span that the call's headers name (W3C `traceparent`). Only a process with
COMPANYOS_TRACING imports these modules, so the others pay nothing. OpenTelemetry's own variables say where spans go
(`OTEL_EXPORTER_OTLP_ENDPOINT`) and how many (`OTEL_TRACES_SAMPLER`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import requests
from opentelemetry import context, propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import get_contextvars

from companyos.sdk.addresses import is_loopback
from companyos.version import __version__

from .settings import COLLECTOR
from .web.fast_path import FastPathApp

#: Longest wait for a collector, in seconds; a process that stops waits for it once.
EXPORT_S: Final = 5
#: What log lines and spans are found by.
_SUBJECTS: Final = ("request", "episode", "step", "world")
#: Finds the provider when the first span begins, which is after the start of the process.
tracer: Final = trace.get_tracer("companyos", __version__)


@asynccontextmanager
async def exported(process: str, **about: str) -> AsyncIterator[None]:
    """Export the spans of this process until the block ends, with what is told about it."""
    named = {"service.name": process, "service.namespace": "companyos", "service.version": __version__}
    provider = TracerProvider(resource=Resource.create({**named, **about}))
    exporter = OTLPSpanExporter(timeout=EXPORT_S, session=_session_of_this_machine())
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        await asyncio.to_thread(provider.shutdown)


def _session_of_this_machine() -> requests.Session | None:
    """Return the HTTP session for a collector on this machine, which no proxy reaches; None for another collector."""
    collector = next((url for name in COLLECTOR if (url := os.environ.get(name))), None)
    if collector is not None and not is_loopback(collector):
        return None
    session = requests.Session()
    session.trust_env = False
    return session


def note_subject(span: trace.Span) -> None:
    """Have a span say what the log lines of this task say they belong to."""
    bound = get_contextvars()
    span.set_attributes({f"companyos.{key}": bound[key] for key in _SUBJECTS if key in bound})


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


class RequestSpans:
    """Makes each request of a trace a span, named by its operation; what belongs to no trace makes none."""

    def __init__(self, app: ASGIApp, *, service: str) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = propagate.extract(Headers(scope=scope)) if scope["type"] == "http" else None
        if caller is None or not trace.get_current_span(caller).get_span_context().is_valid:
            await self._app(scope, receive, send)
            return

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                span.set_attribute("http.response.status_code", message["status"])
            await send(message)

        kind, about = (
            trace.SpanKind.SERVER,
            {"http.request.method": scope["method"], "url.path": scope["path"]},
        )
        with tracer.start_as_current_span(self._service, context=caller, kind=kind, attributes=about) as span:
            try:
                await self._app(scope, receive, noting)
            finally:
                operation = getattr(scope.get("route"), "operation_id", None)
                if operation is not None:
                    tool = f"{self._service}_{operation}"
                    span.update_name(tool)
                    span.set_attribute("companyos.tool", tool)
                note_subject(span)


def wrap_requests(app: FastPathApp, around: Callable[[ASGIApp], ASGIApp]) -> None:
    """Put every request of an application through an ASGI application around it, on the fast path too."""
    app.add_middleware(around)
    if (find := app.fast_path) is not None:
        app.fast_path = lambda scope: None if (way := find(scope)) is None else around(way)


def trace_requests(app: FastPathApp, service: str) -> None:
    """Have every request of a service that belongs to a trace be a span of it."""
    wrap_requests(app, partial(RequestSpans, service=service))
