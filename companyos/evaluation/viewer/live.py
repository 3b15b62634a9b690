"""Episodes of a running stack, over its trainer API. The token stays in this process."""

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import httpx

from companyos.client import CompanyosError
from companyos.client.server import Server, access_headers

from .advice import OracleAdvice, ask_oracle
from .episodes import EpisodeView, live_episode

#: The number of episodes per request, and of requests per list.
PAGE: Final = 200
MOST_PAGES: Final = 5
_TIMEOUT_S: Final = 20.0


class StackSilent(Exception):
    """The stack does not respond, or not like a trainer API. The message says which."""


class LiveStack:
    """A running stack whose episodes are shown.

    Args:
        url: Its trainer API.
        token: The token of the trainer API, if it needs one.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        server = Server(url.rstrip("/"), access_headers(token), _TIMEOUT_S)
        self.url = server.url
        self._token = token
        with server.proxy_named():
            self._client = httpx.AsyncClient(**server.http_options)

    async def episodes(self) -> list[dict[str, Any]]:
        """Return the episodes, newest first.

        Raises:
            StackSilent: No answer.
        """
        found: list[dict[str, Any]] = []
        query: dict[str, str | int] = {"limit": PAGE}
        for _ in range(MOST_PAGES):
            page = await self._get("/episodes", query)
            found += page["items"] if page else []
            if page is None or page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
        return found[::-1]

    async def summary(self, episode_id: str) -> dict[str, Any] | None:
        """Return an episode's summary; None if there is no such episode.

        Raises:
            StackSilent: No answer.
        """
        found: dict[str, Any] | None = await self._get(f"/episodes/{quote(episode_id)}")
        return found

    async def episode(self, episode_id: str) -> EpisodeView | None:
        """Return an episode with its steps so far; None if there is no such episode.

        Raises:
            StackSilent: No answer.
        """
        card, trace = await self._get(f"/episodes/{quote(episode_id)}/grade"), await self.trace(episode_id)
        return live_episode(card, trace) if card and trace else None

    async def trace(self, episode_id: str) -> list[dict[str, Any]]:
        """Return the trace of an episode so far; empty if there is no such episode.

        Raises:
            StackSilent: No answer.
        """
        return await self._get(f"/episodes/{quote(episode_id)}/trace") or []

    async def advice(self, trace: Sequence[Mapping[str, Any]], step: int) -> OracleAdvice:
        """Return what the oracle would have done in place of a step of a trace.

        Raises:
            StackSilent: No answer.
        """
        try:
            return await to_thread(ask_oracle, self.url, self._token, trace, step)
        except CompanyosError as failure:
            raise StackSilent(str(failure)) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _get(self, path: str, query: Mapping[str, str | int] | None = None) -> Any:
        try:
            answer = await self._client.get(path, params=query)
            if answer.status_code == httpx.codes.NOT_FOUND:
                return None
            answer.raise_for_status()
            return answer.json()
        except httpx.HTTPStatusError as refused:
            status = refused.response.status_code
            hint = " Give its token with --token." if status == httpx.codes.UNAUTHORIZED else ""
            raise StackSilent(f"The stack at {self.url} answered with {status}.{hint}") from None
        except (httpx.HTTPError, ValueError) as failure:
            raise StackSilent(f"The stack at {self.url} does not answer: {type(failure).__name__}.") from None
