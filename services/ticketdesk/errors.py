"""TicketDesk's refusals, each with its reason and its remedy."""

from collections.abc import Iterable

from companyos.chassis import ServiceError

from .domain import TRANSITIONS, ExternalKind, ExternalStatus, Status
from .wording import NEXT_STEPS, SETTLING_TOOLS, TO_SETTLE, in_prose


class TicketUnknown(ServiceError):
    """No ticket has this id."""

    status_code = 404
    code = "ticket_unknown"

    def __init__(self, ticket_id: str, *, field: str = "ticket_id") -> None:
        super().__init__(
            f"No ticket has this id: {ticket_id!r}. Find ids with ticketdesk_search_tickets.",
            field=field,
            remedy="ticketdesk_search_tickets",
        )


class PersonUnknown(ServiceError):
    """No colleague has this id."""

    status_code = 404
    code = "person_unknown"

    def __init__(self, person_id: str) -> None:
        super().__init__(
            f"No colleague has this id: {person_id!r}. Find ids with datahub_list_people.",
            field="assignee",
            remedy="datahub_list_people",
        )


class PersonInactive(ServiceError):
    """The colleague has left the company."""

    code = "person_inactive"

    def __init__(self, person_id: str) -> None:
        super().__init__(
            f"This colleague has left the company: {person_id}. Assign an active colleague; datahub_list_people lists "
            "them.",
            field="assignee",
            remedy="datahub_list_people",
        )


class KindUnknown(ServiceError):
    """The company has no such kind of ticket."""

    status_code = 404
    code = "kind_unknown"

    def __init__(self, kind: str, known: Iterable[str]) -> None:
        super().__init__(
            f"The company has no such kind of ticket: {kind}. Use one of {', '.join(known) or 'none'}.",
            field="kind",
            allowed_values=list(known),
        )


class NothingToChange(ServiceError):
    """The update names no field."""

    status_code = 422
    code = "nothing_to_change"

    def __init__(self, changeable: Iterable[str]) -> None:
        super().__init__(
            f"Nothing to change. Give a new value for at least one of {in_prose(changeable, 'or')}."
        )


class TicketClosed(ServiceError):
    """The ticket is closed and cannot be changed."""

    code = "ticket_closed"

    def __init__(self, ticket_id: str, *, field: str) -> None:
        super().__init__(
            f"A closed ticket cannot be changed or reopened: {ticket_id}. {NEXT_STEPS[Status.CLOSED]}",
            field=field,
            remedy="ticketdesk_create_ticket",
        )


class PriorityNotAllowed(ServiceError):
    """The rules of the ticket's kind do not allow this priority."""

    code = "priority_not_allowed"

    def __init__(self, kind: str, allowed: Iterable[str]) -> None:
        values = list(allowed)
        super().__init__(
            f"The rules do not allow this priority. A ticket of kind {kind} has priority {in_prose(values, 'or')}.",
            field="priority",
            allowed_values=values,
        )


class SubjectVerified(ServiceError):
    """The subject of a verified ticket cannot be changed."""

    code = "subject_verified"

    def __init__(self, ticket_id: str, subject: str | None) -> None:
        super().__init__(
            f"The subject of a verified ticket is fixed; {ticket_id} is about {subject or 'no object'}. If that is "
            "wrong, reopen the ticket first with ticketdesk_reopen_ticket.",
            field="subject",
            remedy="ticketdesk_reopen_ticket",
        )


class TransitionNotAllowed(ServiceError):
    """The ticket cannot move from its current status to the requested one."""

    code = "transition_not_allowed"

    def __init__(self, status: Status, to: Status) -> None:
        super().__init__(
            f"A ticket that is {status} cannot become {to} this way. {NEXT_STEPS[status]}",
            field="to",
            allowed_values=sorted(TRANSITIONS[status]),
        )


class NotReopenable(ServiceError):
    """Only a finished, verified or returned ticket, or one in progress, can be reopened."""

    code = "not_reopenable"

    def __init__(self, status: Status) -> None:
        super().__init__(f"A ticket that is {status} cannot be reopened. {NEXT_STEPS[status]}")


class ApprovalRequired(ServiceError):
    """The ticket needs an approval first."""

    code = "approval_required"

    def __init__(self, ticket_id: str, approval: str) -> None:
        super().__init__(
            f"Work on {ticket_id} requires an approved request; its approval is {approval}. Submit a request for this "
            "ticket with approvalflow_submit_approval and wait until it is approved.",
            remedy="approvalflow_submit_approval",
            required_field="approval",
        )


class SeparationOfDuties(ServiceError):
    """The reporter of a ticket may not verify it."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self, ticket_id: str) -> None:
        super().__init__(f"You reported {ticket_id}, so somebody else has to verify it.")


class RoleNotAllowed(ServiceError):
    """The caller's role may not verify this kind of ticket."""

    status_code = 403
    code = "role_not_allowed"

    def __init__(self, kind: str, role: str, allowed: Iterable[str]) -> None:
        values = list(allowed)
        super().__init__(
            f"Your role, {role}, may not verify tickets of kind {kind}. A colleague with the role "
            f"{in_prose(values, 'or')} may.",
            allowed_values=values,
        )


