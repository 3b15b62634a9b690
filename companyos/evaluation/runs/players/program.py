"""An agent that is a program: one process per episode, JSON lines on its standard input and output.

The program reads `{"type": "reset", "observation": …, "tools": […]}`, and after each of its actions one
`{"type": "step", "observation": …}`. It answers with one line, which is an action or
`{"action": …, "text": …, "usage": {…}}`. Its input ends with the episode.
"""

import asyncio
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final

import orjson

from companyos.client import TOKEN_VARIABLE
from companyos.sdk.scenario import Observation

from ...agents.reported_usage import cost_of, count_of
from ...agents.turn import AgentFailed, AgentTurn, AgentUnavailable, Usage
from .scripted import functions_of

#: Most bytes of one answer.
MOST_BYTES: Final = 4 * 2**20
#: Characters of the program's standard error that an agent error quotes.
_QUOTED: Final = 500
#: How long a program may take to exit by itself, in seconds.
_ENDING_S: Final = 2.0
_TOKENS: Final = tuple(each.name for each in fields(Usage) if each.name != "cost_usd")


class ProgramPlayer:
    """Plays a program.

    Args:
        command: The program and its arguments.
    """

    system_prompt = ""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: asyncio.subprocess.Process | None = None
        self._errors = b""
        self._reading: asyncio.Task[None] | None = None
        self._is_first = True
        self.tools: Sequence[Mapping[str, Any]] = ()

    async def start(self, observation: Observation) -> None:
        """Start the program."""
        self.tools = functions_of(observation)
        self._is_first = True
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=MOST_BYTES,
                env={name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE},
                start_new_session=True,
            )
        except OSError as failure:
            reason = f"{self._command[0]} cannot be started: {failure.strerror}"
            raise AgentUnavailable(reason) from failure
        self._reading = asyncio.create_task(self._read_errors(self._process))

    async def act(self, observation: Observation) -> AgentTurn:
        """Send the observation and return the program's answer."""
        shown = {name: value for name, value in observation.items() if name != "tools"}
        message: dict[str, Any] = {"type": "step", "observation": shown}
        if self._is_first:
            message = {"type": "reset", "observation": shown, "tools": list(self.tools)}
            self._is_first = False
        return turn_of(await self._exchange(orjson.dumps(message) + b"\n"))

    async def close(self) -> None:
        """End the program: close its input, and a little later end every process that it started."""
        if (process := self._process) is None:
            return
        self._process = None
        if process.stdin is not None:
            process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                await process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if self._reading is not None:
            await self._reading

    async def _exchange(self, message: bytes) -> bytes:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(message)
            await process.stdin.drain()
            line = await process.stdout.readline()
        except ValueError:
            raise AgentFailed(f"the program answered with more than {MOST_BYTES} bytes") from None
        except (BrokenPipeError, ConnectionResetError):
            line = b""
        if not line.endswith(b"\n"):
            raise AgentFailed(await self._last_words(process))
        return line

    async def _last_words(self, process: asyncio.subprocess.Process) -> str:
        try:
            async with asyncio.timeout(_ENDING_S):
                code = await process.wait()
                await asyncio.shield(self._reading) if self._reading else None
        except TimeoutError:
            return "the program closed its output"
        output = self._errors.decode(errors="replace").strip()[-_QUOTED:]
        return f"the program ended with exit code {code}" + (f": {output}" if output else "")

    async def _read_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(4096):
            self._errors = (self._errors + data)[-4 * _QUOTED :]


def turn_of(line: bytes) -> AgentTurn:
    """Parse a line of a program as a turn; a line that is not JSON is what the program said.

    Bytes and numbers that make no sense never cost the call beside them.
    """
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError:
        answer = _leniently(line)
    if not isinstance(answer, dict) or "action" not in answer:
        return AgentTurn(answer if isinstance(answer, dict) else line.decode(errors="replace").rstrip("\n"))
    return AgentTurn(
        answer["action"],
        text=str(answer.get("text") or ""),
        usage=usage_of(answer.get("usage")),
        omitted_results=count_of(answer.get("omitted_results")),
    )


def usage_of(reported: Any) -> Usage:
    """Return the usage that an agent reports; what makes no sense in it counts as nothing."""
    if not isinstance(reported, Mapping):
        return Usage()
    prompt, completion, cached = (count_of(reported.get(name)) for name in _TOKENS)
    return Usage(prompt, completion, cached, cost_of(reported.get("cost_usd")))


def _leniently(line: bytes) -> Any:
    """Return a line's JSON without NaN, halves of surrogate pairs and broken UTF-8; None if it is no JSON."""
    try:
        document = json.loads(line.decode(errors="replace"))
        return json.loads(json.dumps(document, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
