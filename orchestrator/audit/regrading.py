"""Regrading: a trace's ledger, rewards and outcome, recomputed from its recorded changes without a stack.

Regrading takes each step's changes and observation from the trace, but not the rewards. It generates the
company again, applies the changes to it, and compares every ledger line with the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from companyos.sdk.scenario import Base, Instance

from ..agent.observations import INVALID_ACTION, ErrorType
from ..agent.tools import FINISH, REFUSE
from ..grading.grader import Grader
from ..grading.rewards import Ending, StepFacts, entries, payout, total
from ..progress.fault_account import FaultAccount
from ..protocol.options import RewardMode, RewardProfile
from ..protocol.records import NOTHING
from ..protocol.trace_records import CallOutcome, written_of
from .verification import Trace

Record = Mapping[str, Any]
#: The outcomes of a call, by the kind of error in its observation.
_OUTCOMES = {
    None: {CallOutcome.DONE},
    ErrorType.NOT_FOUND: {CallOutcome.UNKNOWN_TOOL},
    ErrorType.ARGUMENTS: {CallOutcome.BAD_ARGUMENTS},
    ErrorType.EXECUTION: {CallOutcome.REFUSED, CallOutcome.VIOLATION},
}


@dataclass(frozen=True)
class Rules:
    """The parts of the services' manifests that grading needs.

    Attributes:
        journals: Append-only tables that the agent's calls may always write to, as (service, table).
        maintained: The columns that services maintain themselves, by table.
        violations: Codes of refusals that always mean a policy violation.
    """

    journals: frozenset[tuple[str, str]]
    maintained: Mapping[tuple[str, str], frozenset[str]]
    violations: frozenset[str]


@dataclass(frozen=True)
class Regraded:
    """The result of regrading a trace.

    Attributes:
        episode_return: Sum of the rewards its steps should have paid.
        success: Whether the task was solved; None if the episode is not over, or must not be scored.
        differences: The differences from the trace, in words; empty if there are none.
    """

    episode_return: float
    success: bool | None
    differences: list[str]


def regraded(trace: Trace, instance: Instance, rules: Rules) -> Regraded:
    """Grade a trace again.

    Args:
        trace: Its head, and its steps in order.
        instance: The scenario's instance for the coordinates in the head.
        rules: The relevant parts of the services' manifests.
    """
    return _Regrading(trace, instance, rules).result()


class _Regrading:
    def __init__(self, trace: Trace, instance: Instance, rules: Rules) -> None:
        self._head, *self._steps = trace
        self._rules = rules
        self._grader = Grader(instance, Base(instance.rows), rules.journals, rules.maintained)
        self._parts: list[Record] = [*self._head.get("earlier", ()), self._head]
        self._account = FaultAccount(instance.faults)
        self._not_offered = list(instance.not_offered)
        self._total, self._paid = NOTHING, NOTHING
        self._success: bool | None = None

    def result(self) -> Regraded:
        differences = [difference for record in self._steps for difference in self._step(record)]
        return Regraded(
            float(self._paid), self._success, [*differences, *self._after_the_end(), *self._faults()]
        )

    @property
    def _options(self) -> Record:
        """The options of the part being graded: `rewards`, `reward_mode` and `max_steps`."""
        return self._parts[0]

    def _enter(self, step: int) -> None:
        """Begin the part to which a step belongs; returns count from its beginning."""
        while len(self._parts) > 1 and step > self._parts[0]["until"]:
            self._grader.since = self._parts.pop(0)["until"]
            self._total = self._paid = NOTHING

    def _step(self, record: Record) -> Iterator[str]:
        self._enter(record["step"])
        if record["invalid"] is not None:
            self._success = None
            self._account.note(record, self._grader.view)
            yield from _different(record, _stopped_record(self._paid))
            return
        yield from self._implausible(record)
        facts = self._advance(record)
        ending = self._ending(record)
        expected = self._expected_record(record, facts, ending)
        self._account.note(record, self._grader.view)
        yield from _different(record, expected)

    def _advance(self, record: Record) -> StepFacts:
        step = record["step"]
        if record["violation"] is not None:
            self._grader.note_violation(step, record["violation"])
        return self._grader.advance(step, written_of(record), self._total)

    def _ending(self, record: Record) -> Ending | None:
        action = record["action"]
        if record["outcome"] == CallOutcome.DONE and action.get("tool_name") == FINISH.name:
            return self._grader.finished(FINISH.read(action.get("arguments") or {}).get("answer"))
        if record["outcome"] == CallOutcome.DONE and action.get("tool_name") == REFUSE.name:
            arguments = action["arguments"]
            return self._grader.refused(arguments["reason_code"], arguments.get("evidence") or ())
        if action.get("type") == "abandon":
            return Ending.FAILURE
        return Ending.TIMEOUT if record["step"] >= self._options["max_steps"] else None

    def _expected_record(self, record: Record, facts: StepFacts, ending: Ending | None) -> dict[str, Any]:
        graded = replace(facts, call=CallOutcome(record["outcome"]), ending=ending)
        lines = entries(RewardProfile(self._options["rewards"]), graded)
        earned, over = total(lines), ending is not None
        mode = RewardMode(self._options["reward_mode"])
        reward = payout(mode, earlier=self._total, now=earned, done=over)
        self._total, self._paid = self._total + earned, self._paid + reward
        self._success = ending.succeeded if ending else None
        return {
            "ledger": [line.document for line in lines],
            "reward": float(reward),
            "return": float(self._paid),
            "outside": [list(row_key) for row_key in facts.outside],
            "done": over,
            "success": self._success,
            "terminated": over and ending is not Ending.TIMEOUT,
            "truncated": ending is Ending.TIMEOUT,
        }

    def _implausible(self, record: Record) -> Iterator[str]:
        error = record["observation"]["error"]
        possible = _possible_outcomes(error)
        if possible is not None and not record["faults"] and record["outcome"] not in possible:
            yield f"step {record['step']}: the call is charged as {record['outcome']}, which contradicts its result"
        broken = error["code"] if error and error["code"] in self._rules.violations else None
        if (record["outcome"] == CallOutcome.VIOLATION) != (record["violation"] is not None) or (
            broken not in (None, record["violation"])
        ):
            yield f"step {record['step']}: the violation does not match the refusal"

    def _after_the_end(self) -> Iterator[str]:
        for record in self._steps[:-1]:
            if record["done"]:
                yield f"step {record['step']}: the episode goes on after its end"

    def _faults(self) -> Iterator[str]:
        if not self._head["chaos"]["profile"] and self._head["chaos_now"] is None:
            expected: Sequence[Any] = []
        else:
            expected = self._account.documents(done=bool(self._steps and self._steps[-1]["done"]))
        if expected != self._head["faults"]:
            yield "head: the fault account does not match the steps"
        if self._head["not_offered"] != self._not_offered:
            yield f"head: not_offered is {self._head['not_offered']!r} but should be {self._not_offered!r}"


def _possible_outcomes(error: Mapping[str, Any] | None) -> set[CallOutcome] | None:
    """Return the possible outcomes of a call with this error; None if the error does not limit them."""
    if error is None:
        return _OUTCOMES[None]
    if error["code"] == INVALID_ACTION:
        return {CallOutcome.NO_CALL}
    return _OUTCOMES.get(error["error_type"])


def _stopped_record(paid: Decimal) -> dict[str, Any]:
    """Return what the record of a step that the stack could not carry out must contain."""
    over = {"done": True, "success": None, "terminated": False, "truncated": True}
    return {"ledger": [], "reward": 0.0, "return": float(paid), "outside": [], "changes": [], **over}


def _different(record: Record, expected: Mapping[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        if _in_order(name, record[name]) != _in_order(name, value):
            yield f"step {record['step']}: {name} is {record[name]!r} but should be {value!r}"


def _in_order(name: str, value: Any) -> Any:
    return sorted(value) if name == "outside" else value
