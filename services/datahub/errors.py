"""DataHub's refusals, each with its reason and its remedy."""

from companyos.chassis import ServiceError


class MetricUnknown(ServiceError):
    """No metric has this id."""

    status_code = 404
    code = "metric_unknown"

    def __init__(self, metric_id: str) -> None:
        super().__init__(
            f"No metric has this id: {metric_id!r}. Find ids with datahub_list_metrics.",
            field="metric_id",
            remedy="datahub_list_metrics",
        )


class JobUnknown(ServiceError):
    """No refresh job has this id."""

    status_code = 404
    code = "job_unknown"

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f"No refresh job has this id: {job_id!r}. Find ids with datahub_list_jobs.",
            field="job_id",
            remedy="datahub_list_jobs",
        )


class RecordUnknown(ServiceError):
    """No record has this id."""

    status_code = 404
    code = "record_unknown"

    def __init__(self, record_id: str) -> None:
        super().__init__(
            f"No record has this id: {record_id!r}. Find ids with datahub_list_records.",
            field="record_id",
            remedy="datahub_list_records",
        )


class PersonUnknown(ServiceError):
    """No person has this id."""

    status_code = 404
    code = "person_unknown"

    def __init__(self, person_id: str, *, field: str = "person_id") -> None:
        super().__init__(
            f"No person has this id: {person_id!r}. Find ids with datahub_list_people.",
            field=field,
            remedy="datahub_list_people",
        )


class RoleVacant(ServiceError):
    """Nobody holds this role."""

    status_code = 404
    code = "role_vacant"

    def __init__(self, role: str) -> None:
        super().__init__(
            f"Nobody holds this role: {role!r}. datahub_list_people shows who holds which role.",
            field="role",
            remedy="datahub_list_people",
        )


class PermissionUnknown(ServiceError):
    """No permission has this name."""

    status_code = 404
    code = "permission_unknown"

    def __init__(self, permission: str) -> None:
        super().__init__(
            f"No permission has this name: {permission!r}. Find names with datahub_list_access.",
            field="permission",
            remedy="datahub_list_access",
        )


class AccessHeld(ServiceError):
    """The caller already has the permission."""

    code = "access_held"

    def __init__(self, permission: str) -> None:
        super().__init__(
            f"You already have this permission: {permission!r}. Make the call that requires it.",
            field="permission",
            permission=permission,
        )


class AccessRequested(ServiceError):
    """The caller has already requested the permission."""

    code = "access_requested"

    def __init__(self, permission: str, due_at: str) -> None:
        super().__init__(
            f"You have already requested {permission!r}. It is granted at {due_at}; wait until then.",
            field="permission",
            remedy="wait",
            permission=permission,
        )


class RefreshRunning(ServiceError):
    """A job is already refreshing the metric."""

    code = "refresh_running"

    def __init__(self, job_id: str, due_at: str) -> None:
        super().__init__(
            f"This metric is already being refreshed by {job_id}, until {due_at}. Wait until then, and read the metric "
            "with datahub_query_metric.",
            remedy="wait",
        )


class NothingToChange(ServiceError):
    """The update names no field."""

    status_code = 422
    code = "nothing_to_change"

    def __init__(self) -> None:
        super().__init__("Nothing to change. Give a new value for at least one of name, status or fields.")


class ActivationNeedsApproval(ServiceError):
    """Only an approval makes a record active."""

    code = "activation_needs_approval"

    def __init__(self, record_id: str) -> None:
        super().__init__(
            f"An update cannot activate a record; {record_id} becomes active when a request about it is approved. "
            "Submit one with approvalflow_submit_approval.",
            field="status",
            remedy="approvalflow_submit_approval",
            allowed_values=["pending", "inactive"],
        )
