"""The floors of this machine in this run: no part of a step can be faster."""

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import uvicorn
from fastapi import FastAPI, Request
from redis.asyncio import Redis

from companyos.embedded.stores.binaries import postgres_folder

from .figures import Measurement, timed, times_figure

ECHO_PORT_TRIES_S = 0.02


async def floors(addresses: dict[str, str], count: int) -> list[Measurement]:
    """Measure a bare server, a single-row update and a Redis ping."""
    return [
        await bare_post(count),
        pgbench_update(addresses["postgres"]),
        await redis_ping(addresses["redis"], count),
    ]


async def bare_post(count: int) -> Measurement:
    """Measure a POST of a small JSON body to a FastAPI app that returns it."""
    async with bare_server() as url, aiohttp.ClientSession() as session:

        async def post() -> None:
            async with session.post(url, json={"tool": "none"}) as answer:
                await answer.read()

        return times_figure("floor: POST to a bare FastAPI app", await timed(post, count))


@asynccontextmanager
async def bare_server() -> AsyncIterator[str]:
    """Serve an echo app on a thread with its own event loop."""
    app = FastAPI()

    @app.post("/")
    async def echo(request: Request) -> Any:
        return await request.json()

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    serving = asyncio.create_task(asyncio.to_thread(server.run))
    while not server.started:
        await asyncio.sleep(ECHO_PORT_TRIES_S)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        await serving


def pgbench_update(admin_url: str) -> Measurement:
    """Measure a single-row update transaction with one client of pgbench, PostgreSQL's own benchmark."""
    program = postgres_folder() / "pgbench"
    environment = {**os.environ, "PGOPTIONS": "-c synchronous_commit=off"}
    run = [str(program), "-n", "-N", "-c", "1", "-T", "3", "-M", "prepared", admin_url]
    subprocess.run([str(program), "-i", "-q", admin_url], check=True, capture_output=True, env=environment)
    said = subprocess.run(run, check=True, capture_output=True, text=True, env=environment).stdout
    latency = re.search(r"latency average = ([\d.]+) ms", said)
    assert latency, said
    return Measurement(
        "floor: pgbench simple update", float(latency[1]), "ms", detail="average of 3 s, one client"
    )


async def redis_ping(url: str, count: int) -> Measurement:
    """Measure a PING over the stack's own connection to Redis."""
    redis = Redis.from_url(url)
    times = await timed(redis.ping, count)
    await redis.aclose()
    return times_figure("floor: Redis PING", times)
