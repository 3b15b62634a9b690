"""Prometheus metrics of requests, as pure ASGI middleware, and the export of traces, where that is on."""

import time
from contextlib import AbstractAsyncContextManager, nullcontext

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    disable_created_metrics,
    generate_latest,
)
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companyos.version import __version__

BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


def new_registry(service: str) -> CollectorRegistry:
    """Return the registry of a process, which tells its version; times of creation would double the series."""
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    about = Info("companyos_build", "The service and the version of the process.", registry=registry)
    about.info({"service": service, "version": __version__})
    return registry


def exported_spans(process: str, *, tracing: bool, **about: str) -> AbstractAsyncContextManager[None]:
    """Export the spans of this process until the block ends, if it traces; a process that does not imports nothing.

    Args:
        process: Its name.
        tracing: Whether it does.
        about: What spans say of it besides.
    """
    if not tracing:
        return nullcontext()
    from ..tracing import exported

    return exported(process, **about)


class Metrics:
    """Request counts and times of one process of a service, in a separate registry."""

    def __init__(self, service: str) -> None:
        self.registry = new_registry(service)
        self._requests = Counter(
            "companyos_requests", "Requests answered.", ["operation", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "companyos_request_seconds",
            "Time to answer.",
            ["operation"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._series: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Record one answered request."""
        series = self._series.get((operation, status))
        if series is None:
            # Cached, because finding a series by its labels costs more than counting.
            series = self._requests.labels(operation, str(status)), self._seconds.labels(operation)
            self._series[operation, status] = series
        requests, times = series
        requests.inc()
        times.observe(seconds)

    def page(self) -> Response:
        """Return the metrics in the Prometheus text format."""
        return Response(generate_latest(self.registry), media_type="text/plain; version=0.0.4")


class MeasureRequests:
    """ASGI middleware that counts and times requests by the route they matched."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = scope.get("route")
            operation = getattr(route, "operation_id", None) or getattr(route, "path", "unmatched")
            self._metrics.observe(str(operation), status, time.perf_counter() - started)
