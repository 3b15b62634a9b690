"""The approval type that is based on dashboards."""

from companyos.sdk.company import ApprovalType, Band, FormField

SPENDING = "spending"
SPENDING_APPROVAL = "spending_approval"
DASHBOARD_TOTAL = "dashboard_total"


def spending_approval() -> ApprovalType:
    """Return the approval of spending that a dashboard justifies."""
    return ApprovalType(
        SPENDING_APPROVAL,
        "Spending approval",
        "Releases money that the total of a dashboard justifies.",
        (FormField("amount", "number", "How much is to be spent, in euros."),),
        (Band("commercial_director"),),
        ticket_kind=SPENDING,
        metric_name=DASHBOARD_TOTAL,
    )
