"""Plays of scripts against answers given by hand."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from companyos.scenario import Action, Observation
from companyos.sdk.simtime import from_iso, to_iso

T = TypeVar("T")

#: When the plays begin: noon of a simulated day.
NOON = 40 * 86_400 + 43_200


def observation(text: str, **fields: Any) -> Observation:
    """Return what a script observes at noon; fields replace those of an answer without an error."""
    return {"sim_now": to_iso(NOON), "text": text, "error": None, "result": None, **fields}


def replied(
    play: Generator[Action, Observation, T], reply: Callable[[Action, int], Any]
) -> tuple[T, list[Action]]:
    """Drive a play to its end and return its result and its actions.

    `reply` gets each action and the time, and returns the result of the call; a string is a refusal with that code.
    Waiting takes the time that it names, and no other call takes any.
    """
    actions: list[Action] = []
    now, seen = NOON, None
    while True:
        try:
            action = play.send(seen) if seen is not None else next(play)
        except StopIteration as end:
            return end.value, actions
        actions.append(action)
        assert len(actions) < 200, "the play does not end"
        if action["tool_name"] == "wait":
            now = from_iso(action["arguments"]["until"])
        result = {} if action["tool_name"] == "wait" else reply(action, now)
        error = {"code": result, "message": "No.", "retryable": False} if isinstance(result, str) else None
        seen = observation("", sim_now=to_iso(now), result=None if error else result, error=error)


def told(play: Generator[Action, Observation, T], *results: Any) -> tuple[T, list[Action]]:
    """Drive a play with these results, one after the other, waits left out."""
    left = iter(results)
    return replied(play, lambda *_: next(left))
