"""Analytics: areas of reporting with feeds, marts and dashboards, and the decisions based on them."""

from companyos.sdk.company import Office, Pack, TicketKind

from . import names, texts
from .approvals import DASHBOARD_TOTAL, SPENDING, spending_approval
from .estate import (
    CONTROL_TOTAL,
    DASHBOARD,
    FEED,
    FEED_TOTAL,
    MART,
    MART_TOTAL,
    REFRESH_S,
    Area,
    Board,
    Feed,
)
from .notices import Days, add_calendar, add_count_notice, add_ledger_notice, draw_days
from .stories import audit_of_the_past, new_area, other_area

AUDIT = "data_audit"

PACK = Pack(
    name="analytics",
    ticket_kinds=(
        TicketKind(
            AUDIT,
            "Data audit",
            ("low", "medium", "high"),
            ("head_of_reporting",),
            ("priority", "assignee"),
            needs_approval=False,
        ),
        TicketKind(SPENDING, "Spending", ("low", "medium", "high"), ("operations_lead", "campaign_manager")),
    ),
    approval_types=(spending_approval(),),
    record_kinds=(FEED, MART, DASHBOARD),
    offices=(
        Office("chief_data_officer", "Data"),
        Office("head_of_reporting", "Data", deputy="chief_data_officer"),
        Office("commercial_director", "Sales"),
    ),
    teams=(("Data", "data_steward"), ("Marketing", "campaign_manager")),
    stories=(other_area, audit_of_the_past),
)

__all__ = [
    "AUDIT",
    "CONTROL_TOTAL",
    "DASHBOARD",
    "DASHBOARD_TOTAL",
    "FEED",
    "FEED_TOTAL",
    "MART_TOTAL",
    "PACK",
    "REFRESH_S",
    "SPENDING",
    "Area",
    "Board",
    "Days",
    "Feed",
    "add_calendar",
    "add_count_notice",
    "add_ledger_notice",
    "draw_days",
    "names",
    "new_area",
    "texts",
]
