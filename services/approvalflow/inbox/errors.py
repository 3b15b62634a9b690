"""The refusals of the inbox, each with its reason and its remedy."""

from companyos.chassis import ServiceError

from .domain import ReasonCode


class NotInInbox(ServiceError):
    """The request is waiting for another person."""

    status_code = 403
    code = "not_in_inbox"

    def __init__(self, request_id: str, approver: str) -> None:
        super().__init__(
            f"{request_id} waits for {approver}, for whom you do not stand in now. approvalflow_list_inbox shows what "
            "waits for you.",
            remedy="approvalflow_list_inbox",
        )


class DelegationExceeded(ServiceError):
    """The caller's role and delegations do not cover the request."""

    status_code = 403
    code = "delegation_exceeded"

    def __init__(self, request_id: str, approver: str) -> None:
        super().__init__(
            f"You may not decide {request_id}: neither the policy's route nor the delegation of {approver} covers its "
            "type and amount. Pass it on to somebody who may.",
            remedy="approvalflow_pass_on",
        )


class OwnDecision(ServiceError):
    """The caller made the request, or reported or verified its ticket."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"You must not decide {request_id}: you made it, or worked on its ticket. Pass it on to somebody who may "
            "decide it.",
            remedy="approvalflow_pass_on",
        )


class ReasonCodeRequired(ServiceError):
    """A rejection needs a reason code."""

    status_code = 422
    code = "reason_code_required"

    def __init__(self) -> None:
        super().__init__(
            "A rejection needs a reason_code.",
            field="reason_code",
            required_field="reason_code",
            allowed_values=[str(code) for code in ReasonCode],
        )


class ReasonCodeNotAllowed(ServiceError):
    """An approval takes no reason code."""

    status_code = 422
    code = "reason_code_not_allowed"

    def __init__(self) -> None:
        super().__init__("An approval has no reason_code. Leave it out.", field="reason_code")


class QuestionOpen(ServiceError):
    """The requester has not answered an earlier question on this topic."""

    code = "question_open"

    def __init__(self, question_id: str, due_at: str) -> None:
        super().__init__(
            f"{question_id} asks this already; its answer is due at {due_at}. Wait, and read it with "
            "approvalflow_get_dossier.",
            remedy="wait",
        )


class PassedToSelf(ServiceError):
    """A request cannot be passed on to the caller or to its current approver."""

    status_code = 422
    code = "already_there"

    def __init__(self, request_id: str, person_id: str) -> None:
        super().__init__(
            f"{request_id} is with {person_id} already. Name somebody else who may decide it.", field="to"
        )


class RecipientInvolved(ServiceError):
    """A request cannot be passed on to a person who must not decide it."""

    status_code = 403
    code = "recipient_involved"

    def __init__(self, person_id: str, request_id: str) -> None:
        super().__init__(
            f"{person_id} made {request_id} or worked on its ticket, and must not decide it. Name somebody else.",
            field="to",
        )
