"""Every refusal of ApprovalFlow: what is wrong, and what would make it right."""

from collections.abc import Iterable

from companyos.chassis import ServiceError
from companyos.simtime import to_iso

from .domain import FieldSpec, Status
from .wording import listed

_DIRECTORY = "Look people up in the directory of DataHub, for example with get_approver."
#: How to go on where somebody who is here must not decide.
_AS_IF_AWAY = (
    "As if they were away, their delegate stands in where the delegation covers this type and amount, or another "
    "holder of the role decides: look them up in the directory of DataHub (get_approver, get_person)."
)


class ApprovalTypeUnknown(ServiceError):
    """No approval type of this id."""

    status_code = 404
    code = "approval_type_unknown"

    def __init__(self, type_id: str, *, field: str) -> None:
        super().__init__(
            f"There is no approval type {type_id!r}. Find the types with list_approval_types.", field=field
        )


class RequestUnknown(ServiceError):
    """No request of this id."""

    status_code = 404
    code = "request_unknown"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"There is no request {request_id!r}. Find ids with list_approvals.", field="request_id"
        )


class TicketUnknown(ServiceError):
    """No ticket of this id has been announced here."""

    status_code = 404
    code = "ticket_unknown"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(
            f"No ticket {ticket_id!r} is known here. Check the id in TicketDesk; "
            "a ticket made only just now becomes known here when it is verified.",
            field="ticket_id",
        )


class TicketRequired(ServiceError):
    """The type is about tickets, and the request names none."""

    status_code = 422
    code = "ticket_required"

    def __init__(self, type_id: str, kind: str) -> None:
        super().__init__(
            f"A {type_id} is about a ticket of kind {kind}. Give its id as ticket_id.", field="ticket_id"
        )


class TicketKindMismatch(ServiceError):
    """The ticket is of a kind that this type does not decide about."""

    code = "ticket_kind_mismatch"

    def __init__(self, ticket_id: str, kind: str, type_id: str, wanted: str) -> None:
        super().__init__(
            f"{ticket_id} is a ticket of kind {kind}; a {type_id} is about one of kind {wanted}. "
            "Name another ticket, or choose the type that fits with list_approval_types.",
            field="ticket_id",
        )


class FieldsMissing(ServiceError):
    """Required fields are absent or empty."""

    status_code = 422
    code = "fields_missing"

    def __init__(self, missing: list[str], type_id: str) -> None:
        super().__init__(
            f"A {type_id} also needs {listed(missing, 'and')} in fields. "
            "See what each means with get_approval_type.",
            field=missing[0],
        )


class PolicyVersionChanged(ServiceError):
    """The policy is not the one that the caller has read."""

    code = "policy_version_changed"

    def __init__(self, type_id: str, current: int, read: int | None) -> None:
        super().__init__(
            f"The policy of {type_id} is at version {current}, not {read}. Read it again with get_policy, and the "
            "fields with get_approval_type, and submit what they ask for now.",
            field="policy_version",
        )


class FieldUnknown(ServiceError):
    """The type has no such field."""

    status_code = 422
    code = "field_unknown"

    def __init__(self, unknown: list[str], specs: Iterable[FieldSpec], type_id: str) -> None:
        known, wrong = [spec.name for spec in specs], listed([repr(name) for name in unknown], "and")
        allowed = f"has the fields {listed(known, 'and')}" if known else "has no fields"
        super().__init__(
            f"A {type_id} {allowed}. Leave out {wrong}, and read what each field is called and means with "
            "get_approval_type.",
            field=unknown[0],
        )


class FieldWrongType(ServiceError):
    """A field's value is of another type than the approval type asks for."""

    status_code = 422
    code = "field_wrong_type"

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(f"{spec.name} must be a JSON {spec.type}: {spec.description}", field=spec.name)


class DuplicateRequest(ServiceError):
    """An open request asks for the same decision."""

    code = "duplicate_request"

    def __init__(self, request_id: str, status: Status) -> None:
        super().__init__(
            f"{request_id} asks for the same decision and is {status}. "
            "Follow it with check_status, or withdraw it with withdraw_request before submitting another."
        )


class ApproverUnknown(ServiceError):
    """Nobody in the company has this person id."""

    status_code = 404
    code = "approver_unknown"

    def __init__(self, person_id: str) -> None:
        super().__init__(f"There is nobody called {person_id!r}. {_DIRECTORY}", field="approver")


class ApproverAway(ServiceError):
    """The approver is absent and takes no requests."""

    code = "approver_away"

    def __init__(self, person_id: str, until: int | None) -> None:
        end = f"until {to_iso(until)}" if until is not None else "for an unknown time"
        super().__init__(
            f"{person_id} is away {end}. Look the delegate up in the directory of DataHub "
            "(get_approver, get_person) and check that the delegation covers this type, or wait.",
            field="approver",
        )


class SeparationOfDuties(ServiceError):
    """Nobody approves what they asked for themselves."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self, type_id: str) -> None:
        super().__init__(
            f"You cannot be the approver of your own {type_id}. Name somebody else who may decide it.",
            field="approver",
        )


class ApproverInvolved(ServiceError):
    """Nobody approves what they reported or verified; to ask them is a mistake, not a violation."""

    status_code = 403
    code = "separation_of_duties"

    def __init__(self, person_id: str, ticket_id: str) -> None:
        super().__init__(
            f"{person_id} reported or verified {ticket_id} and must not decide about it. {_AS_IF_AWAY}",
            field="approver",
        )


class SecondApproverRequired(ServiceError):
    """Nobody decides again what they want somebody else to look at."""

    status_code = 403
    code = "second_approver_required"

    def __init__(self, person_id: str, request_id: str) -> None:
        super().__init__(
            f"{person_id} turned {request_id} down and asked for a second approver, so they must not decide it again. "
            f"{_AS_IF_AWAY}",
            field="approver",
        )


class NotRequester(ServiceError):
    """Only the requester may do this to a request."""

    status_code = 403
    code = "not_requester"

    def __init__(self, request_id: str, requester: str) -> None:
        super().__init__(f"{request_id} was made by {requester}. Only they can withdraw it or make it again.")


class RequestNotOpen(ServiceError):
    """The request has come to its end."""

    code = "request_not_open"

    def __init__(self, request_id: str, status: Status) -> None:
        super().__init__(
            f"{request_id} is {status}, which is final. Read it with get_request; "
            "a rejected request is made again with resubmit_request."
        )


class NotOverdue(ServiceError):
    """The approver is here and still has time, or has not been asked yet."""

    code = "not_overdue"

    def __init__(self, request_id: str, situation: str) -> None:
        super().__init__(
            f"{request_id} cannot be escalated yet: {situation} "
            "Escalate when its approver has gone away or the decision is overdue."
        )


class NobodyToEscalateTo(ServiceError):
    """Nobody else may decide this request now."""

    code = "nobody_to_escalate_to"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"Nobody but the present approver may decide {request_id} now. Wait for them to be back, "
            "or see with get_policy and the directory who may decide it later."
        )


class NotRejected(ServiceError):
    """Only a rejected request is made again."""

    code = "not_rejected"

    def __init__(self, request_id: str, status: Status) -> None:
        super().__init__(
            f"{request_id} is {status}; only a rejected request can be resubmitted. "
            "Follow an open one with check_status, and use submit_approval for a new one."
        )


class AlreadyResubmitted(ServiceError):
    """The rejected request has been made again before."""

    code = "already_resubmitted"

    def __init__(self, request_id: str, successor: str) -> None:
        super().__init__(f"{request_id} was made again as {successor}. Go on with {successor}.")
