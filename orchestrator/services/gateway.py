"""The gateway to the services: signed calls over persistent connections, with every failure as a named outage."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

import orjson

from companyos.chassis.web.logs import SUBJECT_HEADER, subject
from companyos.chassis.world.context import HEADER, Context, sign

from ..agent.tools import ToolRequest
from ..protocol.effects import Row, RowKey, UnitOutcome
from ..protocol.failures import ExchangeFailed, Failure
from ..protocol.problems import Outage, ServiceFailed
from .admin_documents import BaseState, ChangedRows, ExcerptPage, Manifest
from .answers import (
    EFFECTS,
    ServiceAnswer,
    answer_of,
    applied_of,
    effects_of,
    expected,
    injected_answer_of,
    part_of,
    read_as,
    refusal_of,
)
from .connections import Connections, Response, ServiceRequest

#: Tells whether a service is alive.
ALIVE = ServiceRequest("GET", "/health", {})
#: A service may be busy for so many times the longest wait for an answer before it counts as frozen.
ALIVE_FACTOR = 4
#: The pause before a broken connection is retried, and a probe's timeout.
RETRY_S = 0.1
PROBE_S = 1.0
#: Loading or removing a large company takes longer.
LOAD_S = 300.0


class Gateway:
    """Calls to services by name; no other part of the orchestrator speaks HTTP to them.

    Args:
        services: Address of each service.
        context_key: The key that signs contexts.
        admin_token: The token for their admin routes.
        call_s: Longest wait for one answer.
    """

    def __init__(
        self, services: Mapping[str, str], *, context_key: str, admin_token: str, call_s: float
    ) -> None:
        self._connections = {name: Connections(url) for name, url in services.items()}
        self._key = context_key
        self._admin = {"authorization": f"Bearer {admin_token}"}
        self._call_s = call_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connections in self._connections.values():
            connections.close()

    @property
    def services(self) -> Sequence[str]:
        """Names of the services, in the order of the settings."""
        return list(self._connections)

    async def call(self, service: str, request: ToolRequest, context: Context) -> ServiceAnswer:
        """Call a tool in the world of a context.

        Raises:
            Outage: There is no answer, or it is neither a result nor a refusal nor the injected response.
        """
        headers = {**self._signed_headers(context), "accept": EFFECTS, **request.headers}
        response = await self._send(service, request.method, request.target, headers, request.body)
        if context.injected_response is not None:
            return injected_answer_of(service, response, context.injected_response)
        return answer_of(service, response, context.cause)

    async def tick(self, service: str, context: Context) -> UnitOutcome:
        """Run a service's due work up to the context's time."""
        response = await self._send(service, "POST", "/admin/tick", self._in(context))
        effects = part_of(service, response, "effects", dict)
        return effects_of(service, response, effects, context.cause)

    async def arm(self, service: str, context: Context, plan: Mapping[str, Any] | None) -> None:
        """Give a service a plan of event faults for a world; None removes it."""
        body = orjson.dumps(plan)
        expected(service, await self._send(service, "PUT", "/admin/faults", self._in(context), body))

    async def kill(self, service: str) -> None:
        """Kill one process of a service for real, which breaks the connection instead of answering.

        Raises:
            Outage: The service times out, or answers because it is not in evaluation mode like this process.
        """
        request = ServiceRequest("POST", "/admin/kill", self._admin)
        try:
            response = await self._connections[service].exchange(request, self._call_s)
        except ExchangeFailed as error:
            if error.failure is Failure.TIMEOUT:
                raise _unanswered_outage(service, request, error) from error
            return
        raise Outage(service, response.description)

    async def release(self, service: str, context: Context, cause: str) -> UnitOutcome:
        """Make a service apply the events that it deferred for a call or tick."""
        body = orjson.dumps({"cause": cause})
        response = await self._send(service, "POST", "/admin/deferred/release", self._in(context), body)
        effects = part_of(service, response, "effects", dict)
        return effects_of(service, response, effects, context.cause)

    async def applied(self, service: str, context: Context, events: Sequence[str]) -> dict[str, UnitOutcome]:
        """Return what the service did for those of the events that it has applied."""
        query = "&".join(f"event={event}" for event in events)
        response = await self._send(service, "GET", f"/admin/pending?{query}", self._in(context))
        return applied_of(service, response, events)

    async def difference(self, service: str, context: Context) -> dict[RowKey, Row | None]:
        """Return every row of the service that the world changed since its start; None if removed."""
        response = await self._send(service, "GET", "/admin/layers?scope=diff", self._in(context))
        found = read_as(service, response, ChangedRows)
        return {
            RowKey(service, table, row_id): row
            for table, rows in found.tables.items()
            for row_id, row in rows.items()
        }

    async def manifest(self, service: str) -> dict[str, Any]:
        """Return the service's manifest."""
        response = await self._send(service, "GET", "/admin/manifest", self._admin)
        read_as(service, response, Manifest)
        return expected(service, response)

    async def find_base(self, service: str, digest: str) -> BaseState | None:
        """Return the service's state of a base, or None if it has not loaded it."""
        response = await self._send(service, "GET", f"/admin/bases/{digest}", self._admin)
        return None if response.status == 404 else read_as(service, response, BaseState)

    async def load_base(
        self,
        service: str,
        digest: str,
        *,
        layer: int,
        start: int,
        rows: Mapping[str, Any],
        faults: Mapping[str, Any] | None,
    ) -> tuple[int | None, bool]:
        """Load a base into its layer if missing; return its first due instant, and whether it was loaded.

        Raises:
            CallRejected: The base is in another layer, or another base in this one.
        """
        body = orjson.dumps({"layer": layer, "start": start, "rows": rows, "faults": faults})
        response = await self._send(service, "PUT", f"/admin/bases/{digest}", self._admin, body, LOAD_S)
        return read_as(service, response, BaseState).next_due, response.status == 201

    async def forget_base(self, service: str, digest: str) -> None:
        """Remove a base that no world starts from anymore."""
        await self._admin_call(service, "DELETE", f"/admin/bases/{digest}", timeout_s=LOAD_S)

    async def reap(self, service: str, layers: Sequence[int]) -> None:
        """Remove the rows of layers that no world needs anymore."""
        body = orjson.dumps({"layers": list(layers)})
        await self._admin_call(service, "DELETE", "/admin/layers", body, timeout_s=LOAD_S)

    async def fold(self, service: str, lower: Sequence[int], into: int) -> None:
        """Write the combined rows of frozen layers into the topmost of them."""
        body = orjson.dumps({"chain": list(lower), "into": into})
        await self._admin_call(service, "POST", "/admin/layers/fold", body, timeout_s=LOAD_S)

    async def excerpt(
        self, service: str, base: str, chain: Sequence[int], after: Mapping[str, str] | None
    ) -> ExcerptPage:
        """Return the next page of a chain's rows above its base."""
        body = orjson.dumps({"base": base, "chain": list(chain), "after": after})
        response = await self._send(service, "POST", "/admin/layers/export", self._admin, body, LOAD_S)
        return read_as(service, response, ExcerptPage)

    async def load_rows(
        self, service: str, layer: int, epoch: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> str | None:
        """Write rows into a layer; return an error if the service cannot have such rows."""
        body = orjson.dumps({"layer": layer, "epoch": epoch, "rows": rows})
        response = await self._send(service, "POST", "/admin/layers/import", self._admin, body, LOAD_S)
        if response.status == 422:
            return str(refusal_of(service, response)["detail"])
        expected(service, response)
        return None

    async def is_ready(self, service: str) -> bool:
        """Return whether the service can serve."""
        response = await self._send(service, "GET", "/ready", {}, timeout_s=PROBE_S)
        return response.is_success

    def _in(self, context: Context) -> dict[str, str]:
        return {**self._signed_headers(context), **self._admin}

    def _signed_headers(self, context: Context) -> dict[str, str]:
        return {HEADER: sign(context, self._key), SUBJECT_HEADER: subject()}

    async def _admin_call(
        self,
        service: str,
        method: str,
        target: str,
        body: bytes | None = None,
        timeout_s: float | None = None,
    ) -> None:
        expected(service, await self._send(service, method, target, self._admin, body, timeout_s))

    async def _send(
        self,
        service: str,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float | None = None,
    ) -> Response:
        if body is not None:
            headers = {**headers, "content-type": "application/json"}
        request = ServiceRequest(method, target, headers, body)
        try:
            return await self._patiently(service, request, self._call_s if timeout_s is None else timeout_s)
        except ExchangeFailed as error:
            raise _unanswered_outage(service, request, error) from error

    async def _patiently(self, service: str, request: ServiceRequest, timeout_s: float) -> Response:
        """Send a request, and retry while the connection breaks, so that a restart only seems slow.

        Every call is idempotent under its key, so nothing that was done before the connection broke is done again.
        """
        ends = monotonic() + min(self._call_s, timeout_s)
        pause_s = 0.0
        while True:
            try:
                return await self._exchange_once(self._connections[service], request, timeout_s)
            except ExchangeFailed as error:
                if error.failure is Failure.TIMEOUT or monotonic() + pause_s >= ends:
                    raise
                await asyncio.sleep(pause_s)
                pause_s = RETRY_S

    async def _exchange_once(
        self, connections: Connections, request: ServiceRequest, timeout_s: float
    ) -> Response:
        """Exchange once. While a long request is carried out, its service has to answer probes."""
        if timeout_s <= self._call_s:
            return await connections.exchange(request, timeout_s)
        exchange = asyncio.ensure_future(connections.exchange(request, timeout_s))
        pause_s = ALIVE_FACTOR * self._call_s
        try:
            while not (await asyncio.wait([exchange], timeout=pause_s))[0]:
                await connections.exchange(ALIVE, pause_s)
            return exchange.result()
        finally:
            exchange.cancel()


#: Failures of a service that was reached: it may have ended over this very call.
_MID_CALL: Final = frozenset({Failure.RESET, Failure.CLOSED, Failure.INCOMPLETE})


def _unanswered_outage(service: str, request: ServiceRequest, error: ExchangeFailed) -> Outage:
    sent = f"{request.method} {request.target.partition('?')[0]}"
    if error.failure is Failure.TIMEOUT:
        return Outage(service, f"no answer in time ({sent})", error.failure)
    if error.failure in _MID_CALL:
        reason = f"no complete answer ({error})"
        return ServiceFailed(service, reason, error.failure, is_unreadable=True, excerpt=sent)
    return Outage(service, f"not reachable ({sent}: {error})", error.failure)
