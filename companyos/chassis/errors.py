"""Refusals: expected errors, with a stable code and a way to fix the request.

A service subclasses `ServiceError` once per rule. The chassis turns each refusal into a problem document (RFC 9457)
whose `type` is the code. Any other exception that escapes a route is an outage.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypedDict, Unpack

#: The advice to retry after a simulated delay.
_RETRY: Final = "Call again after {} simulated seconds: do other work meanwhile, or use wait."


class RefusalFacts(TypedDict, total=False):
    """Structured facts of a refusal; only those that apply are set.

    Attributes:
        remedy: Name of the tool, as agents call it, that resolves the refusal.
        required_field: The field to supply, or to set first.
        allowed_values: All values that would have been accepted.
        permission: The missing permission.
        retry_after_s: Simulated seconds after which the same call may succeed.
    """

    remedy: str
    required_field: str
    allowed_values: Sequence[str]
    permission: str
    retry_after_s: int


class ServiceError(Exception):
    """A refusal an agent can act on.

    Attributes:
        status_code: The HTTP status: 4xx, or 503 for a temporary inability.
        code: The stable error code, which never changes once published.
        violation: Whether the attempt breaks a policy (separation of duties, privilege), which grading counts.
        field: The offending argument, if any.
        facts: How to resolve the refusal, as data.
    """

    status_code: ClassVar[int] = 409
    code: ClassVar[str] = "refused"
    violation: ClassVar[bool] = False

    def __init__(self, detail: str, *, field: str | None = None, **facts: Unpack[RefusalFacts]) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.facts = facts

    @property
    def headers(self) -> dict[str, str]:
        """Response headers of the refusal."""
        after_s = self.facts.get("retry_after_s")
        return {} if after_s is None else {"retry-after": str(after_s)}

    def problem(self) -> dict[str, Any]:
        """Return the problem document of this refusal."""
        body: dict[str, Any] = problem(self.code, self.status_code, self.detail)
        if self.field is not None:
            body["field"] = self.field
        if self.violation:
            body["violation"] = True
        return {**body, **self.facts}


def problem(code: str, status: int, detail: str) -> dict[str, Any]:
    """Return a problem document: `type` is the stable code, `detail` says how to resolve it."""
    title = code.replace("_", " ").capitalize()
    return {"type": code, "title": title, "status": status, "detail": detail}


class ContextRefused(ServiceError):
    """The call carries no context that this process trusts."""

    status_code = 401
    code = "context_refused"


class AdminRefused(ServiceError):
    """The call to an admin route lacks the admin token."""

    status_code = 401
    code = "admin_token_required"


class OperatorRefused(ServiceError):
    """The call to a route for operators lacks their token."""

    status_code = 401
    code = "operator_token_required"


class KillsRefused(ServiceError):
    """The process is not in evaluation mode, in which chaos may kill it."""

    status_code = 403
    code = "kills_refused"

    def __init__(self) -> None:
        super().__init__(
            "Real kills are disabled here. Start the whole stack with COMPANYOS_REAL_KILLS=true to enable them."
        )


class InvalidRequest(ServiceError):
    """The request does not match the operation's documentation."""

    status_code = 422
    code = "invalid_request"


class QueryEmpty(ServiceError):
    """The text to search for has no word."""

    status_code = 422
    code = "query_empty"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:50]!r} has no word to search for. Give at least one letter or digit.", field="q"
        )


class QueryRequired(ServiceError):
    """A search has neither a text to search for nor a filter."""

    status_code = 422
    code = "query_required"

    def __init__(self, filters: Sequence[str]) -> None:
        super().__init__(
            f"Give `q`, or one of the filters {', '.join(filters)}.", field="q", required_field="q"
        )


class QueryTooLong(ServiceError):
    """The text to search for has too many words."""

    status_code = 422
    code = "query_too_long"

    def __init__(self, most: int) -> None:
        super().__init__(f"A search takes at most {most} words. Give only the words that matter.", field="q")


class CursorUnknown(ServiceError):
    """The cursor is not one that this list returned."""

    status_code = 422
    code = "cursor_unknown"

    def __init__(self, cursor: str) -> None:
        super().__init__(
            f"{cursor!r} is no cursor of this list. Pass the `next_cursor` of the page before, or "
            "leave it out to list from the beginning.",
            field="cursor",
        )


class BodyTooLarge(ServiceError):
    """The request body is too large."""

    status_code = 413
    code = "body_too_large"


class PermissionRequired(ServiceError):
    """The caller lacks a permission; the attempt itself is not a violation.

    Args:
        permission: The missing permission.
        role: The caller's role.
        owner: Name of the service that grants permissions.
        service: Name of the refusing service, which learns of grants by events unless it is the owner.
    """

    status_code = 403
    code = "permission_required"

    def __init__(self, permission: str, role: str, *, owner: str, service: str) -> None:
        late = f" If it has been granted already, {service}_list_undelivered shows what has not arrived here yet."
        super().__init__(
            f"This call requires a permission that your role, {role}, does not have: {permission!r}. "
            f"Request it with {owner}_request_access and wait until it is granted."
            f"{'' if owner == service else late}",
            remedy=f"{owner}_request_access",
            permission=permission,
        )


class VersionConflict(ServiceError):
    """The expected version is not the object's current version."""

    code = "version_conflict"

    def __init__(self, current: int, expected: int) -> None:
        super().__init__(
            f"The object has changed: its version is now {current}, not {expected}. Read it again and decide on "
            "its present state.",
            field="version",
            allowed_values=[str(current)],
        )


class IdempotencyKeyReused(ServiceError):
    """The idempotency key was used for a different request."""

    status_code = 422
    code = "idempotency_key_reused"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"This key was used for a different call: {key!r}. Repeat that call exactly, or use a new key.",
            field="idempotency_key",
        )


class BaseUnknown(ServiceError):
    """No base with this digest is loaded."""

    status_code = 404
    code = "base_unknown"


class BaseConflict(ServiceError):
    """The base is loaded in another layer."""

    code = "base_conflict"


class VersionNotReached(ServiceError):
    """The object is older than the requested version."""

    code = "version_not_reached"

    def __init__(self, current: int, wanted: int) -> None:
        super().__init__(
            f"The object is at version {current}; version {wanted} does not exist yet. Read it again later.",
            field="min_version",
        )


class RateLimited(ServiceError):
    """The rate limit of this call is reached; it binds neither other calls nor this one for another object."""

    status_code = 429
    code = "rate_limited"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            "The rate limit of this call is reached. It does not bind other calls, or this one for another object. "
            f"{_RETRY.format(retry_after_s)}",
            remedy="wait",
            retry_after_s=retry_after_s,
        )


class ReadOnly(ServiceError):
    """The service temporarily accepts no changes."""

    status_code = 503
    code = "read_only"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            "This service is read-only at the moment: reading works, changes do not. "
            f"{_RETRY.format(retry_after_s)}",
            remedy="wait",
            retry_after_s=retry_after_s,
        )


class SessionExpired(ServiceError):
    """The caller's session with the service has expired."""

    status_code = 401
    code = "session_expired"

    def __init__(self) -> None:
        super().__init__(
            "Your session with this service has expired. Renew it with renew_session, then call again.",
            remedy="renew_session",
        )


class OperationUnavailable(ServiceError):
    """One operation is unavailable; the service's other operations work."""

    status_code = 503
    code = "operation_unavailable"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            "This operation is unavailable at the moment; the service's other operations work, and service_health "
            f"names an alternative. {_RETRY.format(retry_after_s)}",
            remedy="service_health",
            retry_after_s=retry_after_s,
        )
