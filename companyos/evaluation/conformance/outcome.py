"""The outcome of a play, told to the scenario's author: what was missing, how it ended, and where to look next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companyos.evaluation.script_failures import ScriptFailure
from companyos.sdk.scenario import Action, ExpectedRefusal, Instance

#: The longest message of a refused call that is quoted, in characters.
_QUOTED: Final = 160


@dataclass(frozen=True)
class Played:
    """A finished episode.

    Attributes:
        instance: What was played.
        level: The chaos level.
        first: The first observation.
        metadata: The metadata of the last result.
        grade: The grade card.
        last: The last action, if there was one.
        refused: The last call that was refused, with its step and the reason; empty if there was none.
        failure: Why the script stopped, if it raised an exception.
    """

    instance: Instance
    level: int
    first: Mapping[str, Any]
    metadata: Mapping[str, Any]
    grade: Mapping[str, Any]
    last: Action | None = None
    refused: str = ""
    failure: ScriptFailure | None = None

    @property
    def success(self) -> bool:
        """Whether the task was solved."""
        return bool(self.metadata.get("success"))

    @property
    def outcome(self) -> str:
        """Describe a failure for the scenario's author."""
        if self.metadata.get("invalid"):
            return "the stack failed and the episode is invalid; see `companyos logs`"
        steps = f"after {self.grade['step_count']} of {self.instance.max_steps} steps"
        parts = [f"{'; '.join(self._reasons())}, {steps}"]
        if self.refused:
            parts.append(f"last refusal: {self.refused}")
        if self.level:
            name, seed = self.instance.scenario, self.instance.seed
            parts.append(f"faults: `companyos chaos explain {self.level} --scenario {name} --seed {seed}`")
        return "; ".join(parts)

    def _reasons(self) -> list[str]:
        """Return what went wrong: the script's own failure, or what the grade card lacks."""
        if self.failure is not None:
            return [str(self.failure)]
        return [*self._flaws(), *self._wrong_ending()] or ["its answer is wrong"]

    def _flaws(self) -> Iterator[str]:
        yield from (f"{must['name']} does not hold" for must in self.grade["musts"] if not must["holds"])
        yield from (f"{never['name']} occurred" for never in self.grade["forbidden"] if not never["kept"])
        yield from (f"{one['name']} was broken" for one in self.grade["orders"] if not one["kept"])
        yield from (f"{row} was written outside the task" for row in self.grade["collateral"])

    def _wrong_ending(self) -> Iterator[str]:
        """Yield what is wrong with the way the episode ended."""
        tool = self.last.get("tool_name", "") if self.last else ""
        if tool not in ("finish", "refuse") or self.metadata.get("truncated"):
            yield "it did not end with `finish` or `refuse`"
        elif tool == "refuse" and self.instance.feasible:
            yield "it ended with `refuse`, but the task can be done"
        elif tool == "finish" and not self.instance.feasible:
            yield "it ended with `finish`, but the task has to be refused"
        elif self.instance.refusal and self.last:
            yield from _wrong_refusal(self.instance.refusal, self.last["arguments"])


def refusal(step: int, action: Action, error: Mapping[str, Any]) -> str:
    """Return a refused call in words."""
    message = str(error["message"])
    quoted = message if len(message) <= _QUOTED else f"{message[:_QUOTED]}…"
    return f"step {step}, {action.get('tool_name')}: {error['code']}: {quoted}"


def _wrong_refusal(right: ExpectedRefusal, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what distinguishes a refusal from the right one."""
    if (reason := given.get("reason_code")) not in right.reason_codes:
        yield f"`refuse` gave the reason {reason!r}, not {' or '.join(map(repr, right.reason_codes))}"
    if missing := sorted(set(right.evidence) - set(given.get("evidence") or ())):
        yield f"`refuse` lacks the evidence {', '.join(missing)}"
