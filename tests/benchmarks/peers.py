"""Compares CompanyOS with OpenEnv's echo environments: alternating messages over a WebSocket."""

import itertools
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from tests.contracts.client_venvs import made_once

from .figures import Measurement, percentile
from .machine import family, pss_kb
from .measurements import at_once
from .trainer import Trainer

PROGRAM = Path(__file__).parent / "openenv_programs" / "echo.py"
SESSIONS = 16
ROUNDS = 3
#: Steps of ours between two resets.
EPISODE_STEPS = 100
OURS = "ours"
MESSAGE = "Measured."
#: The actions of each kind of echo.
ACTIONS = {
    "message": {"message": MESSAGE},
    "tool": {"type": "call_tool", "tool_name": "echo_message", "arguments": {"message": MESSAGE}},
}

Play = Callable[[], Awaitable[object]]


@dataclass
class Rates:
    """The steps of one environment: the rate with all sessions, and the time of each with one session."""

    together: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)


class SocketTrainer(Trainer):
    """A trainer that resets and steps over its own WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a reset or a step and return the answer."""
        data = body if path == "/reset" else body["action"]
        return await said(self._socket, {"type": path[1:], "data": data})


async def said(socket: aiohttp.ClientWebSocketResponse, message: dict[str, Any]) -> dict[str, Any]:
    """Send a message of OpenEnv's protocol and return the data of the response."""
    await socket.send_str(orjson.dumps(message).decode())
    answer = orjson.loads(await socket.receive_str())
    if answer["type"] == "error":
        raise RuntimeError(f"{message} was answered {answer}")
    data: dict[str, Any] = answer["data"]
    return data


async def peers(url: str, session: aiohttp.ClientSession, seconds: float) -> list[Measurement]:
    """Measure steps of CompanyOS, and of both kinds of echo."""
    figures = []
    async with AsyncExitStack() as opened:
        plays = {OURS: [await _ours(await _socket(session, opened, url)) for _ in range(SESSIONS)]}
        for kind in ACTIONS:
            server = opened.enter_context(_echo_server(kind))
            plays[kind] = [
                await _echo(await _socket(session, opened, server.url), kind) for _ in range(SESSIONS)
            ]
            figures.append(_memory(kind, server.pid))
        rates = {name: Rates() for name in plays}
        for _ in range(ROUNDS):
            for name, each in plays.items():
                _, alone = await at_once(each[:1], seconds / ROUNDS)
                rate, _ = await at_once(each, seconds / ROUNDS)
                rates[name].alone += alone
                rates[name].together.append(rate)
    return [*figures, *_compared(rates)]


@dataclass(frozen=True)
class EchoServer:
    """A running echo environment."""

    url: str
    pid: int


@contextmanager
def _echo_server(kind: str) -> Iterator[EchoServer]:
    """Run an echo in the virtual environment that has only OpenEnv, and wait until it listens."""
    command = [str(made_once()), str(PROGRAM), kind, str(SESSIONS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        # The program listens before it prints the port, so an early connection waits until it is served.
        port = program.stdout.readline().strip()
        try:
            yield EchoServer(f"http://127.0.0.1:{port}", program.pid)
        finally:
            program.terminate()


async def _socket(
    session: aiohttp.ClientSession, opened: AsyncExitStack, url: str
) -> aiohttp.ClientWebSocketResponse:
    return await opened.enter_async_context(session.ws_connect(f"{url}/ws"))


def _memory(kind: str, pid: int) -> Measurement:
    total = sum(pss_kb(each) for each in family([pid]))
    name = f"memory of OpenEnv's echo ({kind}, PSS)"
    return Measurement(name, total / 1024, "MB", detail=f"one process, {SESSIONS} sessions")


def _compared(rates: dict[str, Rates]) -> list[Measurement]:
    ours = rates.pop(OURS)
    our_step, our_rate = percentile(ours.alone, 0.5) * 1e3, percentile(ours.together, 0.5)
    figures = []
    for kind, theirs in rates.items():
        step, rate = percentile(theirs.alone, 0.5) * 1e3, percentile(theirs.together, 0.5)
        figures += [
            Measurement(
                f"step p50 / that of OpenEnv's echo ({kind})",
                our_step / step,
                "x",
                detail=f"{our_step:.2f} ms (mix) / {step:.2f} ms, one session over a WebSocket",
            ),
            Measurement(
                f"steps/s / those of OpenEnv's echo ({kind})",
                our_rate / rate,
                "x",
                lower_is_better=False,
                detail=f"{our_rate:.0f}/s / {rate:.0f}/s, {SESSIONS} sessions over WebSockets",
            ),
        ]
    return figures


async def _ours(socket: aiohttp.ClientWebSocketResponse) -> Play:
    """Return a function that plays a step of the mix, and resets the episode first every 100 steps."""
    trainer = SocketTrainer(socket)
    steps = itertools.count()
    episode = await trainer.reset()

    async def play() -> None:
        nonlocal episode
        if next(steps) % EPISODE_STEPS == EPISODE_STEPS - 1:
            episode = await trainer.reset()
        await episode.next_step()

    return play


async def _echo(socket: aiohttp.ClientWebSocketResponse, kind: str) -> Play:
    await said(socket, {"type": "reset", "data": {}})

    async def play() -> None:
        answer = await said(socket, {"type": "step", "data": ACTIONS[kind]})
        if answer["observation"].get("error"):
            raise RuntimeError(f"the echo answered {answer}")

    return play
