"""The trainer API as a run uses it: many episodes share one pool of connections."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import aiohttp
import orjson

from companyos.client import AsyncCompanyosEnv, CompanyosError, Record
from companyos.client.cells.directory import cells_at
from companyos.client.model_output import action_of
from companyos.client.refusals import reading
from companyos.client.server import Server, access_headers
from companyos.client.transport import Answer, AsyncTransport, Lost, Request, read_answer


class PooledTransport:
    """Sends the requests of many episodes over persistent connections."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        try:
            body = None if request.body is None else orjson.dumps(request.body)
        except TypeError as error:
            return Answer(
                422, {"type": "invalid_request", "detail": f"This cannot be sent as JSON: {error}."}
            )
        headers = {"content-type": "application/json"} if body is not None else {}
        try:
            async with self._session.request(
                request.method,
                f"{request.at or ''}{request.path}",
                data=body,
                headers=headers,
                params=dict(request.query),
                allow_redirects=False,
            ) as response:
                return read_answer(response.status, response.headers, await response.read())
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            return Lost(str(error) or type(error).__name__)

    def forget_episode(self) -> None:
        """Do nothing: the server does not tie an episode to a connection of the pool."""

    def abandon(self) -> None:
        """Do nothing, because the connections belong to the run."""

    async def close(self) -> None:
        """Do nothing, because the connections belong to the run."""


class EpisodeEnv(AsyncCompanyosEnv):
    """Plays one episode at a time over a shared connection pool."""

    def __init__(self, base_url: str, transport: AsyncTransport) -> None:
        super().__init__(base_url)
        self._transport = transport

    async def trace_lines(self) -> str:
        """Return the trace of the current episode as JSON lines, which `companyos verify` reads.

        Raises:
            StepsLost: A crash of the server lost steps since they were answered.
        """
        path = self._episode.path("/trace")
        lines: str = await self._run(self._episode.get(path, {"format": "jsonl"}, str))
        with reading(lines, self._server.name):
            # Not `splitlines`: texts of an agent may have separators of lines that are none here.
            last = orjson.loads(lines.rstrip("\n").rpartition("\n")[2])
            steps, done = int(last["observation"]["step"]), last.get("done", False)
        self._episode.check_kept(steps, done=done)
        return lines

    def action_of(self, output: Any) -> dict[str, Any]:
        """Return the action in an agent's output; an invalid one if there is none."""
        return action_of(output)

    async def ask(self, request: Request) -> Any:
        """Send an idempotent request and return the response."""
        return await self._run(self._episode.ask(request))

    async def close(self) -> None:
        """Close the episode unless it is done; the connection stays open."""
        await self._run(self._episode.leave())


class TrainerConnection:
    """A connection to a trainer API for a whole run.

    Args:
        url: The trainer API.
        token: Its token, if it needs one.
        limit: Most requests at once.
    """

    def __init__(self, url: str, token: str | None = None, *, limit: int = 100) -> None:
        self._server = Server(url.rstrip("/"), access_headers(token))
        self.url = self._server.url
        self._limit = limit

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            # Requests to several cells have addresses of their own.
            None if cells_at(self.url) else self.url,
            headers=self._server.headers,
            connector=aiohttp.TCPConnector(limit=self._limit),
            timeout=aiohttp.ClientTimeout(total=self._server.timeout_s),
            proxy=self._server.proxy,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._session.close()

    def environment(self, kind: type[EpisodeEnv] = EpisodeEnv) -> EpisodeEnv:
        """Return a client for one episode at a time."""
        return kind(self.url, PooledTransport(self._session))

    async def get(self, path: str) -> Any:
        """Return the response to a GET.

        Raises:
            ServerUnreachable: No response arrived.
            Refused: The server refused.
        """
        return await self.environment().ask(Request("GET", path))

    async def is_ready(self) -> bool:
        """Return whether the server says that all of its services answer."""
        try:
            await self.get("/ready")
        except CompanyosError:
            return False
        return True

    async def post(self, path: str, body: Mapping[str, Any]) -> Record:
        """Return the response to an idempotent POST; raises the same errors as `get`."""
        return Record(await self.environment().ask(Request("POST", path, dict(body))))