class TicketBlocked(ServiceError):
    """The ticket is blocked."""

    code = "ticket_blocked"

    def __init__(self, ticket_id: str, blocked_by: Iterable[str]) -> None:
        super().__init__(
            f"{ticket_id} is blocked by {in_prose(blocked_by, 'and')}. {NEXT_STEPS[Status.BLOCKED]}",
            remedy="ticketdesk_resolve_blocker",
        )


class TicketReturned(ServiceError):
    """The ticket is waiting for its reporter's answer."""

    code = "ticket_returned"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(
            f"{ticket_id} was returned to its reporter with a question. {NEXT_STEPS[Status.RETURNED]}",
            remedy="ticketdesk_reopen_ticket",
        )


class AlreadyVerified(ServiceError):
    """The ticket is verified already."""

    code = "already_verified"

    def __init__(self, ticket_id: str, verified_by: str | None) -> None:
        by = f" by {verified_by}" if verified_by else ""
        super().__init__(
            f"{ticket_id} has already been verified{by}. Carry on, or withdraw the verification with "
            "ticketdesk_reopen_ticket."
        )


class TicketIncomplete(ServiceError):
    """Fields that the kind of ticket requires are empty."""

    code = "ticket_incomplete"

    def __init__(self, missing: list[str]) -> None:
        tool = "ticketdesk_assign_ticket" if missing[0] == "assignee" else "ticketdesk_update_ticket"
        super().__init__(
            f"Set {in_prose(missing, 'and')} before verifying this ticket.",
            field=missing[0],
            remedy=tool,
            required_field=missing[0],
        )


class NotABlocker(ServiceError):
    """The object does not block this ticket."""

    code = "not_a_blocker"

    def __init__(self, ticket_id: str, blocker_id: str, blocked_by: list[str]) -> None:
        blockers = f"It is blocked by {in_prose(blocked_by, 'and')}." if blocked_by else "Nothing blocks it."
        super().__init__(
            f"{ticket_id} is not blocked by this object: {blocker_id!r}. {blockers}",
            field="blocker_id",
            allowed_values=blocked_by,
        )


class BlockerUnresolved(ServiceError):
    """The blocking ticket is unfinished or unverified, the metric not refreshed, or the request not approved."""

    code = "blocker_unresolved"

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail, field="blocker_id", remedy=remedy)

    @classmethod
    def by_ticket(cls, blocker_id: str, status: Status, verified_by: str | None) -> "BlockerUnresolved":
        """Return the refusal for a blocking ticket."""
        verified = f"verified by {verified_by}" if verified_by else "not verified"
        tool = "ticketdesk_transition_ticket" if verified_by else "ticketdesk_verify_ticket"
        return cls(
            f"{blocker_id} is {status} and {verified}. It has to be done or closed, and verified with "
            "ticketdesk_verify_ticket.",
            tool,
        )

    @classmethod
    def outside(cls, blocker_id: str, kind: ExternalKind, status: ExternalStatus) -> "BlockerUnresolved":
        """Return the refusal for an external blocker that is not settled."""
        if status == ExternalStatus.REJECTED:
            return cls(
                f"{blocker_id} was rejected, so this ticket stays blocked for good. Create a new ticket with "
                "ticketdesk_create_ticket for what remains to be done.",
                "ticketdesk_create_ticket",
            )
        return cls(TO_SETTLE[ExternalKind(kind)].format(id=blocker_id), SETTLING_TOOLS[ExternalKind(kind)])


class LinkExists(ServiceError):
    """The link exists already."""

    code = "link_exists"

    def __init__(self, link_id: str) -> None:
        super().__init__(f"This link already exists as {link_id}. Nothing is left to do.", field="target")


class LinkToItself(ServiceError):
    """A ticket cannot be linked to itself."""

    code = "link_to_itself"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(f"{ticket_id} cannot be linked to itself. Name another target.", field="target")


class NotBlockable(ServiceError):
    """A finished or returned ticket cannot be blocked."""

    code = "not_blockable"

    def __init__(self, ticket_id: str, status: Status) -> None:
        super().__init__(f"{ticket_id} is {status}, so nothing can block it. {NEXT_STEPS[status]}")


class BlockerCycle(ServiceError):
    """The link would close a cycle of tickets that block each other."""

    code = "blocker_cycle"

    def __init__(self, ticket_id: str, blocker_id: str) -> None:
        super().__init__(
            f"{blocker_id} itself waits for {ticket_id}, so it cannot block it. Resolve that blocker first with "
            "ticketdesk_resolve_blocker.",
            field="target",
            remedy="ticketdesk_resolve_blocker",
        )
