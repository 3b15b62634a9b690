"""The approval type about data: releasing a project's data."""

from companyos.sdk.company import ApprovalType, Band

DATA_RELEASE = "data_release_approval"
STEWARD = "data_steward"


def data_release() -> ApprovalType:
    """Return the approval that releases a project's data, decided by any data steward."""
    return ApprovalType(
        DATA_RELEASE,
        "Data release",
        "Releases the data of a project to people outside it. Any data steward decides.",
        (),
        (Band(STEWARD),),
        ticket_kind="project_work",
    )
