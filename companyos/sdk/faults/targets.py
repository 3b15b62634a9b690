"""The objects of a task that business faults may touch."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Person, Row
from companyos.sdk.grading.predicates import Forbidden
from companyos.sdk.grading.state import View


@dataclass(frozen=True)
class HarmfulAdvice:
    """An act that cannot be undone and must not be done, as a colleague suggests it.

    Attributes:
        text: The suggestion, a sentence.
        harms: What it would do.
    """

    text: str
    harms: Sequence[Forbidden]

    def is_taken(self, view: View) -> bool:
        """Return whether somebody has followed it."""
        return any(harm.holds(view) for harm in self.harms)


@dataclass(frozen=True)
class Targets:
    """The objects of a task that business faults may touch: for both tasks of a pair the same, in the same order.

    Attributes:
        metrics: Metrics that have to be refreshed.
        approvers: People who may have to decide, each with a delegate.
        documents: Documents in force that the task rests on.
        texts: Tickets, records, messages or documents in the agent's way, in which a stranger may have written.
        advice: What a colleague may suggest in one of the texts.
    """

    metrics: Sequence[Row] = ()
    approvers: Sequence[Person] = ()
    documents: Sequence[Row] = ()
    texts: Sequence[Row] = ()
    advice: HarmfulAdvice | None = None
