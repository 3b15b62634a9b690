"""Plays by the `mcp` SDK 1.x."""

import asyncio

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from report import call_plan, seen, show


async def main() -> None:
    """Begin as the SDK does, list the tools, and make the calls."""
    url, token, calls = call_plan()
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        streamablehttp_client(url, headers=headers) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        begun = await session.initialize()
        await session.send_ping()
        tools = (await session.list_tools()).tools
        results = [seen(await session.call_tool(call["tool_name"], call["arguments"])) for call in calls]
    show(
        version=begun.protocolVersion,
        instructions=begun.instructions,
        tools=[tool.name for tool in tools],
        reading=[tool.name for tool in tools if tool.annotations.readOnlyHint],
        results=results,
    )


asyncio.run(main())
