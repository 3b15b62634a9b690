"""HAProxy with a configuration of `companyos router`, for tests and benchmarks that reach cells through one address."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.patience import PATIENCE_S


@dataclass(frozen=True)
class Router:
    """A running HAProxy: the address that it listens on, and its process."""

    url: str
    pid: int


@asynccontextmanager
async def routed(path: Path, text: str, port: int) -> AsyncIterator[Router]:
    """Run HAProxy with a configuration, which is written to a file, until the block ends."""
    path.write_text(text)
    process = subprocess.Popen(["haproxy", "-db", "-f", path], stdout=subprocess.DEVNULL)
    try:
        yield Router(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.kill()
        process.wait()


async def until_routed(*urls: str) -> None:
    """Wait until routers answer."""
    async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(retries=8)) as http:
        for url in urls:
            assert (await http.get(f"{url}/health", timeout=PATIENCE_S)).status_code == 200
