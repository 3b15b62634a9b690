"""Staffing: people who join, move and leave, their access, their responsibilities, and their data."""

from companyos.sdk.company import ABOUT_ANYTHING, Office, Pack, TicketKind

from . import names
from .approvals import DATA_RELEASE, STEWARD, data_release
from .stories import EMPLOYEE, EQUIPMENT, OFFBOARDING, PROJECT, REPORT, WORK, leaver, project

_CLERKS = ("people_partner", "analyst")

PACK = Pack(
    name="staffing",
    ticket_kinds=(
        TicketKind(
            OFFBOARDING, "Off-boarding", ("low", "medium"), _CLERKS, ABOUT_ANYTHING, needs_approval=False
        ),
        TicketKind(
            EQUIPMENT, "Equipment", ("low", "medium"), _CLERKS, ("priority", "subject"), needs_approval=False
        ),
        TicketKind(
            WORK,
            "Project work",
            ("low", "medium", "high"),
            _CLERKS,
            ("priority", "assignee", "subject"),
            needs_approval=False,
        ),
    ),
    approval_types=(data_release(),),
    record_kinds=(EMPLOYEE, PROJECT, REPORT),
    offices=(Office(STEWARD, "Data"), Office("head_of_data", "Data")),
    teams=(("Data", "analyst"), ("Research", "researcher")),
    stories=(leaver, project),
)

__all__ = [
    "DATA_RELEASE",
    "EMPLOYEE",
    "EQUIPMENT",
    "OFFBOARDING",
    "PACK",
    "PROJECT",
    "REPORT",
    "STEWARD",
    "WORK",
    "names",
]
