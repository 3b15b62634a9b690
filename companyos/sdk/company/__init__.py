"""The company builder, which keeps the rows of all services consistent and has no content of its own."""

from . import allowances, precedence
from .areas.documents import Edition
from .areas.entitlements import add_entitlement, own
from .areas.org_chart import complete_org_chart
from .background import (
    cost_centre,
    fill,
    old_metric,
    old_ticket,
    register_number,
    settle,
    somebody,
    unused_name,
)
from .cast import Cast, hire_cast, new_name
from .company import SIZES, Company
from .keyed import Keyed
from .numbers import NewId
from .packs.content import Content, PacksDoNotFit
from .packs.pack import (
    ABOUT_A_RECORD,
    ABOUT_ANYTHING,
    DECISION_S,
    ApprovalType,
    Band,
    Chapter,
    FormField,
    Groundwork,
    Ledger,
    Office,
    Pack,
    SideRequest,
    Succession,
    TicketKind,
    Workplace,
    cost_centre_field,
    reporter_field,
)
from .packs.phrases import Phrases, names, words
from .packs.texts import DocumentTemplate, MailTemplate
from .policies import REFRESH_METRICS, SUBMIT_REQUESTS, VERIFY_TICKETS
from .rows import Row
from .staff import Person

__all__ = [
    "ABOUT_ANYTHING",
    "ABOUT_A_RECORD",
    "DECISION_S",
    "REFRESH_METRICS",
    "SIZES",
    "SUBMIT_REQUESTS",
    "VERIFY_TICKETS",
    "ApprovalType",
    "Band",
    "Cast",
    "Chapter",
    "Company",
    "Content",
    "DocumentTemplate",
    "Edition",
    "FormField",
    "Groundwork",
    "Keyed",
    "Ledger",
    "MailTemplate",
    "NewId",
    "Office",
    "Pack",
    "PacksDoNotFit",
    "Person",
    "Phrases",
    "Row",
    "SideRequest",
    "Succession",
    "TicketKind",
    "Workplace",
    "add_entitlement",
    "allowances",
    "complete_org_chart",
    "cost_centre",
    "cost_centre_field",
    "fill",
    "hire_cast",
    "names",
    "new_name",
    "old_metric",
    "old_ticket",
    "own",
    "precedence",
    "register_number",
    "reporter_field",
    "settle",
    "somebody",
    "unused_name",
    "words",
]
