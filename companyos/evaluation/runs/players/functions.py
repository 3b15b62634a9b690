"""An agent in Python code: a function of the observation, or a factory that makes an agent per episode."""

import asyncio
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from companyos.sdk.scenario import Observation
from companyos.sdk.scenario_sources import reason_of

from ...agents.turn import (
    ENDS_OF_A_CALL,
    ENDS_OF_A_COROUTINE,
    AgentFailed,
    AgentTurn,
    AgentUnavailable,
    AsyncAgent,
)
from .scripted import AgentSource, functions_of


class CodeUnusable(ValueError):
    """The code does not exist, cannot be imported or is not an agent. The message says what would be."""


class CodePlayer:
    """Plays the user's agent: an object with `act` and optionally `start`, `close` and other attributes.

    Methods that are not asynchronous run in a thread, so they may block.

    Args:
        agent: The object.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.system_prompt = str(getattr(agent, "system_prompt", ""))
        self.tools: Sequence[Mapping[str, Any]] = ()

    async def start(self, observation: Observation) -> None:
        """Begin an episode."""
        await self._called("start", observation)
        with _as_failures(ENDS_OF_A_CALL):
            self.system_prompt = str(getattr(self._agent, "system_prompt", ""))
            self.tools = getattr(self._agent, "tools", None) or functions_of(observation)

    async def act(self, observation: Observation) -> AgentTurn:
        """Return the agent's next action."""
        output = await self._called("act", observation)
        return output if isinstance(output, AgentTurn) else AgentTurn(output)

    async def close(self) -> None:
        """Close the agent."""
        await self._called("close")

    async def _called(self, method: str, *arguments: Any) -> Any:
        function = getattr(self._agent, method, None)
        if function is None:
            return None
        with _as_failures(ENDS_OF_A_COROUTINE):
            if inspect.iscoroutinefunction(function):
                return await function(*arguments)
            result = await asyncio.to_thread(_result_of, function, *arguments)
            return await result if inspect.isawaitable(result) else result


class FunctionAgent:
    """Plays a function from observations to actions.

    Args:
        function: The function, which may be asynchronous.
    """

    def __init__(self, function: Callable[[Observation], Any]) -> None:
        self.act = function


def code_source(target: str) -> AgentSource:
    """Return the agent source for `module:callable`; the current folder is searched as well.

    A callable that takes one argument is a function from observations to actions. A callable that takes none
    makes the agent of an episode: an object with `act(observation)` and optionally `start(observation)` and
    `close()`.

    Raises:
        CodeUnusable: There is no such callable, or it takes other arguments.
    """
    function = _found(target)
    if _arguments_of(function, target):
        return lambda task: CodePlayer(FunctionAgent(function))

    def make() -> AsyncAgent:
        with _as_failures(ENDS_OF_A_CALL, AgentUnavailable, f"{target}: "):
            agent = function()
            if not callable(getattr(agent, "act", None)):
                raise AgentUnavailable(f"{target} returned {type(agent).__name__}, which has no method `act`")
            return CodePlayer(agent)

    return lambda task: make()


def _result_of(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call an agent's code in a thread.

    StopIteration must not leave the thread, because no future can hold it, and who waits for one would wait forever.
    """
    with _as_failures(ENDS_OF_A_CALL):
        return function(*arguments)


@contextmanager
def _as_failures(
    ends: tuple[type[BaseException], ...], kind: type[AgentFailed] = AgentFailed, prefix: str = ""
) -> Iterator[None]:
    """Raise a failure of the agent for whatever its code raises to end."""
    try:
        yield
    except kind:
        raise
    except ends as raised:
        raise kind(f"{prefix}{type(raised).__name__}: {raised}".removesuffix(": ")) from raised


def _found(target: str) -> Any:
    module, _, name = target.partition(":")
    if not (module and name):
        raise CodeUnusable(f"{target!r} does not name a callable as module:callable does")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
    except ImportError as failure:
        raise CodeUnusable(f"{module} cannot be imported: {failure}") from None
    except ENDS_OF_A_CALL as raised:
        raise CodeUnusable(f"{module} cannot be imported: {reason_of(raised)}") from None
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError:
        raise CodeUnusable(f"{module} has no {name}") from None
    if not callable(found):
        raise CodeUnusable(f"{target} is not callable")
    return found


def _arguments_of(function: Any, target: str) -> int:
    """Return how many arguments a callable requires: none or one."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in parameters if one.default is one.empty and one.kind in positional]
    if len(needed) > 1:
        raise CodeUnusable(f"{target} needs {len(needed)} arguments; an agent takes the observation alone")
    return len(needed)
