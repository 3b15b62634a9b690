"""Compares CompanyOS with OpenEnv's echo environments: a long mix of calls, and short episodes of new seeds."""

import itertools
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
from .trainer import Call, Episode, Trainer

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

RESET: dict[str, Any] = {"type": "reset", "data": {}}
#: Steps of a short episode, what each of ours does, and how our rate should compare.
STREAM_STEPS = 7
CALLS = {"read": Episode.read, "write": Episode.write}
STREAM_GOALS = {"read": 1.2, "write": 1.0}

Play = Callable[[], Awaitable[object]]


@dataclass
class Rates:
    """The steps of one environment: the rate with all sessions, and the time of each with one session."""

    together: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)


class SocketTrainer(Trainer):
    """A trainer that resets and steps over its own WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, tools: list[str]) -> None:
        self._socket = socket
        self._tools = tools

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a reset or a step and return the answer."""
        data = body if path == "/reset" else body["action"]
        return await exchange(self._socket, {"type": path[1:], "data": data})


async def exchange(socket: aiohttp.ClientWebSocketResponse, message: dict[str, Any]) -> dict[str, Any]:
    """Send a message of OpenEnv's protocol and return the data of the response."""
    await socket.send_str(orjson.dumps(message).decode())
    answer = orjson.loads(await socket.receive_str())
    if answer["type"] == "error":
        raise RuntimeError(f"{message} was answered {answer}")
    data: dict[str, Any] = answer["data"]
    return data


async def peers(
    url: str, session: aiohttp.ClientSession, seconds: float, tools: list[str]
) -> list[Measurement]:
    """Measure CompanyOS and both kinds of echo in turns: steps of one long episode, then of many short ones.

    Args:
        tools: The tools of each of our episodes.
    """
    async with AsyncExitStack() as opened:
        # Every session opens two connections: one for the long episode, one for the short ones.
        servers = {kind: opened.enter_context(echo_server(kind, 2 * SESSIONS)) for kind in ACTIONS}

        async def ours() -> SocketTrainer:
            return SocketTrainer(await open_socket(session, opened, url), tools)

        async def theirs(kind: str) -> aiohttp.ClientWebSocketResponse:
            return await open_socket(session, opened, servers[kind].url)

        long = {OURS: [await _mix(await ours()) for _ in range(SESSIONS)]}
        for kind in ACTIONS:
            long[kind] = [await echo_play(await theirs(kind), kind) for _ in range(SESSIONS)]
        memory = [_memory(kind, server.pid) for kind, server in servers.items()]
        compared = _compared(await _in_turns(long, seconds))
        # Connected only now: a client that does not read answers no pings, and would have lost its connection.
        seeds = itertools.count(int(time.time()) * 1000)
        short = {
            name: [_stream(await ours(), seeds, call) for _ in range(SESSIONS)]
            for name, call in CALLS.items()
        }
        short["tool"] = [_echo_stream(await theirs("tool")) for _ in range(SESSIONS)]
        return [*memory, *compared, *_streams_compared(await _in_turns(short, seconds))]


async def _in_turns(plays: Mapping[str, Sequence[Play]], seconds: float) -> dict[str, Rates]:
    """Let each environment play alone and with all sessions, several times in turns."""
    rates = {name: Rates() for name in plays}
    for _ in range(ROUNDS):
        for name, each in plays.items():
            _, alone = await at_once(each[:1], seconds / ROUNDS)
            rate, _ = await at_once(each, seconds / ROUNDS)
            rates[name].alone += alone
            rates[name].together.append(rate)
    return rates


@dataclass(frozen=True)
class EchoServer:
    """A running echo environment."""

    url: str
    pid: int


@contextmanager
def echo_server(kind: str, sessions: int) -> Iterator[EchoServer]:
    """Run an echo in the virtual environment that has only OpenEnv, and wait until it listens."""
    command = [str(made_once()), str(PROGRAM), kind, str(sessions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        # The program listens before it prints the port, so an early connection waits until it is served.
        port = program.stdout.readline().strip()
        try:
            yield EchoServer(f"http://127.0.0.1:{port}", program.pid)
        finally:
            program.terminate()


async def open_socket(
    session: aiohttp.ClientSession, opened: AsyncExitStack, url: str
) -> aiohttp.ClientWebSocketResponse:
    """Open a session of OpenEnv's protocol that `opened` closes."""
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


def _streams_compared(rates: dict[str, Rates]) -> list[Measurement]:
    """Compare the steps of short episodes, whose resets count as their time and not as steps."""
    theirs = percentile(rates.pop("tool").together, 0.5)
    share = STREAM_STEPS / (STREAM_STEPS + 1)
    return [
        Measurement(
            f"new seeds: steps/s ({name}) / those of OpenEnv's echo (tool)",
            percentile(found.together, 0.5) / theirs,
            "x",
            STREAM_GOALS[name],
            lower_is_better=False,
            detail=(
                f"{percentile(found.together, 0.5) * share:.0f}/s / {theirs * share:.0f}/s, {SESSIONS} sessions, "
                f"a reset every {STREAM_STEPS} steps, each of ours to a new seed"
            ),
        )
        for name, found in rates.items()
    ]


async def _mix(trainer: SocketTrainer) -> Play:
    """Return a function that plays a step of the mix, and resets the episode first every 100 steps."""
    steps = itertools.count()
    episode = await trainer.reset()

    async def play() -> None:
        nonlocal episode
        if next(steps) % EPISODE_STEPS == EPISODE_STEPS - 1:
            episode = await trainer.reset()
        await episode.next_step()

    return play


def _stream(trainer: SocketTrainer, seeds: Iterator[int], call: Callable[[Episode], Call]) -> Play:
    """Return a function that resets to a new seed, or takes one of the seven steps that follow."""
    turns = itertools.cycle(range(STREAM_STEPS + 1))
    episodes: list[Episode] = []

    async def play() -> None:
        if next(turns) == 0:
            episodes[:] = [await trainer.reset(seed=next(seeds))]
        else:
            await episodes[0].step(call(episodes[0]))

    return play


async def echo_play(socket: aiohttp.ClientWebSocketResponse, kind: str) -> Play:
    """Reset an echo, and return a function that takes a step in it."""
    await exchange(socket, RESET)
    return lambda: _echoed(socket, kind)


def _echo_stream(socket: aiohttp.ClientWebSocketResponse) -> Play:
    turns = itertools.cycle(range(STREAM_STEPS + 1))

    async def play() -> None:
        await (exchange(socket, RESET) if next(turns) == 0 else _echoed(socket, "tool"))

    return play


async def _echoed(socket: aiohttp.ClientWebSocketResponse, kind: str) -> None:
    answer = await exchange(socket, {"type": "step", "data": ACTIONS[kind]})
    if answer["observation"].get("error"):
        raise RuntimeError(f"the echo answered {answer}")
