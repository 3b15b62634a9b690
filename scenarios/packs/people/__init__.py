"""People: the handbook, and the approvers of its publication; the head of finance succeeds legal."""

from companyos.sdk.company import Office, Pack, TicketKind

from . import names, phrases
from .approvals import HANDBOOK_APPROVAL, handbook_approval
from .documents import DOCUMENTS, MAILS
from .stories import handbook_section

HANDBOOK = "handbook"

PACK = Pack(
    name="people",
    ticket_kinds=(
        TicketKind(
            HANDBOOK, "Handbook", ("low", "medium"), ("people_partner", "hr_lead"), phrases=phrases.HANDBOOK
        ),
    ),
    approval_types=(handbook_approval(below=50),),
    record_kinds=("handbook_section",),
    plain_record_kinds=("department",),
    offices=(Office("hr_lead", "People", original="Priya Nair"), Office("legal_counsel", "Legal")),
    teams=(("People", "people_partner"),),
    stories=(handbook_section,),
    documents=DOCUMENTS,
    mails=MAILS,
)

__all__ = ["HANDBOOK", "HANDBOOK_APPROVAL", "PACK", "handbook_approval", "names"]
