"""The approval types of procurement: accepting vendors and renewing licenses."""

from companyos.sdk.company import ApprovalType, Band, FormField, Succession

VENDOR_APPROVAL = "vendor_approval"
LICENSE_APPROVAL = "license_approval"


def vendor_approval(*, minimum: float) -> ApprovalType:
    """Return the approval that activates a vendor, given the least compliance score that passes."""
    return ApprovalType(
        VENDOR_APPROVAL,
        "Vendor approval",
        "Lets a vendor into the supplier base. Needs the verified onboarding ticket and a fresh compliance score.",
        (
            FormField(
                "vendor_name",
                "string",
                "The vendor's name, exactly as in its record.",
                synonym="supplier_name",
            ),
            FormField(
                "compliance_score",
                "number",
                "The vendor's compliance score, as DataHub has it now.",
                synonym="compliance_rating",
                other_unit=("tenths of a point", 10.0),
            ),
        ),
        (Band("cfo"),),
        ticket_kind="vendor_onboarding",
        metric_name="compliance_score",
        metric_field="compliance_score",
        minimum=minimum,
        activates_record=True,
        # Every accepted score exceeds the minimum by at least one.
        successions=(
            Succession((Band("cfo", minimum + 1), Band("finance_director")), {"cfo": "finance_director"}),
        ),
    )


def license_approval(*, below: int) -> ApprovalType:
    """Return the approval that renews a license; finance decides from this number of seats on."""
    procurement, finance, chief = "procurement", "finance_director", "cfo"
    return ApprovalType(
        LICENSE_APPROVAL,
        "License approval",
        "Renews a software license for the seats in use. Needs the verified ticket and a fresh count of seats.",
        (
            FormField(
                "seats",
                "integer",
                "The contract's active_seats, as DataHub has it now.",
                synonym="seat_count",
            ),
            FormField(
                "days_to_expiry",
                "integer",
                "The contract's days_to_expiry, as DataHub has it now.",
                synonym="days_left",
            ),
        ),
        (Band(procurement, float(below)), Band(finance)),
        ticket_kind="license",
        metric_name="active_seats",
        metric_field="seats",
        route_field="seats",
        activates_record=True,
        successions=(
            Succession(
                (Band(procurement, below / 2), Band(finance, float(below)), Band(chief)),
                {procurement: finance, finance: chief},
            ),
        ),
    )
