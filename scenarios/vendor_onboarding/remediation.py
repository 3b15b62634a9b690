"""The right outcome for a vendor that does not pass: a remediation ticket, and no request."""

from collections.abc import Sequence

from companyos.sdk.approval_task import TaskFacts, TaskSpec, checks, grading
from companyos.sdk.company import Row, allowances
from companyos.sdk.scenario import ANYTHING, Allowance, Check, Forbidden, Harm, Predicate, View

from .pack import REMEDIATION


def held_back(facts: TaskFacts, story: str) -> TaskSpec:
    """Return the task for a vendor that does not pass."""
    return TaskSpec(
        facts,
        story,
        submits=False,
        musts=(
            *grading.metric_known(facts),
            grading.sound(facts),
            Check(
                "remediation_filed",
                _is_filed(facts),
                "A remediation of the vendor, and nothing new besides, blocks the onboarding.",
            ),
        ),
        forbidden=(
            grading.no_request(facts),
            Forbidden(
                "remediation_filed_twice",
                _is_filed_twice(facts),
                "One remediation is enough.",
                Harm.DUPLICATE,
            ),
        ),
        orders=(grading.read_before(facts, "remediation", _is_begun(facts)),),
        allowances=_allowances(facts),
    )


def remediation(ticket_id: str, vendor_id: str) -> dict[str, str]:
    """Return the arguments of the call that files a remediation."""
    return {
        "kind": REMEDIATION,
        "title": f"Bring the compliance of {vendor_id} up to what the policy accepts",
        "description": f"The fresh compliance score is too low. {ticket_id} waits for this.",
        "subject": vendor_id,
        "blocks": ticket_id,
    }


def _filed(facts: TaskFacts, view: View) -> Sequence[Row]:
    return [dict(ticket) for ticket in checks.new_tickets(facts, view, REMEDIATION)]


def _is_begun(facts: TaskFacts) -> Predicate:
    return lambda view: bool(_filed(facts, view))


def _is_filed(facts: TaskFacts) -> Predicate:
    def holds(view: View) -> bool:
        blockers = set(checks.goal_ticket(facts, view)["blocked_by"])
        waits_for = [ticket for ticket in _filed(facts, view) if ticket["id"] in blockers]
        others = blockers - {ticket["id"] for ticket in waits_for} - set(facts.ticket["blocked_by"])
        return not others and any(ticket["status"] not in ("done", "closed") for ticket in waits_for)

    return holds


def _is_filed_twice(facts: TaskFacts) -> Predicate:
    return lambda view: len(_filed(facts, view)) > 1


def _allowances(facts: TaskFacts) -> tuple[Allowance, ...]:
    ticket_id, blocked_by = facts.ticket["id"], facts.ticket["blocked_by"]
    filed = {
        "subject": facts.record["id"],
        "priority": ANYTHING,
        "cost_centre": facts.cost_centre,
        "assignee": facts.persona.id,
    }
    return (
        allowances.new_tickets(REMEDIATION, **filed),
        Allowance(
            allowances.LINKS, {"ticket_id": ANYTHING, "kind": "blocks", "target": ticket_id}, created=1
        ),
        Allowance(
            allowances.TICKETS,
            {"status": "blocked", "blocked_by": lambda found: len({*found} - {*blocked_by}) <= 1},
            key=ticket_id,
        ),
    )
