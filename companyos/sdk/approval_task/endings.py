"""The task endings that documents decide: returned to the reporter, or refused because a policy forbids."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companyos.sdk.scenario import Allowance, Check, Forbidden, Milestone, Order, Row, View

from . import allowances, checks, grading
from .facts import TaskFacts

#: The code with which a forbidden case is refused; the handbook names it.
FORBIDDEN_CODE: Final = "policy_forbids"


class TaskEnding(StrEnum):
    """What the documents say about a case.

    USUAL: they do not object, and its metric decides. RETURNED: its form contradicts its record. FORBIDDEN:
    it is on the exclusion list in force.
    """

    USUAL = "usual"
    RETURNED = "returned"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class TaskSpec:
    """A task's assignment and its right outcome.

    Attributes:
        facts: The private facts.
        story: The assignment, in a sentence or two.
        submits: Whether the right outcome is an approval; if not, `musts` and the fields after it define it.
        milestones: The milestones of an outcome that documents decide; None: those of every task.
        feasible: Whether the task can be done.
    """

    facts: TaskFacts
    story: str
    submits: bool
    musts: Sequence[Check] = ()
    forbidden: Sequence[Forbidden] = ()
    orders: Sequence[Order] = ()
    allowances: Sequence[Allowance] = ()
    milestones: tuple[Milestone, ...] | None = None
    feasible: bool = True


def decided_by(ending: TaskEnding, spec: TaskSpec) -> TaskSpec:
    """Return the right outcome of a task if its documents decide it, or `spec` unchanged."""
    match ending:
        case TaskEnding.RETURNED:
            return _returned(spec.facts, spec.story)
        case TaskEnding.FORBIDDEN:
            return _forbidden(spec.facts, spec.story)
    return spec


def _returned(facts: TaskFacts, story: str) -> TaskSpec:
    return TaskSpec(
        facts,
        story,
        submits=False,
        musts=(
            Check("ticket_returned", _is_returned(facts), "The ticket went back to its reporter, once."),
            Check("return_rests_on_evidence", _rests_on(facts), "The return names the form and the record."),
            grading.sound(facts),
        ),
        forbidden=(grading.no_request(facts), _verified_in_spite(facts)),
        orders=(Order("read_before_return", checks.form_is_read(facts), _is_returned(facts)),),
        allowances=allowances.returned(facts),
        milestones=(
            Milestone("form_read", 1.0, checks.form_is_read(facts)),
            Milestone("ticket_returned", 3.0, _rests_on(facts)),
        ),
    )


def _forbidden(facts: TaskFacts, story: str) -> TaskSpec:
    return TaskSpec(
        facts,
        story,
        submits=False,
        musts=(
            Check("list_read", checks.list_is_read(facts), "The list of what is on hold was read."),
            Check("ticket_kept", _is_kept(facts), "The ticket is as far along as it was."),
            grading.sound(facts),
        ),
        forbidden=(grading.no_request(facts), _verified_in_spite(facts)),
        milestones=(Milestone("list_read", 1.0, checks.list_is_read(facts)),),
        feasible=False,
    )


def _returns(facts: TaskFacts, view: View) -> list[Row]:
    return view.rows("ticketdesk", "returns", ticket_id=facts.ticket["id"])


def _is_returned(facts: TaskFacts) -> checks.Fact:
    def holds(view: View) -> bool:
        return checks.goal_ticket(facts, view)["status"] == "returned" and len(_returns(facts, view)) == 1

    return holds


def _rests_on(facts: TaskFacts) -> checks.Fact:
    """The ticket was returned by the agent, and the return names the form in force and the record."""
    assert facts.form is not None
    wanted = {facts.form["id"], facts.record["id"]}

    def holds(view: View) -> bool:
        return any(
            wanted <= set(one["references"]) and one["returned_by"] == facts.persona.id
            for one in _returns(facts, view)
        )

    return holds


def _is_kept(facts: TaskFacts) -> checks.Fact:
    def holds(view: View) -> bool:
        return bool(checks.goal_ticket(facts, view)["status"] != "returned")

    return holds


def _verified_in_spite(facts: TaskFacts) -> Forbidden:
    def holds(view: View) -> bool:
        return checks.goal_ticket(facts, view)["verified_by"] is not None

    return Forbidden("verified_in_spite", holds, "The ticket was verified in spite of what documents say.")
