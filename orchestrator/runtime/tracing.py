"""The orchestrator's spans: one for each step and reset, with one for each call of a service below it.

The trace of a trainer's request (W3C `traceparent`) goes on in these spans, and each call takes it to its service,
whose spans `companyos/chassis.tracing.py` makes. Only a process with COMPANYOS_TRACING imports this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import propagate, trace

from companyos.chassis.tracing import note_subject, tracer

from ..services.connections import Response
from ..services.gateway import Gateway
from .metrics import OrchestratorMetrics


class TracedMetrics(OrchestratorMetrics):
    """Metrics whose timed blocks, steps and resets, are spans too."""

    @contextmanager
    def timed(self, work: str) -> Iterator[None]:
        """Time the block, and make it a span that says what the log lines of the block say."""
        with tracer.start_as_current_span(work) as span, super().timed(work):
            try:
                yield
            finally:
                note_subject(span)


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
        with tracer.start_as_current_span(f"{method} {service}", kind=kind, attributes=attributes) as span:
            carried = dict(headers)
            propagate.inject(carried)
            response = await super()._send(service, method, target, carried, body, timeout_s)
            span.set_attribute("http.response.status_code", response.status)
            return response
