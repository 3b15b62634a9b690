"""Agents as users write them."""

import asyncio
import sys
from typing import Any, NoReturn

from companyos.evaluation.agents.turn import AgentTurn, Usage

FINISH = {"tool_name": "finish", "arguments": {}}
NO_CODE = 3


def plain(observation: Any) -> Any:
    return FINISH


async def waiting(observation: Any) -> Any:
    return FINISH


def with_an_option(observation: Any, *, mood: str = "good") -> Any:
    return {**FINISH, "arguments": {"mood": mood}}


def broken(observation: Any) -> Any:
    return {}["nothing"]


def exiting(observation: Any) -> Any:
    sys.exit("no budget left")


def exiting_silently(observation: Any) -> Any:
    sys.exit()


async def exiting_later(observation: Any) -> Any:
    await asyncio.sleep(0)
    sys.exit(3)


def at_the_end_of_a_plan(observation: Any) -> Any:
    return next(iter(()))


def closing(observation: Any) -> Any:
    raise GeneratorExit


def cancelling(observation: Any) -> Any:
    raise asyncio.CancelledError


def two(first: Any, second: Any) -> Any:
    return FINISH


def factory_of_nothing() -> Any:
    return None


def broken_factory() -> Any:
    raise OSError("no key")


def exiting_factory() -> NoReturn:
    sys.exit("no key")


class Counting:
    """An agent with a state of its own in every episode."""

    system_prompt = "Count."
    closed = 0

    def __init__(self) -> None:
        self.turns = 0

    def start(self, observation: Any) -> None:
        self.turns = 0

    async def act(self, observation: Any) -> AgentTurn:
        self.turns += 1
        return AgentTurn(FINISH, text=str(self.turns), usage=Usage(1, 2))

    def close(self) -> None:
        Counting.closed += 1


class Place:
    """Holds code that is no module."""

    inner = staticmethod(plain)
