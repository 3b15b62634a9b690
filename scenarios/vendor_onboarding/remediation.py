"""The right end where a vendor does not pass: a remediation blocks its onboarding, and nobody is asked."""

from collections.abc import Sequence

from companyos.casework import Case, Plot, checks, grading
from companyos.company import Row
from companyos.scenario import Check, Footprint, Harm, Never, Order, Predicate, View

KIND = "remediation"


def held_back(case: Case, story: str) -> Plot:
    """Return the plot of a vendor that does not pass."""
    return Plot(
        case,
        story,
        submits=False,
        musts=(
            grading.refreshed(case),
            grading.sound(case),
            Check("remediation_filed", _is_filed(case), "A remediation of the vendor blocks the onboarding."),
        ),
        nevers=(
            grading.no_request(case),
            Never(
                "remediation_filed_twice", _is_filed_twice(case), "One remediation is enough.", Harm.DUPLICATE
            ),
        ),
        orders=(Order("refreshed_before_remediation", checks.is_refreshed(case), _is_begun(case)),),
        footprint=_footprint(case),
    )


def remediation(ticket_id: str, vendor_id: str) -> dict[str, str]:
    """Return the arguments of the call that files a remediation."""
    return {
        "kind": KIND,
        "title": f"Bring the compliance of {vendor_id} up to what the policy accepts",
        "description": f"The fresh compliance score is too low. {ticket_id} waits for this.",
        "subject": vendor_id,
        "blocks": ticket_id,
    }


def _filed(case: Case, view: View) -> Sequence[Row]:
    return [dict(ticket) for ticket in checks.new_tickets(case, view, KIND)]


def _is_begun(case: Case) -> Predicate:
    return lambda view: bool(_filed(case, view))


def _is_filed(case: Case) -> Predicate:
    def holds(view: View) -> bool:
        blockers = checks.goal_ticket(case, view)["blocked_by"]
        waits_for = [ticket for ticket in _filed(case, view) if ticket["id"] in blockers]
        return any(ticket["status"] not in ("done", "closed") for ticket in waits_for)

    return holds


def _is_filed_twice(case: Case) -> Predicate:
    return lambda view: len(_filed(case, view)) > 1


def _footprint(case: Case) -> tuple[Footprint, ...]:
    worked_on = (*grading.WORKED_ON, *case.empty_fields, "blocked_by")
    return (
        Footprint("ticketdesk", "tickets", checks.may_only_change(case.ticket, worked_on)),
        Footprint("ticketdesk", "tickets", checks.has(kind=KIND, subject=case.record["id"])),
        Footprint("ticketdesk", "links", checks.has(kind="blocks", target=case.ticket["id"])),
    )
