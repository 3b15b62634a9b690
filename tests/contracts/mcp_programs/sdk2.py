"""Plays by the `mcp` SDK 2.x, which asks for `server/discover` first, or begins as older clients do."""

import asyncio
import os

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from report import call_plan, seen, show


async def main() -> None:
    """Begin as the SDK does, list the tools, and make the calls."""
    url, token, calls = call_plan()
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=os.environ.get("MCP_MODE", "auto")) as client:
            tools = (await client.list_tools()).tools
            results = [seen(await client.call_tool(call["tool_name"], call["arguments"])) for call in calls]
            show(
                version=client.protocol_version,
                instructions=client.instructions,
                tools=[tool.name for tool in tools],
                reading=[tool.name for tool in tools if tool.annotations.read_only_hint],
                results=results,
            )


asyncio.run(main())
