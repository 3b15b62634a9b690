"""An episode as pages show it: brief, outcome, checks, faults, rewards and steps."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..runs import EpisodeRecord, PredicateResult
from ..runs.grades import graded
from .steps import StepView, step_views
from .titles import titled, titles_of

_ENDED: Final = {
    "finished": "not solved",
    "refused": "refused, not solved",
    "timeout": "out of steps",
    "budget": "over budget",
    "gave_up": "gave up",
    "agent_error": "agent error",
    "environment_failure": "environment failure",
}


@dataclass(frozen=True)
class EpisodeOutcome:
    """The outcome of an episode in a word or two, and whether it is `good`, `bad`, `open` or `void`."""

    word: str
    tone: str


@dataclass(frozen=True)
class FaultProgress:
    """The progress of a fault of the episode; each field is a step number, or None."""

    fault: str
    where: str
    landed_at: int | None
    detected_at: int | None
    overcome_at: int | None


@dataclass(frozen=True)
class RewardTotal:
    """What an episode earned or lost for one reason, and in which steps."""

    name: str
    amount: float
    steps: Sequence[int]


@dataclass(frozen=True)
class EpisodeView:
    """One episode.

    Attributes:
        name: Its key in a run, or its id on a stack.
        chaos: The level with its name, or the name of another setting.
        checks: The predicates of its grade card.
        note: The error of the agent or the environment, if one failed.
        brief: The first observation.
        titles: The titles of records by identifier, as far as its steps showed them.
    """

    name: str
    scenario: str
    version: int
    seed: int
    chaos: str
    outcome: EpisodeOutcome
    episode_return: float
    max_steps: int
    checks: Sequence[PredicateResult]
    faults: Sequence[FaultProgress]
    note: str
    brief: str
    titles: Mapping[str, str]
    steps: Sequence[StepView]

    @property
    def is_open(self) -> bool:
        """Whether it is still in progress."""
        return self.outcome.tone == "open"

    @property
    def services(self) -> Sequence[str]:
        """The services that it changed, in the order of their colors."""
        return sorted({change.service for step in self.steps for change in step.changes} | self._publishers())

    def _publishers(self) -> set[str]:
        return {node.service for step in self.steps for node in step.graph.nodes if node.service}

    @property
    def rewards(self) -> Sequence[RewardTotal]:
        """The rewards by reason, in the order in which the reasons first appeared."""
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for step in self.steps:
            for line in step.ledger:
                found[line.name].append((step.number, line.amount))
        return [
            RewardTotal(name, round(sum(amount for _, amount in lines), 4), [number for number, _ in lines])
            for name, lines in found.items()
        ]


def recorded_episode(
    record: EpisodeRecord, trace: Sequence[Mapping[str, Any]], trajectory: Mapping[str, Any] | None
) -> EpisodeView:
    """Return an episode of a run.

    Args:
        record: Its line.
        trace: Its trace; empty if there is none.
        trajectory: Its trajectory in ATIF, if there is one.
    """
    turns = [step for step in (trajectory or {}).get("steps", ()) if step["source"] == "agent"]
    head = trace[0] if trace else {}
    titles = titles_of(trace[1:])
    return EpisodeView(
        name=record.key,
        scenario=record.scenario,
        version=record.version,
        seed=record.seed,
        chaos=_chaos(head, record.chaos),
        outcome=outcome_of(record),
        episode_return=record.episode_return,
        max_steps=record.max_steps,
        checks=record.predicates,
        faults=_faults(head, titles),
        note=record.agent_error or record.environment_failure or "",
        brief=head.get("observation", {}).get("text", ""),
        titles=titles,
        steps=list(step_views(trace[1:], turns)),
    )


def live_episode(card: Mapping[str, Any], trace: Sequence[Mapping[str, Any]]) -> EpisodeView:
    """Return an episode of a running stack.

    Args:
        card: Its grade card.
        trace: Its trace so far.
    """
    head = trace[0]
    titles = titles_of(trace[1:])
    return EpisodeView(
        name=card["episode_id"],
        scenario=card["scenario"],
        version=card["version"],
        seed=card["seed"],
        chaos=_chaos(head, card["chaos"]),
        outcome=live_outcome(card),
        episode_return=card["episode_return"],
        max_steps=card["max_steps"],
        checks=graded({**card, "fault_account": ()})["predicates"],
        faults=_faults(head, titles),
        note=card["invalid_reason"] or "",
        brief=head["observation"]["text"],
        titles=titles,
        steps=list(step_views(trace[1:])),
    )


def outcome_of(record: EpisodeRecord) -> EpisodeOutcome:
    """Return how an episode of a run ended."""
    if record.success:
        return EpisodeOutcome("solved", "good")
    return EpisodeOutcome(_ENDED[record.ended], "bad" if record.is_scored else "void")


def live_outcome(summary: Mapping[str, Any]) -> EpisodeOutcome:
    """Return the outcome of an episode of a stack."""
    if summary["invalid"]:
        return EpisodeOutcome("environment failure", "void")
    if not summary["done"]:
        return EpisodeOutcome("in progress", "open")
    if summary["success"]:
        return EpisodeOutcome("solved", "good")
    return EpisodeOutcome("out of steps" if summary["truncated"] else "not solved", "bad")


def _chaos(head: Mapping[str, Any], chaos: int | str | None) -> str:
    setting = head.get("chaos", {})
    names = [str(part) for part in (setting.get("level"), setting.get("name")) if part is not None]
    return " ".join(names) or str("custom" if chaos is None else chaos)


def _faults(head: Mapping[str, Any], titles: Mapping[str, str]) -> list[FaultProgress]:
    return [
        FaultProgress(
            fault["fault"],
            " · ".join(titled(str(part), titles) for part in fault["where"] if part),
            fault["landed_at"],
            fault["detected_at"],
            fault["overcome_at"],
        )
        for fault in head.get("faults") or ()
    ]
