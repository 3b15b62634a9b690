"""The record of one finished episode: one line of a run's `episodes.jsonl`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from ..agents.turn import Usage
from ..stored_json import object_in

#: Fields about real time, server-side ids and what an endpoint refuses, which one episode finds for all; two runs of
#: one request may differ only in these.
INCIDENTAL = frozenset({"episode_id", "wall_s", "started_at", "hints"})
#: Integers from here on are written as text, because readers of JSON take at most 64 bits.
_BEYOND_JSON: Final = 2**63


class EpisodeEnding(StrEnum):
    """How an episode ended."""

    FINISHED = "finished"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    GAVE_UP = "gave_up"
    AGENT_ERROR = "agent_error"
    ENVIRONMENT_FAILURE = "environment_failure"


class PredicateKind(StrEnum):
    """What a predicate of the grade card requires."""

    MUST = "must"
    FORBIDDEN = "forbidden"
    ORDER = "order"


@dataclass(frozen=True)
class PredicateResult:
    """One predicate of the grade card; a forbidden predicate `holds` if it was not violated."""

    name: str
    kind: PredicateKind
    holds: bool
    reason: str = ""


@dataclass(frozen=True)
class FaultResult:
    """One fault of the episode and the last state it reached: armed, landed, detected, overcome or expired."""

    fault: str
    reached: str


@dataclass(frozen=True)
class EpisodeRecord:
    """One finished episode.

    Attributes:
        pair: The counterfactual pair of the seed.
        chaos: The level, or the name of another setting.
        success: Whether the task was solved; false unless the episode was played to its end.
        episode_return: The sum of the rewards.
        oracle_steps: The oracle's steps on the same instance, if it played.
        feasible: Whether the task can be done; None if the episode was not graded.
        violations: Refused violations of policy, by code.
        collateral_rows: Rows that the agent wrote and no allowance of the task explains.
        duplicates: Side effects that happened twice.
        sim_elapsed_s: Simulated seconds from first to last observation.
        wall_s: Real seconds.
        invalid_actions: Outputs that were not a call.
        refused_calls: Calls that were answered with an error.
        omitted_results: The most tool results left out of one prompt to fit the context budget.
        agent_error: Why the agent failed or gave up.
        hints: What the person who runs the agent should know, such as how its requests were changed.
    """

    key: str
    scenario: str
    version: int
    seed: int
    pair: int
    chaos: int | str
    repeat: int
    episode_id: str
    ended: EpisodeEnding
    success: bool = False
    episode_return: float = 0.0
    steps: int = 0
    max_steps: int = 0
    oracle_steps: int | None = None
    terminated: bool = False
    truncated: bool = False
    invalid: bool = False
    feasible: bool | None = None
    predicates: tuple[PredicateResult, ...] = ()
    milestones: Mapping[str, bool] = field(default_factory=dict)
    violations: Mapping[str, int] = field(default_factory=dict)
    collateral_rows: int = 0
    duplicates: int = 0
    faults: tuple[FaultResult, ...] = ()
    usage: Usage = field(default_factory=Usage)
    sim_elapsed_s: int = 0
    wall_s: float = 0.0
    agent_error: str | None = None
    environment_failure: str | None = None
    invalid_actions: int = 0
    refused_calls: int = 0
    omitted_results: int = 0
    hints: tuple[str, ...] = ()
    trace_hash: str = ""
    started_at: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether the episode counts for the agent: the environment did not fail."""
        return self.ended is not EpisodeEnding.ENVIRONMENT_FAILURE

    @property
    def instance(self) -> tuple[str, int | str, int]:
        """What was played: scenario, chaos and seed."""
        return self.scenario, self.chaos, self.seed

    def line(self) -> bytes:
        """Return the record as one line of JSON."""
        document = asdict(self)
        document["return"] = document.pop("episode_return")
        return json_bytes(document) + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> "EpisodeRecord":
        """Parse a line; fields of later releases are ignored.

        Raises:
            ValueError: The line is not JSON, or contains a value that no record has.
            KeyError: A field is missing.
            TypeError: The line, or a part of it, is not an object.
        """
        document = object_in(line)
        known = {each.name: document[each.name] for each in fields(cls) if each.name in document}
        predicates = (_predicate(one) for one in document["predicates"])
        faults = (FaultResult(one["fault"], one["reached"]) for one in document["faults"])
        parts: dict[str, Any] = {
            "episode_return": document["return"],
            "ended": EpisodeEnding(document["ended"]),
            "predicates": tuple(predicates),
            "faults": tuple(faults),
            "usage": Usage(**document["usage"]),
            "hints": tuple(document.get("hints", ())),
        }
        return _CHECKED.validate_python({**known, **parts})

    def decisive(self) -> dict[str, Any]:
        """Return the fields in which equal runs agree: all but those of real time and the episode's id."""
        return {name: value for name, value in asdict(self).items() if name not in INCIDENTAL}


def json_bytes(document: Mapping[str, Any], option: int = 0) -> bytes:
    """Return a document as JSON; whatever an agent said that JSON cannot hold is replaced by text.

    Args:
        document: What to write.
        option: Options of orjson.
    """
    try:
        return orjson.dumps(document, option=option)
    except TypeError:
        return orjson.dumps(_as_json(document), option=option)


def _as_json(value: Any) -> Any:
    match value:
        case Mapping():
            return {_as_json(str(name)): _as_json(part) for name, part in value.items()}
        case list() | tuple():
            return [_as_json(part) for part in value]
        case None | bool() | float():
            return value
        case int() if abs(value) < _BEYOND_JSON:
            return value
    return str(value).encode("utf-8", "replace").decode()


def _predicate(predicate: Mapping[str, Any]) -> PredicateResult:
    return PredicateResult(
        predicate["name"], PredicateKind(predicate["kind"]), predicate["holds"], predicate.get("reason", "")
    )


#: Refuses fields of another type, which would fail where they are used.
_CHECKED = TypeAdapter(EpisodeRecord)
