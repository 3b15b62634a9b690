"""Plays by the MCP client of the OpenAI Agents SDK."""

import asyncio

from agents.mcp import MCPServerStreamableHttp
from report import call_plan, seen, show


async def main() -> None:
    """Begin as the SDK does, list the tools, and make the calls."""
    url, token, calls = call_plan()
    access = {"url": url, "headers": {"Authorization": f"Bearer {token}"}}
    async with MCPServerStreamableHttp(access) as server:
        tools = await server.list_tools()
        results = [seen(await server.call_tool(call["tool_name"], call["arguments"])) for call in calls]
        show(tools=[tool.name for tool in tools], results=results)


asyncio.run(main())
