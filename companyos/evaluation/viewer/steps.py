"""A step as a page shows it, from its trace record and the agent's turn, if there is one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .causes import CauseGraph, cause_graph
from .changes import RowChange, RowHistory

#: The outcomes of a step's call, in words.
OUTCOMES: Final = {
    "done": "done",
    "refused": "refused",
    "violation": "against policy",
    "bad_arguments": "bad arguments",
    "unknown_tool": "no such tool",
    "no_call": "no call",
    "failed": "failed",
}


@dataclass(frozen=True)
class LedgerLine:
    """One reason for a step's reward, with the rows as evidence."""

    name: str
    amount: float
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class FaultEntry:
    """A fault that hit a step: its name, where, and whether it began or ended here."""

    name: str
    where: str
    state: str


@dataclass(frozen=True)
class AgentTurn:
    """What the agent said in addition to its call, and the usage."""

    text: str = ""
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True)
class StepView:
    """One step.

    Attributes:
        tool: The tool called; for any other action, its type.
        arguments: Its arguments; empty if there is none.
        raw: The agent's output if it was not a call.
        error: The error's code and message, or None.
        outcome: The outcome of the call, in words.
        total: The return so far.
    """

    number: int
    sim_now: str
    elapsed_s: int
    tool: str
    arguments: Mapping[str, Any]
    raw: str
    turn: AgentTurn
    text: str
    error: Mapping[str, Any] | None
    outcome: str
    reward: float
    total: float
    ledger: Sequence[LedgerLine]
    changes: Sequence[RowChange]
    graph: CauseGraph
    faults: Sequence[FaultEntry]
    violation: str | None

    @property
    def is_trouble(self) -> bool:
        """Whether the call did not succeed."""
        return self.error is not None or self.outcome != OUTCOMES["done"]

    @property
    def gains(self) -> Sequence[LedgerLine]:
        """The reasons for its reward other than the cost of a step."""
        return [line for line in self.ledger if line.name != "step"]


def step_views(
    records: Sequence[Mapping[str, Any]], turns: Sequence[Mapping[str, Any]] = ()
) -> Iterator[StepView]:
    """Yield the steps of an episode in order.

    Args:
        records: The records of the trace, without the head.
        turns: The agent's steps of the trajectory, if there is one.
    """
    rows = RowHistory()
    for index, record in enumerate(records):
        turn = _turn(turns[index]) if index < len(turns) else AgentTurn()
        yield _view(record, turn, rows.changes(record["changes"]))


def _view(record: Mapping[str, Any], turn: AgentTurn, changes: Sequence[RowChange]) -> StepView:
    action, seen = record["action"], record["observation"]
    raw = str(action.get("raw", ""))
    kind = OUTCOMES["no_call"] if raw else str(action.get("type", "action")).replace("_", " ")
    tool = str(action.get("tool_name") or kind)
    arguments = action.get("arguments") or action.get("params") or {}
    return StepView(
        number=record["step"],
        sim_now=seen["sim_now"],
        elapsed_s=seen["elapsed_s"],
        tool=tool,
        arguments=arguments if isinstance(arguments, Mapping) else {"arguments": arguments},
        raw=raw,
        turn=turn,
        text=seen["text"],
        error=seen["error"],
        outcome=OUTCOMES.get(record["outcome"], record["outcome"]),
        reward=record["reward"],
        total=record["return"],
        ledger=[LedgerLine(one["name"], one["amount"], tuple(one["evidence"])) for one in record["ledger"]],
        changes=changes,
        graph=cause_graph(record["step"], tool, record),
        faults=[_fault(fault) for fault in record["faults"]],
        violation=record["violation"],
    )


def _fault(fault: Mapping[str, Any]) -> FaultEntry:
    where = " · ".join(str(part) for part in fault["where"] if part)
    ended = f", ended by {fault['by']}" if fault.get("by") else ""
    return FaultEntry(fault["fault"], where, f"{fault['state']}{ended}")


def _turn(step: Mapping[str, Any]) -> AgentTurn:
    used = step.get("metrics") or {}
    return AgentTurn(
        text=_text_of(step.get("message")),
        reasoning=str(step.get("reasoning_content") or ""),
        prompt_tokens=used.get("prompt_tokens") or 0,
        completion_tokens=used.get("completion_tokens") or 0,
        cost_usd=used.get("cost_usd"),
    )


def _text_of(message: Any) -> str:
    """Return a message's text; ATIF allows parts of several kinds."""
    if isinstance(message, str):
        return message
    parts = message if isinstance(message, Sequence) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and "text" in part)
