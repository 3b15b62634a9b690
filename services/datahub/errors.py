"""Every refusal of DataHub: what is wrong and what would make it right."""

from companyos.chassis import ServiceError


class MetricUnknown(ServiceError):
    """No metric of this id."""

    status_code = 404
    code = "metric_unknown"

    def __init__(self, metric_id: str) -> None:
        super().__init__(f"There is no metric {metric_id!r}. Find ids with list_metrics.", field="metric_id")


class JobUnknown(ServiceError):
    """No refresh job of this id."""

    status_code = 404
    code = "job_unknown"

    def __init__(self, job_id: str) -> None:
        super().__init__(f"There is no job {job_id!r}. Find ids with list_jobs.", field="job_id")


class RecordUnknown(ServiceError):
    """No record of this id."""

    status_code = 404
    code = "record_unknown"

    def __init__(self, record_id: str) -> None:
        super().__init__(f"There is no record {record_id!r}. Find ids with list_records.", field="record_id")


class PersonUnknown(ServiceError):
    """No person of this id."""

    status_code = 404
    code = "person_unknown"

    def __init__(self, person_id: str) -> None:
        super().__init__(f"There is no person {person_id!r}. Find ids with list_people.", field="person_id")


class RoleVacant(ServiceError):
    """Nobody holds this role."""

    status_code = 404
    code = "role_vacant"

    def __init__(self, role: str) -> None:
        super().__init__(
            f"Nobody holds the role {role!r}. See who holds which with list_people.", field="role"
        )


class PermissionUnknown(ServiceError):
    """No permission of this name."""

    status_code = 404
    code = "permission_unknown"

    def __init__(self, permission: str) -> None:
        super().__init__(
            f"There is no permission {permission!r}. Find the permissions with list_access.",
            field="permission",
        )


class AccessHeld(ServiceError):
    """The caller has the permission they ask for."""

    code = "access_held"

    def __init__(self, permission: str) -> None:
        super().__init__(f"You have the permission {permission!r}. Go on.", field="permission")


class AccessRequested(ServiceError):
    """The caller has asked for the permission before."""

    code = "access_requested"

    def __init__(self, permission: str, due_at: str) -> None:
        super().__init__(
            f"You have asked for {permission!r}; it is granted at {due_at}. Wait until then.",
            field="permission",
        )


class RefreshRunning(ServiceError):
    """The metric is being refreshed already."""

    code = "refresh_running"

    def __init__(self, job_id: str, due_at: str) -> None:
        super().__init__(f"{job_id} is refreshing this metric until {due_at}. Wait, then query the metric.")


class NothingToChange(ServiceError):
    """An update that names no field."""

    status_code = 422
    code = "nothing_to_change"

    def __init__(self) -> None:
        super().__init__("Give at least one of name, status or fields a new value.")


class ActivationNeedsApproval(ServiceError):
    """A record becomes active by an approval, never by an edit."""

    code = "activation_needs_approval"

    def __init__(self, record_id: str) -> None:
        super().__init__(
            f"{record_id} becomes active by itself when a request about it is approved. Submit one instead.",
            field="status",
        )
