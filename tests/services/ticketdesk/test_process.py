"""TicketDesk as a process of its own."""

import asyncio
import os
import signal
import sys

import httpx

from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, free_port


async def test_ticketdesk_runs_as_a_process_of_its_own(desk):
    port = free_port()
    settings = {
        "COMPANYOS_DATABASE_URL": desk.databases.url("ticketdesk"),
        "COMPANYOS_REDIS_URL": desk.databases.redis_url,
        "COMPANYOS_CONTEXT_KEY": CONTEXT_KEY,
        "COMPANYOS_ADMIN_TOKEN": ADMIN_TOKEN,
        "COMPANYOS_PORT": str(port),
    }

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.ticketdesk", env={**os.environ, **settings}
    )
    try:
        assert await readiness(f"http://127.0.0.1:{port}/ready") == {"status": "ready"}
    finally:
        process.send_signal(signal.SIGTERM)

    assert await process.wait() in (0, -signal.SIGTERM)


async def readiness(url: str) -> object:
    async with httpx.AsyncClient() as client, asyncio.timeout(20):
        while True:
            try:
                return (await client.get(url)).json()
            except httpx.TransportError:
                await asyncio.sleep(0.05)
