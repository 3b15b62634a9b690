"""Whatever the door, what it shows is enough: long lists go on, filters find, and texts are whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import httpx
import pytest

from scenarios.invoice_match.documents import TITLE
from tests.patience import PATIENCE_S

from .agent_calls import AgentSide, agent_in

#: Returns all that a door shows of a call, as text.
Door = Callable[[str, AgentSide, str, dict[str, Any]], str]
MOST = 200
_CURSOR = re.compile(r'(?:[?&]cursor=|with cursor=|next_cursor"?: ?"?)([\w-]+)')


def by_rest(url: str, agent: AgentSide, tool: str, arguments: dict[str, Any]) -> str:
    return agent.by_rest({"tool_name": tool, "arguments": arguments}).raise_for_status().text


def by_agents_mcp(url: str, agent: AgentSide, tool: str, arguments: dict[str, Any]) -> str:
    return str(agent.by_mcp({"tool_name": tool, "arguments": arguments})["content"][0]["text"])


def by_trainers_mcp(url: str, agent: AgentSide, tool: str, arguments: dict[str, Any]) -> str:
    params = {"name": tool, "arguments": arguments, "episode_id": agent.episode_id}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return str(httpx.post(f"{url}/mcp", json=call, timeout=PATIENCE_S).json()["result"]["content"][0]["text"])


def by_step(url: str, agent: AgentSide, tool: str, arguments: dict[str, Any]) -> str:
    step = {"episode_id": agent.episode_id, "action": {"tool_name": tool, "arguments": arguments}}
    return str(httpx.post(f"{url}/step", json=step, timeout=PATIENCE_S).json()["observation"]["text"])


def by_page(url: str, agent: AgentSide, tool: str, arguments: dict[str, Any]) -> str:
    return unescape(agent.http.get(f"/web/{tool}", params=arguments, headers={"Accept": "text/html"}).text)


DOORS = pytest.mark.parametrize(
    "door", [by_rest, by_agents_mcp, by_trainers_mcp, by_step, by_page], ids=lambda door: door.__name__
)


def whole_list(agent: AgentSide, tool: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = agent.by_mcp({"tool_name": tool, "arguments": arguments})["structuredContent"]
    return found


@DOORS
def test_a_long_list_is_read_to_its_end(url: str, door: Door) -> None:
    tool, pages, cursor = "ticketdesk_list_tickets", list[set[str]](), None
    with agent_in(url, seed=5, chaos=0, size="large", max_steps=60) as agent:
        total = whole_list(agent, tool, limit=1)["total"]
        while cursor or not pages:
            arguments = {"limit": MOST, **({"cursor": cursor} if cursor else {})}
            shown = door(url, agent, tool, arguments)
            pages.append({*re.findall(r"\bTD-\d+\b", shown)})
            cursor = next((found for found in reversed(_CURSOR.findall(shown)) if found != "null"), None)

    assert len(pages[0]) < min(MOST, total), "this list fits into an observation"
    assert len(set[str]().union(*pages)) == total


@DOORS
def test_documents_are_found_by_their_kind_alone_and_shown_whole(url: str, door: Door) -> None:
    with agent_in(url, scenario="invoice_match", seed=5, chaos=0) as agent:
        handbooks = whole_list(agent, "datahub_search_documents", kind="handbook")["items"]
        [chapter, *_] = [one["id"] for one in handbooks if one["title"] == TITLE]
        body = whole_list(agent, "datahub_get_document", document_id=chapter)["body"]
        found = door(url, agent, "datahub_search_documents", {"kind": "Handbook"})
        shown = door(url, agent, "datahub_get_document", {"document_id": chapter})

    assert all(one["id"] in found for one in handbooks)
    assert "rounded to the cent once, for the whole line" in shown
    assert " ".join(body.split()[-4:]) in " ".join(shown.replace("\\n", " ").split())
