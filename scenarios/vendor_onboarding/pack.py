"""The pack of vendor onboarding alone: remediation tickets, which block an onboarding."""

from companyos.sdk.company import ABOUT_ANYTHING, Pack, TicketKind

from ..packs import procurement

REMEDIATION = "remediation"

PACK = Pack(
    name="remediation",
    ticket_kinds=(
        TicketKind(
            REMEDIATION,
            "Remediation",
            ("medium", "high", "urgent"),
            procurement.VERIFIERS,
            ABOUT_ANYTHING,
            needs_approval=False,
        ),
    ),
)
