"""The cost of a tool call over MCP and over REST, compared with the same step over the trainer API."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import orjson

from .figures import Measurement, percentile
from .trainer import Call, Episode, Trainer

GOAL = 1.3
PATHS = {
    "ticketdesk_get_ticket": ("GET", "/ticketdesk/tickets/{ticket_id}"),
    "ticketdesk_add_comment": ("POST", "/ticketdesk/tickets/{ticket_id}/comments"),
    "ticketdesk_verify_ticket": ("POST", "/ticketdesk/tickets/{ticket_id}/verify"),
    "ticketdesk_reopen_ticket": ("POST", "/ticketdesk/tickets/{ticket_id}/reopen"),
}


class AgentCalls:
    """An episode's agent on persistent connections."""

    def __init__(self, access: dict[str, Any], session: aiohttp.ClientSession) -> None:
        self._urls: dict[str, str] = access["agent_urls"]
        self._session = session
        self._headers = {"authorization": f"Bearer {access['agent_token']}"}
        self._json = {**self._headers, "content-type": "application/json"}

    async def by_mcp(self, call: Call) -> None:
        """Make a call over MCP and assert that it succeeded."""
        name, arguments = call
        params = {"name": name, "arguments": arguments}
        message = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        async with self._session.post(self._urls["mcp"], data=message, headers=self._json) as answer:
            result = orjson.loads(await answer.read())["result"]
        if result["isError"]:
            raise RuntimeError(f"{name}: {result}")

    async def by_rest(self, call: Call) -> None:
        """Make a call over REST and assert that it succeeded."""
        name, arguments = call
        method, path = PATHS[name]
        url = self._urls["rest"] + path.replace("{ticket_id}", arguments["ticket_id"])
        body = {key: value for key, value in arguments.items() if key != "ticket_id"}
        sent = (
            {"headers": self._headers}
            if method == "GET"
            else {"headers": self._json, "data": orjson.dumps(body)}
        )
        async with self._session.request(method, url, **sent) as answer:  # type: ignore[arg-type]
            content = await answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{name}: {content!r}")
        orjson.loads(content)


async def agent_calls(trainer: Trainer, session: aiohttp.ClientSession, count: int) -> list[Measurement]:
    """Measure the ratio of calls over MCP and REST to steps, by kind of call."""
    episodes = [await (await trainer.reset()).prepare() for _ in range(3)]
    mcp, rest = (AgentCalls(episode.access, session) for episode in episodes[1:])
    ways: dict[str, Callable[[Call], Awaitable[Any]]] = {
        "step": episodes[0].step,
        "MCP": mcp.by_mcp,
        "REST": rest.by_rest,
    }
    figures = []
    for name, kind in (("read", Episode.read), ("write", Episode.write), ("settled", Episode.settled)):
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(count):
            for (way, make), episode in zip(ways.items(), episodes, strict=True):
                call, started = kind(episode), time.perf_counter()
                await make(call)
                times[way].append(time.perf_counter() - started)
        medians = {way: percentile(taken, 0.5) for way, taken in times.items()}
        for way in ("MCP", "REST"):
            detail = f"{medians[way] * 1e3:.2f} ms / {medians['step'] * 1e3:.2f} ms, n {count}"
            ratio = medians[way] / medians["step"]
            figures.append(Measurement(f"call over {way} / step: {name}", ratio, "x", GOAL, detail=detail))
    return figures
