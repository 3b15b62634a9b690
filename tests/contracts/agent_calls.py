"""Small words for the tests of the agent API: an episode for an agent, and its calls over MCP and REST."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.patience import PATIENCE_S

LOOK = {"tool_name": "ticketdesk_list_tickets", "arguments": {"limit": 1}}


@dataclass
class AgentSide:
    """What an agent has: a client with its token, and what it is told.

    Attributes:
        http: A client of the agent API.
        episode_id: The episode, which only the trainer knows.
        token: The agent's token.
        urls: Where the agent API is.
    """

    http: httpx.Client
    episode_id: str
    token: str
    urls: dict[str, str]
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _tools: dict[str, Any] = field(default_factory=dict)

    @property
    def tools(self) -> dict[str, Any]:
        """The listed tools, by name."""
        if not self._tools:
            listed = self.http.get("/tools").raise_for_status().json()["tools"]
            self._tools = {tool["name"]: tool for tool in listed}
        return self._tools

    def rpc(self, method: str, **params: Any) -> Any:
        """Send a JSON-RPC request and return the whole response."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self.http.post("/mcp", json=message).raise_for_status().json()

    def by_mcp(self, action: dict[str, Any]) -> Any:
        """Make a call over MCP and return its result."""
        return self.rpc("tools/call", name=action["tool_name"], arguments=action["arguments"])["result"]

    def by_rest(self, action: dict[str, Any], **headers: str) -> httpx.Response:
        """Make a call over REST, as `GET /tools` says how."""
        tool, arguments = self.tools[action["tool_name"]], dict(action["arguments"])
        path, query, body = tool["path"], dict[str, Any](), dict[str, Any]()
        elsewhere = "query" if tool["method"] == "GET" else "body"
        for name, value in arguments.items():
            match tool["places"].get(name, elsewhere):
                case "path":
                    path = path.replace("{" + name + "}", str(value))
                case "query":
                    query[name] = str(value).lower() if isinstance(value, bool) else value
                case "header":
                    headers["Idempotency-Key"] = value
                case _:
                    body[name] = value
        sent = {"json": body} if tool["method"] != "GET" else {}
        return self.http.request(tool["method"], path, params=query, headers=headers, **sent)


@contextmanager
def agent_side(metadata: dict[str, Any]) -> Iterator[AgentSide]:
    """Yield the agent of an episode, given what the trainer was told."""
    token, urls = metadata["agent_token"], metadata["agent_urls"]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=urls["rest"], headers=headers, timeout=PATIENCE_S) as http:
        yield AgentSide(http, metadata["episode_id"], token, urls)


@contextmanager
def agent_in(url: str, **options: Any) -> Iterator[AgentSide]:
    """Start an episode as a trainer and yield its agent."""
    begun = httpx.post(f"{url}/reset", json=options, timeout=PATIENCE_S).raise_for_status().json()
    with agent_side(begun["metadata"]) as agent:
        yield agent
