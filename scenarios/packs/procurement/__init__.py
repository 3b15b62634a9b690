"""Procurement: vendors to onboard and licenses to renew; it needs finance, which approves spending."""

from companyos.sdk.company import Office, Pack, TicketKind

from . import names, phrases
from .approvals import LICENSE_APPROVAL, VENDOR_APPROVAL, license_approval, vendor_approval
from .documents import DOCUMENTS, MAILS
from .stories import license_renewal, vendor_onboarding

VERIFIERS = ("analyst", "procurement")

PACK = Pack(
    name="procurement",
    ticket_kinds=(
        TicketKind(
            "vendor_onboarding", "Vendor onboarding", ("medium", "high"), VERIFIERS, phrases=phrases.VENDOR
        ),
        TicketKind("license", "License", ("medium", "high", "urgent"), VERIFIERS, phrases=phrases.LICENSE),
    ),
    approval_types=(vendor_approval(minimum=80.0), license_approval(below=200)),
    record_kinds=("vendor", "contract"),
    offices=(Office("procurement", "Purchasing", original="Tom Baker"),),
    teams=(("Purchasing", "analyst"),),
    stories=(vendor_onboarding, vendor_onboarding, license_renewal),
    documents=DOCUMENTS,
    mails=MAILS,
)

__all__ = [
    "LICENSE_APPROVAL",
    "PACK",
    "VENDOR_APPROVAL",
    "VERIFIERS",
    "license_approval",
    "names",
    "vendor_approval",
]
