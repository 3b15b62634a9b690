"""The approval type of the people team: publishing a section of the handbook."""

from companyos.sdk.company import ApprovalType, Band, FormField, Succession

HANDBOOK_APPROVAL = "handbook_approval"


def handbook_approval(*, below: int) -> ApprovalType:
    """Return the approval that publishes a handbook section; legal decides from this head count on."""
    people, legal, chief = "hr_lead", "legal_counsel", "cfo"
    return ApprovalType(
        HANDBOOK_APPROVAL,
        "Handbook approval",
        "Publishes a section of the handbook. Needs the verified ticket and a fresh head count of the company.",
        (
            FormField(
                "headcount",
                "integer",
                "The company's own hr_headcount, as DataHub has it now.",
                synonym="staff_count",
            ),
        ),
        (Band(people, float(below)), Band(legal)),
        ticket_kind="handbook",
        metric_name="hr_headcount",
        metric_field="headcount",
        route_field="headcount",
        activates_record=True,
        successions=(
            Succession(
                (Band(people, below / 2), Band(legal, float(below)), Band(chief)),
                {people: legal, legal: chief},
            ),
        ),
    )
