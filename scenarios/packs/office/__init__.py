"""The office: what every company has, such as people, employers, chores, and work that blocks other work."""

from companyos.sdk.company import (
    ABOUT_ANYTHING,
    Cast,
    Company,
    Groundwork,
    Office,
    Pack,
    TicketKind,
    Workplace,
    old_ticket,
)

from . import names, phrases
from .documents import COMMON_SECTIONS, DOCUMENTS, MAILS
from .handbook import CHAPTERS

TASK = "task"
_VERIFIERS = ("engineer", "analyst", "accountant", "people_partner")


def _chore(company: Company, cast: Cast, number: int) -> None:
    old_ticket(company, number, TASK, company.draws.choice("chore", names.CHORES, number), None)


def _groundwork(company: Company, cast: Cast, number: int) -> None:
    """Write work that was done on a record."""
    records = [one for one in company.rows["datahub"]["records"] if "cost_centre" in one["fields"]]
    if records:
        record = company.draws.choice("groundwork.record", records, number)
        title, _ = company.draws.choice("groundwork", names.GROUNDWORK, number)
        old_ticket(company, number, TASK, title.format(name=record["name"]), record, name=record["name"])


PACK = Pack(
    name="office",
    ticket_kinds=(
        TicketKind(
            TASK,
            "Task",
            ("low", "medium", "high"),
            _VERIFIERS,
            ABOUT_ANYTHING,
            needs_approval=False,
            phrases=phrases.TASK,
        ),
    ),
    offices=(
        Office("operations_lead", "Operations", original="Dana Kim", is_trusted=True),
        Office("chief_of_staff", "Operations", is_trusted=True),
    ),
    teams=(
        ("Operations", "coordinator"),
        ("Sales", "account_manager"),
        ("Support", "support_agent"),
    ),
    stories=(_chore, _groundwork),
    documents=DOCUMENTS,
    mails=MAILS,
    common_sections=COMMON_SECTIONS,
    groundwork=Groundwork(TASK, names.GROUNDWORK),
    side_metrics=names.WAITED_FOR,
    chapters=CHAPTERS,
    workplace=Workplace(
        first_names=names.FIRST,
        last_names=names.LAST,
        employers=names.COMPANIES,
        reporter=("coordinator", "Operations"),
        deputy="chief_of_staff",
        worker="chief_of_staff",
        checker="operations_lead",
        author="operations_lead",
        leaves=names.LEAVES,
        absences=names.REASONS,
        remarks=names.REMARKS,
    ),
)
