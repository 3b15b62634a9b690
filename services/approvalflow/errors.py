"""ApprovalFlow's refusals, each with its reason and its remedy."""

from collections.abc import Iterable
from typing import Final

from companyos.chassis import ServiceError
from companyos.sdk.simtime import to_iso

from .domain import FieldSpec, Status
from .wording import in_prose

#: The remedy if a present person must not decide.
_COUNTS_AS_ABSENT: Final = (
    "They count as absent for this request: their delegate decides if the delegation covers this type and amount, "
    "otherwise another holder of the role. datahub_get_approver shows who they are."
)


class ApprovalTypeUnknown(ServiceError):
    """No approval type has this id."""

    status_code = 404
    code = "approval_type_unknown"

    def __init__(self, type_id: str, *, field: str) -> None:
        super().__init__(
            f"No approval type has this id: {type_id!r}. Find ids with approvalflow_list_approval_types.",
            field=field,
            remedy="approvalflow_list_approval_types",
        )


class RequestUnknown(ServiceError):
    """No request has this id."""

    status_code = 404
    code = "request_unknown"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"No request has this id: {request_id!r}. Find ids with approvalflow_list_approvals.",
            field="request_id",
            remedy="approvalflow_list_approvals",
        )


class TicketUnknown(ServiceError):
    """No ticket with this id is known to ApprovalFlow."""

    status_code = 404
    code = "ticket_unknown"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(
            f"ApprovalFlow knows no ticket with this id: {ticket_id!r}. Check the id with ticketdesk_search_tickets. "
            "A new ticket becomes known here when it is verified with ticketdesk_verify_ticket.",
            field="ticket_id",
            remedy="ticketdesk_search_tickets",
        )


class TicketRequired(ServiceError):
    """Requests of this type must name a ticket."""

    status_code = 422
    code = "ticket_required"

    def __init__(self, type_id: str, kind: str) -> None:
        super().__init__(
            f"A request of type {type_id} is about a ticket of kind {kind}. Give the ticket's id as ticket_id.",
            field="ticket_id",
            required_field="ticket_id",
        )


class TicketKindMismatch(ServiceError):
    """The approval type does not cover tickets of this kind."""

    code = "ticket_kind_mismatch"

    def __init__(self, ticket_id: str, kind: str, type_id: str, wanted: str) -> None:
        super().__init__(
            f"A request of type {type_id} is about a ticket of kind {wanted}, and {ticket_id} is of kind {kind}. Name "
            "another ticket, or find the type that fits with approvalflow_list_approval_types.",
            field="ticket_id",
            remedy="approvalflow_list_approval_types",
        )


class FieldsMissing(ServiceError):
    """Required fields are missing or empty."""

    status_code = 422
    code = "fields_missing"

    def __init__(self, missing: list[str], type_id: str) -> None:
        super().__init__(
            f"Required in fields: {in_prose(missing, 'and')}. approvalflow_get_approval_type explains the fields of "
            f"{type_id}.",
            field=missing[0],
            remedy="approvalflow_get_approval_type",
            required_field=missing[0],
        )


class PolicyVersionChanged(ServiceError):
    """The policy's version is not the one the caller expects."""

    code = "policy_version_changed"

    def __init__(self, type_id: str, current: int, read: int | None) -> None:
        super().__init__(
            f"The policy of {type_id} has changed: it is at version {current}, not {read}. Read it again with "
            "approvalflow_get_policy, and the fields with approvalflow_get_approval_type.",
            field="policy_version",
            remedy="approvalflow_get_policy",
            allowed_values=[str(current)],
        )


class FieldUnknown(ServiceError):
    """The approval type has no such field."""

    status_code = 422
    code = "field_unknown"

    def __init__(self, unknown: list[str], specs: Iterable[FieldSpec], type_id: str) -> None:
        known, wrong = [spec.name for spec in specs], in_prose([repr(name) for name in unknown], "and")
        allowed = f"has the fields {in_prose(known, 'and')}" if known else "has no fields"
        super().__init__(
            f"A request of type {type_id} {allowed}. Leave out {wrong}; approvalflow_get_approval_type explains each "
            "field.",
            field=unknown[0],
            remedy="approvalflow_get_approval_type",
            allowed_values=known,
        )


class FieldWrongType(ServiceError):
    """A field's value has the wrong type."""

    status_code = 422
    code = "field_wrong_type"

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(f"{spec.name} must be a JSON {spec.type}: {spec.description}", field=spec.name)


