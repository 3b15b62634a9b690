"""The approval type of engineering: taking engineers off other work."""

from companyos.sdk.company import ApprovalType, Band, FormField, Succession

ESCALATION_APPROVAL = "escalation_approval"


def escalation_approval(*, minimum: float) -> ApprovalType:
    """Return the approval that escalates a bug, given the least error rate (%) that warrants it."""
    return ApprovalType(
        ESCALATION_APPROVAL,
        "Escalation approval",
        "Takes engineers off other work to fix a bug. Needs the verified bug and a fresh error rate.",
        (
            FormField(
                "error_rate",
                "number",
                "The service's error rate in percent, as DataHub has it now.",
                synonym="failure_rate",
                other_unit=("per mille", 10.0),
            ),
        ),
        (Band("cto"),),
        ticket_kind="bug",
        metric_name="error_rate",
        metric_field="error_rate",
        minimum=minimum,
        # Every accepted rate exceeds the minimum by at least one.
        successions=(
            Succession((Band("cto", minimum + 1), Band("operations_lead")), {"cto": "operations_lead"}),
        ),
    )
