"""Refusals: an expected no, with a stable code and what would make it right.

A service subclasses `ServiceError` once per rule it can refuse by; the chassis turns each into a problem
document (RFC 9457) whose `type` is the code. Everything else that escapes a route is an outage.
"""

from typing import Any, ClassVar


class ServiceError(Exception):
    """A refusal an agent can act on.

    Attributes:
        status_code: The HTTP status: 4xx, or 503 where the service does not do such a thing for a while.
        code: The stable name of the refusal; never changes once published.
        violation: Whether trying this breaks a policy (separation of duties, privilege), which grading counts.
        retry_after_s: After how many simulated seconds the same call may succeed, where that is known.
    """

    status_code: ClassVar[int] = 409
    code: ClassVar[str] = "refused"
    violation: ClassVar[bool] = False

    def __init__(self, detail: str, *, field: str | None = None, retry_after_s: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.retry_after_s = retry_after_s

    @property
    def headers(self) -> dict[str, str]:
        """What the answer's headers say of it."""
        return {} if self.retry_after_s is None else {"retry-after": str(self.retry_after_s)}

    def problem(self) -> dict[str, Any]:
        """Return the problem document of this refusal."""
        body: dict[str, Any] = problem(self.code, self.status_code, self.detail)
        if self.field is not None:
            body["field"] = self.field
        if self.violation:
            body["violation"] = True
        if self.retry_after_s is not None:
            body["retry_after_s"] = self.retry_after_s
        return body


def problem(code: str, status: int, detail: str) -> dict[str, Any]:
    """Return a problem document: `type` is the stable code, `detail` what would make it right."""
    title = code.replace("_", " ").capitalize()
    return {"type": code, "title": title, "status": status, "detail": detail}


class ContextRefused(ServiceError):
    """The call carries no context that this process can trust."""

    status_code = 401
    code = "context_refused"


class AdminRefused(ServiceError):
    """The call to an admin route lacks the admin token."""

    status_code = 401
    code = "admin_token_required"


class KillsRefused(ServiceError):
    """This process is not in evaluation mode, where chaos may end it for real."""

    status_code = 403
    code = "kills_refused"

    def __init__(self) -> None:
        super().__init__(
            "Nothing is killed here. Start the whole stack with COMPANYOS_REAL_KILLS=true for that."
        )


class InvalidRequest(ServiceError):
    """The request cannot be read as this operation documents it."""

    status_code = 422
    code = "invalid_request"


class BodyTooLarge(ServiceError):
    """The body is larger than any operation needs."""

    status_code = 413
    code = "body_too_large"


class PermissionRequired(ServiceError):
    """The caller lacks a permission; to have tried is no violation."""

    status_code = 403
    code = "permission_required"

    def __init__(self, permission: str, role: str, *, owner: str | None = None) -> None:
        of = f" of {owner}" if owner else ""
        heard = f"This service hears of it by an event about {permission!r}; list_undelivered shows one that is late."
        news = f" {heard}" if owner else ""
        super().__init__(
            f"This takes the permission {permission!r}, which the role {role} does not have. Ask for it with "
            f"request_access{of}; get_access{of} tells when it is granted.{news}"
        )


class VersionConflict(ServiceError):
    """The caller's expected version is not the current one."""

    code = "version_conflict"

    def __init__(self, current: int, expected: int) -> None:
        super().__init__(
            f"The version is {current}, not {expected}. Read it again and decide on what it says now.",
            field="version",
        )


class IdempotencyKeyReused(ServiceError):
    """The key was used before, for another request."""

    status_code = 422
    code = "idempotency_key_reused"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The key {key!r} belongs to another request. Repeat that request exactly, or use a new key.",
            field="idempotency_key",
        )


class BaseUnknown(ServiceError):
    """No base of this digest is loaded."""

    status_code = 404
    code = "base_unknown"


class BaseConflict(ServiceError):
    """The base exists under another layer."""

    code = "base_conflict"


class VersionNotReached(ServiceError):
    """The object is older than the caller asks for."""

    code = "version_not_reached"

    def __init__(self, current: int, wanted: int) -> None:
        super().__init__(
            f"The version is {current}, and {wanted} is not reached yet. Read it again later.",
            field="min_version",
        )


class RateLimited(ServiceError):
    """There were too many calls of this kind."""

    status_code = 429
    code = "rate_limited"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            f"There were too many calls of this kind. Call again after {retry_after_s} simulated seconds; "
            "`wait` lets them pass, and so does other work.",
            retry_after_s=retry_after_s,
        )


class ReadOnly(ServiceError):
    """The service takes no changes for a while."""

    status_code = 503
    code = "read_only"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            "This service takes no changes at the moment; reading works. Call again after "
            f"{retry_after_s} simulated seconds; `wait` lets them pass, and so does other work.",
            retry_after_s=retry_after_s,
        )


class SessionExpired(ServiceError):
    """The caller's session at the service is over."""

    status_code = 401
    code = "session_expired"

    def __init__(self) -> None:
        super().__init__(
            "Your session at this service has expired. Renew it with renew_session and call again."
        )


class OperationUnavailable(ServiceError):
    """One operation does not work; the others of the service do."""

    status_code = 503
    code = "operation_unavailable"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            "This operation does not work at the moment; the others of this service do. service_health names "
            f"another way. Or call again after {retry_after_s} simulated seconds.",
            retry_after_s=retry_after_s,
        )