class DuplicateRequest(ServiceError):
    """An open request for the same decision exists."""

    code = "duplicate_request"

    def __init__(self, request_id: str, status: Status) -> None:
        super().__init__(
            f"{request_id} already asks for this decision and is {status}. Follow it with approvalflow_check_status, "
            "or withdraw it with approvalflow_withdraw_request before submitting another.",
            remedy="approvalflow_check_status",
        )


class ApproverUnknown(ServiceError):
    """No person has this id."""

    status_code = 404
    code = "approver_unknown"

    def __init__(self, person_id: str, *, field: str = "approver") -> None:
        super().__init__(
            f"No colleague has this id: {person_id!r}. datahub_get_approver finds who decides for a role.",
            field=field,
            remedy="datahub_get_approver",
        )


class ApproverAway(ServiceError):
    """The approver is absent."""

    code = "approver_away"

    def __init__(self, person_id: str, until: int | None, *, field: str = "approver") -> None:
        end = f"until {to_iso(until)}" if until is not None else "for an unknown time"
        super().__init__(
            f"{person_id} is away {end}. Wait, or submit to their delegate if the delegation covers this type and "
            "amount; datahub_get_person shows it.",
            field=field,
            remedy="datahub_get_person",
        )


class SeparationOfDuties(ServiceError):
    """The requester may not approve their own request."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self, type_id: str) -> None:
        super().__init__(
            f"You cannot approve your own request of type {type_id}. Name another authorized approver; "
            "datahub_get_approver finds who decides for a role.",
            field="approver",
            remedy="datahub_get_approver",
        )


class ApproverInvolved(ServiceError):
    """The reporter and the verifier of a ticket may not approve it; asking them is a mistake, not a violation."""

    status_code = 403
    code = "separation_of_duties"

    def __init__(self, person_id: str, ticket_id: str) -> None:
        super().__init__(
            f"{person_id} reported or verified {ticket_id} and must not decide about it. {_COUNTS_AS_ABSENT}",
            field="approver",
            remedy="datahub_get_approver",
        )


class SecondApproverRequired(ServiceError):
    """An approver who asked for a second approver may not decide the request."""

    status_code = 403
    code = "second_approver_required"

    def __init__(self, person_id: str, request_id: str) -> None:
        super().__init__(
            f"{person_id} rejected {request_id} and asked for a second approver, so they cannot decide it again. "
            f"{_COUNTS_AS_ABSENT}",
            field="approver",
            remedy="datahub_get_approver",
        )


class NotRequester(ServiceError):
    """Only the requester may change the request."""

    status_code = 403
    code = "not_requester"

    def __init__(self, request_id: str, requester: str) -> None:
        super().__init__(
            f"Only the requester can withdraw or resubmit a request; {request_id} was made by {requester}."
        )


class RequestNotOpen(ServiceError):
    """The request is closed."""

    code = "request_not_open"

    def __init__(self, request_id: str, status: Status) -> None:
        again = status == Status.REJECTED
        advice = (
            "Resubmit it with approvalflow_resubmit_request."
            if again
            else "Submit a new one with approvalflow_submit_approval if the decision is still needed."
        )
        super().__init__(
            f"{request_id} is {status}, which is final. {advice}",
            remedy="approvalflow_resubmit_request" if again else "approvalflow_submit_approval",
        )


class NotOverdue(ServiceError):
    """The request cannot be escalated yet: the approver is present and still has time, or has not been asked."""

    code = "not_overdue"

    def __init__(self, request_id: str, situation: str) -> None:
        super().__init__(
            f"{request_id} cannot be escalated yet: {situation} Escalate once the approver is away or the decision "
            "overdue.",
            remedy="approvalflow_check_status",
        )


class NobodyToEscalateTo(ServiceError):
    """No other person may decide the request now."""

    code = "nobody_to_escalate_to"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"Nobody but the current approver may decide {request_id} now. Wait until they are back, or see with "
            "approvalflow_get_policy and datahub_get_approver who may decide it later.",
            remedy="wait",
        )


class NotRejected(ServiceError):
    """Only a rejected request can be resubmitted."""

    code = "not_rejected"

    def __init__(self, request_id: str, status: Status) -> None:
        super().__init__(
            f"Only a rejected request can be resubmitted; {request_id} is {status}. Follow an open request with "
            "approvalflow_check_status; submit a new one with approvalflow_submit_approval.",
            allowed_values=[str(Status.REJECTED)],
        )


class AlreadyResubmitted(ServiceError):
    """The rejected request has been resubmitted already."""

    code = "already_resubmitted"

    def __init__(self, request_id: str, successor: str) -> None:
        super().__init__(
            f"{request_id} has already been resubmitted as {successor}. Continue with {successor}.",
            allowed_values=[successor],
        )
