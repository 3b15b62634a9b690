"""Tools that answer scripted agents from what a test gives them, and a record of the calls."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.scenario import Action, Observation
from companyos.sdk.simtime import HOUR, MINUTE, from_iso, to_iso

from .made import START

BRIEF: Final = "You are Ada Moss (ada.moss), analyst. Prepare its ticket TD-1042 and obtain a decision."
TOOLS: Final = ("wait", "finish", "refuse")


class Refusal(dict[str, Any]):
    """An error that a tool answers with."""

    def __init__(self, code: str, *, retryable: bool = False, **facts: Any) -> None:
        super().__init__(code=code, message="No.", retryable=retryable, **facts)


@dataclass
class Played:
    """What an agent called, and what its play returned."""

    actions: list[Action] = field(default_factory=list)
    value: Any = None

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it called, in order."""
        return [action["tool_name"] for action in self.actions]

    def arguments(self, tool_name: str) -> list[dict[str, Any]]:
        """Return the arguments of each call of a tool."""
        return [action["arguments"] for action in self.actions if action["tool_name"] == tool_name]


def start(now: int = START, text: str = BRIEF) -> Observation:
    """Return the first observation of an agent."""
    return {"sim_now": to_iso(now), "text": text, "result": None, "error": None, "tools": []}


def played(
    play: Generator[Action, Observation, Any], answers: Mapping[str, Any], *, most: int = 60
) -> Played:
    """Play until the end, or until `finish` or `refuse`; a call takes a minute, and a wait until its end.

    Args:
        play: The agent's play.
        answers: By tool, an answer, or a list of answers of which the last one stays, or a function of the arguments.
        most: The most calls.
    """
    answering = {tool: list(one) if isinstance(one, list) else one for tool, one in answers.items()}
    record, now = Played(), START
    try:
        action = next(play)
        for _ in range(most):
            record.actions.append(action)
            if action["tool_name"] in ("finish", "refuse"):
                return record
            now = _after(action, now)
            action = play.send(_shown(_answer(answering, action), now))
    except StopIteration as end:
        record.value = end.value
        return record
    raise AssertionError(f"it goes on and on: {record.tools[-12:]}")


def policy(**columns: Any) -> dict[str, Any]:
    """Return a policy as ApprovalFlow shows it."""
    return {
        "id": "buying",
        "policy_version": 1,
        "decision_s": HOUR,
        "sod": False,
        "announced": [],
        "routes": [{"role": "cfo", "below": None}],
        **columns,
    }


def person(
    person_id: str,
    *,
    away_s: int = 0,
    delegate: Any = None,
    types: tuple[str, ...] = ("buying",),
    limit: float | None = None,
    **columns: Any,
) -> dict[str, Any]:
    """Return a person as DataHub shows them."""
    return {
        "id": person_id,
        "away_until": to_iso(START + away_s) if away_s else None,
        "is_away": bool(away_s),
        "available": not away_s,
        "delegate": delegate,
        "delegate_types": list(types),
        "delegate_limit": limit,
        "others": [],
        **columns,
    }


def _after(action: Action, now: int) -> int:
    if action["tool_name"] == "wait":
        return max(from_iso(action["arguments"]["until"]), now)
    return now + MINUTE


def _answer(answers: Mapping[str, Any], action: Action) -> Any:
    if (tool := action["tool_name"]) in TOOLS:
        return {}
    found: Callable[..., Any] | list[Any] | Mapping[str, Any] = answers[tool]
    if isinstance(found, list):
        return found.pop(0) if len(found) > 1 else found[0]
    return found(**action["arguments"]) if callable(found) else found


def _shown(answer: Any, now: int) -> Observation:
    error = answer if isinstance(answer, Refusal) else None
    return {"sim_now": to_iso(now), "text": "", "result": None if error else answer, "error": error}
