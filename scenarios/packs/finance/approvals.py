"""The approval types of finance, and the approvers by amount."""

from companyos.sdk.company import ApprovalType, Band, FormField, SideRequest, Succession

from . import names

EXPENSE_APPROVAL = "expense_approval"
BUDGET_RELEASE = "budget_release"

_ROLES = ("manager", "finance_director", "cfo")


def expense_approval() -> ApprovalType:
    """Return the approval that pays an expense report; the amount determines the approver."""
    return ApprovalType(
        EXPENSE_APPROVAL,
        "Expense approval",
        "Pays an expense report. The amount is the report's total in the company's currency at today's rate.",
        (
            FormField("report_id", "string", "Id of the expense report's record.", synonym="expense_id"),
            FormField(
                "amount",
                "number",
                "The report's expense_amount, as DataHub has it now.",
                synonym="total",
                other_unit=("cents", 100.0),
            ),
        ),
        _bands(1000.0, 10_000.0),
        ticket_kind="expense",
        metric_name="expense_amount",
        metric_field="amount",
        route_field="amount",
        # Ten times stricter at the lower edge, or ten times less strict at the upper one.
        successions=(
            Succession(_bands(100.0, 1000.0), {"manager": "finance_director", "finance_director": "cfo"}),
            Succession(
                _bands(10_000.0, 100_000.0), {"finance_director": "manager", "cfo": "finance_director"}
            ),
        ),
    )


def budget_release() -> SideRequest:
    """Return the request for a budget, which is based on no metric and needs no verified ticket."""
    return SideRequest(
        ApprovalType(
            BUDGET_RELEASE,
            "Budget release",
            "Releases a budget that was set aside, so that the work it pays for can begin.",
            (FormField("amount", "number", "How much is to be released, in the company's currency."),),
            (Band("budget_owner"),),
        ),
        department="Finance",
        ticket_kind="task",
        title="Release the budget for {what}",
        things=names.RESERVES,
        text="Work of other teams waits for it.",
        field="amount",
        least=5,
        most=80,
        unit=100.0,
    )


def role_deciding(amount: float) -> str:
    """Return the role that decides about an expense report of this amount in the company's currency."""
    return next(band.role for band in expense_approval().routes if band.below is None or amount < band.below)


def _bands(*edges: float) -> tuple[Band, ...]:
    return tuple(Band(role, edge) for role, edge in zip(_ROLES, (*edges, None), strict=True))
