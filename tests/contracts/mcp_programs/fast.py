"""Plays by the client of `fastmcp`."""

import asyncio

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from report import call_plan, seen, show


async def main() -> None:
    """Begin as the client does, list the tools, and make the calls."""
    url, token, calls = call_plan()
    async with Client(StreamableHttpTransport(url, headers={"Authorization": f"Bearer {token}"})) as client:
        tools = await client.list_tools()
        results = [seen(await client.call_tool_mcp(call["tool_name"], call["arguments"])) for call in calls]
        show(tools=[tool.name for tool in tools], results=results)


asyncio.run(main())
