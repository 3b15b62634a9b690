"""Engineering: services, their bugs, and what it takes to escalate one."""

from companyos.sdk.company import Office, Pack, TicketKind

from . import names, phrases
from .approvals import ESCALATION_APPROVAL, escalation_approval
from .documents import DOCUMENTS, MAILS
from .stories import bug

BUG = "bug"

PACK = Pack(
    name="engineering",
    ticket_kinds=(
        TicketKind(
            BUG,
            "Bug",
            ("low", "medium", "high", "urgent"),
            ("engineer", "cto"),
            needs_approval=False,
            phrases=phrases.BUG,
        ),
    ),
    approval_types=(escalation_approval(minimum=5.0),),
    record_kinds=("service",),
    offices=(Office("cto", "Engineering", original="Mike Ross"),),
    teams=(("Engineering", "engineer"),),
    stories=(bug,),
    documents=DOCUMENTS,
    mails=MAILS,
)

__all__ = ["BUG", "ESCALATION_APPROVAL", "PACK", "escalation_approval", "names"]
