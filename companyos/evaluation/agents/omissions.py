"""Agents with one skill left out: each plays the oracle's own script, and misses what the skill would do or see.

They work on any scenario, because they stand between its script and the tools: a call that the skill would make is
answered without being made, and what the skill would see in an answer is not shown to the script.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.sdk.scenario import Action, Observation, Scenario
from companyos.sdk.scripts.scripted import Scripted
from companyos.sdk.simtime import from_iso, to_iso

from .turn import ENDS_OF_A_CALL

Facts = Mapping[str, Any]
#: How many calls in a row an agent may leave out before it counts as stuck.
_MOST_OMITTED: Final = 100
_UNDECIDED: Final = ("held", "pending", "escalated", "open")


@dataclass(frozen=True)
class Omission:
    """What an agent leaves out.

    Attributes:
        does: What it does instead of using the skill, as a sentence.
        answers: The results that it assumes instead of calling these tools.
        sees: What it takes an object of an answer for, at a time.
        drops: The argument that it leaves out of the calls of a tool, by tool.
    """

    does: str
    answers: Mapping[str, Facts] = field(default_factory=dict)
    sees: Callable[[Facts, str], Facts] = lambda shown, now: shown
    drops: Mapping[str, str] = field(default_factory=dict)


class Omitting(Scripted):
    """Plays the oracle's script as an employee does who lacks one skill.

    A script may assume what only the missing skill would have found out. Whatever it raises then means that the
    agent gives up.

    Args:
        scenario: The scenario.
        name: The name of one of `OMISSIONS`.
    """

    def __init__(self, scenario: Scenario, name: str) -> None:
        super().__init__(scenario.oracle)
        self._omission = OMISSIONS[name]

    def act(self, observation: Observation) -> Action:
        """Return the next action that is not left out.

        Raises:
            LookupError: The script is stuck without the skill.
        """
        seen = self._observation_without_skill(observation)
        for _ in range(_MOST_OMITTED):
            action = self._next(seen)
            if (result := self._omission.answers.get(action["tool_name"])) is None:
                return self._without_dropped(action)
            seen = {**seen, "sim_now": _end_of(action, seen), "error": None, "result": result}
        raise LookupError("it leaves out everything that would get it any further")

    def _next(self, seen: Observation) -> Action:
        try:
            return super().act(seen)
        # The script is the oracle's, and sound; here it runs on facts that its author ruled out.
        except ENDS_OF_A_CALL as failure:
            raise LookupError(f"stuck: {type(failure).__name__}: {failure}") from failure

    def _observation_without_skill(self, observation: Observation) -> Observation:
        now = observation["sim_now"]
        return {
            **observation,
            "result": _map(observation["result"], lambda shown: self._omission.sees(shown, now)),
            "error": observation["error"] and self._omission.sees(observation["error"], now),
        }

    def _without_dropped(self, action: Action) -> Action:
        dropped = self._omission.drops.get(action["tool_name"])
        arguments = {name: value for name, value in action["arguments"].items() if name != dropped}
        return {**action, "arguments": arguments}


def _end_of(action: Action, observation: Observation) -> str:
    """Return the time after an omitted call: a wait seems to be over at once."""
    arguments = action["arguments"]
    waited = from_iso(observation["sim_now"]) + arguments.get("seconds", 0)
    return str(arguments.get("until") or to_iso(waited))


def _map(value: Any, change: Callable[[Facts], Facts]) -> Any:
    """Return a JSON value with every object in it changed, the inner ones first."""
    if isinstance(value, Mapping):
        return change({name: _map(inner, change) for name, inner in value.items()})
    return [_map(inner, change) for inner in value] if isinstance(value, list) else value


def _replaced(shown: Facts, facts: Facts) -> Facts:
    """Return an object with other values in the fields that it has."""
    return {**shown, **{name: value for name, value in facts.items() if name in shown}}


def _as_current(shown: Facts, now: str) -> Facts:
    return _replaced(
        shown, {"is_stale": False, "freshness": "current", "as_of": now, "expires_at": to_iso(2**32)}
    )


def _first_of_each_title(shown: Facts, now: str) -> Facts:
    titles = dict[str, Facts]()
    for one in shown.get("items", ()):
        if not (isinstance(one, Mapping) and {"title", "written_at"} <= one.keys()):
            return shown
        titles.setdefault(one["title"], {**one, "status": "in_force"})
    return _replaced(shown, {"items": list(titles.values())})


def _as_decided(shown: Facts, now: str) -> Facts:
    decided = {name: "approved" for name in ("status", "approval") if shown.get(name) in _UNDECIDED}
    return {**shown, **decided}


def _as_present(shown: Facts, now: str) -> Facts:
    present = {"is_away": False, "available": True, "away_until": None}
    if "on_duty" in shown:
        present["on_duty"] = shown["id"]
    return _replaced(shown, present)


_NONE: Final[Facts] = {"items": []}

#: The omissions by the names of their agents.
OMISSIONS: Final[Mapping[str, Omission]] = {
    "believes_claims": Omission(
        "takes every figure on file for current, and refreshes none",
        answers={"datahub_refresh_data": {"id": "", "due_at": to_iso(0)}},
        sees=_as_current,
    ),
    "reads_one_edition": Omission(
        "reads the first edition of a document that a search finds, whether or not it is in force",
        sees=_first_of_each_title,
        drops={"datahub_search_documents": "status"},
    ),
    "looks_once": Omission(
        "never waits, and takes what it asked for as granted",
        answers={"wait": {}},
        sees=_as_decided,
    ),
    "ignores_messages": Omission("reads no messages", answers={"datahub_list_messages": _NONE}),
    "ignores_automations": Omission(
        "looks up no automations, and overlooks announced changes",
        answers={
            f"{service}_list_automations": _NONE for service in ("ticketdesk", "datahub", "approvalflow")
        },
        sees=lambda shown, now: _replaced(shown, {"announced": []}),
    ),
    "overlooks_absence": Omission("takes everybody to be present", sees=_as_present),
    "retries_nothing": Omission(
        "takes the first failure of a call for the last word",
        sees=lambda shown, now: _replaced(shown, {"retryable": False}),
    ),
}
