"""The way to the services: signed calls over kept connections, where every failure is an outage with a name.

httpx gives the interface, aiohttp the transport: httpx's own pool costs a millisecond of CPU a call when many are
under way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp
import httpx
import orjson
from httpx_aiohttp import AiohttpTransport

from companyos.chassis.context import HEADER, Context, sign

from .effects import Outcome, Place, Row, read_outcome
from .problems import Outage
from .tools import ToolRequest

EFFECTS = "application/vnd.companyos.effects+json"
PROBLEM = "application/problem+json"
#: Shorter than the services keep connections, so that a call never goes out on one just being closed.
KEEP_ALIVE_S = 30.0
CONNECT_S = 2.0
#: Loading a large company takes its time.
LOAD_S = 300.0


@dataclass(frozen=True)
class Answer:
    """A service's answer to a tool call: its result and effects, or the problem it refused with."""

    result: Any = None
    outcome: Outcome = field(default_factory=Outcome)
    problem: Mapping[str, Any] | None = None


class Gateway:
    """Calls to services by name; nothing else of the orchestrator speaks HTTP to them.

    Args:
        services: Address of each service.
        context_key: Signs contexts.
        admin_token: Opens their admin routes.
        call_s: Longest wait for one answer.
    """

    def __init__(
        self, services: Mapping[str, str], *, context_key: str, admin_token: str, call_s: float
    ) -> None:
        self._services = services
        self._key = context_key
        self._admin = f"Bearer {admin_token}"
        self._call_s = call_s
        self._transport: AiohttpTransport

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S)
        session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        self._transport = AiohttpTransport(client=session)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    @property
    def services(self) -> Sequence[str]:
        """Names of the services, in the order of the settings."""
        return list(self._services)

    async def call(self, service: str, request: ToolRequest, context: Context) -> Answer:
        """Call a tool in the world of a context.

        Raises:
            Outage: No answer, or one that is neither a result nor a refusal.
        """
        headers = {HEADER: sign(context, self._key), "accept": EFFECTS, **request.headers}
        response = await self._send(service, request.method, request.target, headers, request.body)
        if response.is_success:
            body = _json(service, response)
            return Answer(result=body["result"], outcome=read_outcome(body["effects"]))
        return Answer(problem=_refusal(service, response))

    async def tick(self, service: str, context: Context) -> Outcome:
        """Have a service do what is due by the context's time."""
        headers = {HEADER: sign(context, self._key), "authorization": self._admin}
        response = await self._send(service, "POST", "/admin/tick", headers)
        return read_outcome(self._expected(service, response)["effects"])

    async def applied(self, service: str, context: Context, events: Sequence[str]) -> dict[str, Outcome]:
        """Return what the service did on those of the events that it applied already."""
        query = "&".join(f"event={event}" for event in events)
        headers = {HEADER: sign(context, self._key), "authorization": self._admin}
        response = await self._send(service, "GET", f"/admin/pending?{query}", headers)
        found = self._expected(service, response)["applied"]
        return {event: read_outcome(effects) for event, effects in found.items()}

    async def difference(self, service: str, context: Context) -> dict[Place, Row | None]:
        """Return every row of the service that the world changed since its start, None where removed."""
        headers = {HEADER: sign(context, self._key), "authorization": self._admin}
        response = await self._send(service, "GET", "/admin/layers?scope=diff", headers)
        tables = self._expected(service, response)["tables"]
        return {
            Place(service, table, row_id): row
            for table, rows in tables.items()
            for row_id, row in rows.items()
        }

    async def manifest(self, service: str) -> dict[str, Any]:
        """Return what the service tells of itself."""
        return await self._admin_call(service, "GET", "/admin/manifest")

    async def find_base(self, service: str, digest: str) -> dict[str, Any] | None:
        """Return what the service knows of a base (`layer`, `next_due`), or None if it has not loaded it."""
        headers = {"authorization": self._admin}
        response = await self._send(service, "GET", f"/admin/bases/{digest}", headers)
        return None if response.status_code == 404 else self._expected(service, response)

    async def load_base(
        self, service: str, digest: str, *, layer: int, start: int, rows: Mapping[str, Any]
    ) -> int | None:
        """Load a base into its layer and return when its first due event is."""
        body = orjson.dumps({"layer": layer, "start": start, "rows": rows})
        answer = await self._admin_call(service, "PUT", f"/admin/bases/{digest}", body, timeout_s=LOAD_S)
        next_due: int | None = answer["next_due"]
        return next_due

    async def forget_base(self, service: str, digest: str) -> None:
        """Remove a base that no world starts from any more."""
        await self._admin_call(service, "DELETE", f"/admin/bases/{digest}", timeout_s=LOAD_S)

    async def reap(self, service: str, layers: Sequence[int]) -> None:
        """Remove the rows of layers that no world needs any more."""
        body = orjson.dumps({"layers": list(layers)})
        await self._admin_call(service, "DELETE", "/admin/layers", body, timeout_s=LOAD_S)

    async def fold(self, service: str, lower: Sequence[int], into: int) -> None:
        """Have what frozen layers add up to written into the frozen layer above them."""
        body = orjson.dumps({"chain": list(lower), "into": into})
        await self._admin_call(service, "POST", "/admin/layers/fold", body, timeout_s=LOAD_S)

    async def is_ready(self, service: str) -> bool:
        """Return whether the service can serve."""
        response = await self._send(service, "GET", "/ready", {})
        return response.is_success

    async def _admin_call(
        self,
        service: str,
        method: str,
        target: str,
        body: bytes | None = None,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        headers = {"authorization": self._admin}
        response = await self._send(service, method, target, headers, body, timeout_s)
        return self._expected(service, response)

    async def _send(
        self,
        service: str,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float | None = None,
    ) -> httpx.Response:
        waits = timeout_s or self._call_s
        request = httpx.Request(
            method,
            self._services[service] + target,
            content=body,
            headers={**_BARE, **headers, **({} if body is None else _JSON)},
            extensions={"timeout": {"connect": min(waits, CONNECT_S), "read": waits, "pool": waits}},
        )
        for attempt in (1, 2):
            try:
                # The transport itself: a client's cookies, redirects and authentication cost as much as the call.
                response = await self._transport.handle_async_request(request)
                await response.aread()
                return response
            except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
                # Every call is idempotent under its key, so a connection that broke may be tried again at once.
                if attempt == 2 or _timed_out(error):
                    raise _outage(service, method, target, error) from error
        raise AssertionError("unreachable")

    def _expected(self, service: str, response: httpx.Response) -> dict[str, Any]:
        if not response.is_success:
            raise Outage(service, f"status {response.status_code}: {response.text[:200]}")
        return {} if response.status_code == 204 else _json(service, response)


_JSON = {"content-type": "application/json"}
_BARE = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "companyos-orchestrator"}
#: Statuses that say something of the stack, not of the call.
_NO_REFUSALS = frozenset({401, 408, 429})


def _json(service: str, response: httpx.Response) -> dict[str, Any]:
    try:
        body: dict[str, Any] = orjson.loads(response.content)
    except orjson.JSONDecodeError as error:
        raise Outage(service, "an answer that is not JSON") from error
    return body


def _refusal(service: str, response: httpx.Response) -> Mapping[str, Any]:
    status, kind = response.status_code, response.headers.get("content-type", "")
    if not 400 <= status < 500 or status in _NO_REFUSALS or not kind.startswith(PROBLEM):
        raise Outage(service, f"status {status}: {response.text[:200]}")
    return _json(service, response)


def _timed_out(error: Exception) -> bool:
    # The transport calls a broken connection a timeout as well; what aiohttp raised tells them apart.
    return isinstance(error.__cause__, TimeoutError)


def _outage(service: str, method: str, target: str, error: Exception) -> Outage:
    if _timed_out(error):
        return Outage(service, f"no answer in time ({method} {target.partition('?')[0]})")
    return Outage(service, f"not reachable ({type(error.__cause__ or error).__name__})")
