"""Plays by the MCP client of Inspect, whose tools return the text and raise for an error."""

import asyncio
from typing import Any

from inspect_ai.tool import ToolDef, ToolError, mcp_server_http
from report import call_plan, show


async def called(tool: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a tool of Inspect's gave."""
    try:
        content = await tool(**arguments)
    except ToolError as error:
        return {"text": error.message, "is_error": True}
    return {"text": content[0].text, "is_error": False}


async def main() -> None:
    """Begin as Inspect does, and make those of the calls whose tool it was told of."""
    url, token, calls = call_plan()
    server = mcp_server_http(url=url, headers={"Authorization": f"Bearer {token}"})
    async with server:
        tools = {ToolDef(tool).name: tool for tool in await server.tools()}
        results = [
            await called(tools[call["tool_name"]], call["arguments"])
            for call in calls
            if call["tool_name"] in tools
        ]
        show(tools=list(tools), results=results)


asyncio.run(main())
