"""How an employee calls a tool and lets time pass: the one place where calls are made."""

import re
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

from companyos.scenario import Action, Observation, call
from companyos.simtime import from_iso, to_iso

T = TypeVar("T")
Play = Generator[Action, Observation, T]
Answer = Any


class Refused(Exception):
    """A tool said no; the employee did not expect it."""

    def __init__(self, action: Action, error: Mapping[str, Any]) -> None:
        super().__init__(f"{action['tool_name']}: {error['code']}: {error['message']}")
        self.code = error["code"]


class Asker:
    """Reads the brief once, and the clock at every answer."""

    def __init__(self, observation: Observation) -> None:
        self.now = from_iso(observation["sim_now"])
        brief = observation["text"]
        self.id = _found(r"\(([a-z.]+)\)", brief)
        self.ticket_id = _found(r"\b(TD-\d+)\b", brief)

    def ask(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool, again for as long as the failure is one that passes.

        Raises:
            Refused: The tool refused.
        """
        action = call(tool_name, **arguments)
        while True:
            observation = yield action
            self.now = from_iso(observation["sim_now"])
            if (error := observation["error"]) is None:
                return observation["result"]
            if not error["retryable"]:
                raise Refused(action, error)

    def wait_until(self, instant: int) -> Play[None]:
        """Let time pass until this instant; not at all if it is over."""
        if instant > self.now:
            yield from self.ask("wait", until=to_iso(instant))

    def finish(self, answer: str) -> Play[None]:
        """Say that the task is done."""
        yield from self.ask("finish", answer=answer)


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"the brief says nothing like {pattern}")
    return match[1]
