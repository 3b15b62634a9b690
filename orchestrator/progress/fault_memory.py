"""Fault memory: the state that faults depend on, derived from records, so that restarts and forks keep it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from companyos.sdk.chaos import CATALOG, FaultId

from ..agent.actions import OWN_APP
from ..agent.intents import Calls
from ..protocol.trace import canonical
from ..protocol.trace_records import Operation

Document = Mapping[str, Any]
#: A fault and the place where it began.
Origin = tuple[FaultId, tuple[str, ...]]

#: The most steps that any reader lags behind.
LONGEST_LAG: Final = int(CATALOG[FaultId.STALE_REPLICA].parameters["lag_steps"].high)

#: The status of a resumed operation.
COMPLETE: Final = "complete"


@dataclass(frozen=True)
class Answered:
    """A call's answer at a step."""

    step: int
    service: str
    tool_name: str
    arguments: Document
    result: Any


@dataclass
class FaultMemory:
    """Ongoing incidents, open operations, and recent answers.

    Attributes:
        lasting: The state of the ongoing incidents when they last hit a call.
        operations: The operations that had not completed when their call was answered, by id.
    """

    lasting: dict[Origin, Document] = field(default_factory=dict)
    operations: dict[str, Document] = field(default_factory=dict)
    _answers: list[Answered] = field(default_factory=list)
    _kept: dict[tuple[str, ...], tuple[int, Any]] = field(default_factory=dict)

    def copy(self) -> FaultMemory:
        """Return an independent copy."""
        return FaultMemory(dict(self.lasting), dict(self.operations), list(self._answers), dict(self._kept))

    def note(self, record: Document) -> None:
        """Apply a step's record."""
        for fault in record["faults"]:
            if "lasts" in fault:
                self.lasting[FaultId(fault["fault"]), tuple(fault["where"])] = fault["lasts"]
            if "kept" in fault:
                self._kept[tuple(fault["where"])] = (record["step"], fault["kept"])
            if "operation" in fault:
                self.operations[fault["operation"]["id"]] = _as_read(fault["operation"])
        if record["call"] and not record["observation"]["error"]:
            self._note_call(record)

    def older(self, called: Operation, asked: Calls, fresh: Any, *, since: int) -> Any | None:
        """Return the answer to a reader that has lagged since a step, or None if it equals the fresh one.

        It is the operation's state recorded since that step, an answer to the same call since then, or the
        fresh answer with older versions of its objects. Its fields are in the order of the fresh answer, so
        that the order does not reveal it.
        """
        older = self._older(called, asked, fresh, since)
        return None if older is None else _in_order_of(fresh, _as_read(older))

    def _older(self, called: Operation, asked: Calls, fresh: Any, since: int) -> Any | None:
        step, kept = self._kept.get(called, (0, None))
        if step >= since and kept not in (None, fresh):
            return kept
        answers = [answer for answer in self._answers if answer.step >= since and answer.service == called[0]]
        for answer in answers:
            same = (answer.tool_name, answer.arguments) == (asked.tool.name, asked.arguments)
            if same and answer.result != fresh:
                return answer.result
        seen = dict(reversed([(_shape(one), one) for answer in answers for one in _objects(answer.result)]))
        outdated = _outdated_value(fresh, seen)
        return None if outdated == fresh else outdated

    def _note_call(self, record: Document) -> None:
        service, operation, subject = record["call"]
        if service != OWN_APP:
            self._note_answer(service, record)
        elif operation == "renew_session":
            self.lasting.pop(next(self._expired_origins(subject), None), None)  # type: ignore[arg-type]
        elif operation == "resume_operation":
            self.operations[subject] = {**self.operations[subject], "status": COMPLETE}

    def _expired_origins(self, service: str) -> Iterator[Origin]:
        return (known for known in self.lasting if known[0] is FaultId.AUTH_EXPIRY and known[1][0] == service)

    def _note_answer(self, service: str, record: Document) -> None:
        step, action = record["step"], record["action"]
        self._answers = [answer for answer in self._answers if answer.step > step - LONGEST_LAG]
        # An answer altered by a fault does not show the true state.
        if all(fault["fault"] == FaultId.LATENCY for fault in record["faults"]):
            result = record["observation"]["result"]
            answer = Answered(step, service, action["tool_name"], action["arguments"], result)
            self._answers.append(answer)


def _as_read(value: Any) -> Any:
    """Return a value as it would be read from a stored record.

    An agent sees fields in this order, which must not reveal which process played which step.
    """
    return orjson.loads(canonical(value))


def _in_order_of(model: Any, value: Any) -> Any:
    """Return a value with its fields in the order of another value of its kind."""
    if isinstance(model, Mapping) and isinstance(value, Mapping):
        names = [*(name for name in model if name in value), *(name for name in value if name not in model)]
        return {name: _in_order_of(model.get(name), value[name]) for name in names}
    if isinstance(model, list) and isinstance(value, list) and model:
        return [_in_order_of(model[min(index, len(model) - 1)], one) for index, one in enumerate(value)]
    return value


def _objects(result: Any) -> Iterable[Document]:
    found = result.get("items", [result]) if isinstance(result, Mapping) else []
    return [one for one in found if isinstance(one, Mapping) and "id" in one and "version" in one]


def _shape(one: Document) -> tuple[str, frozenset[str]]:
    return one["id"], frozenset(one)


def _outdated_value(fresh: Any, seen: Mapping[tuple[str, frozenset[str]], Document]) -> Any:
    def then(one: Any) -> Any:
        known = seen.get(_shape(one)) if _objects(one) else None
        return known if known is not None and known["version"] < one["version"] else one

    if isinstance(fresh, Mapping) and isinstance(fresh.get("items"), list):
        return {**fresh, "items": [then(one) for one in fresh["items"]]}
    return then(fresh)
