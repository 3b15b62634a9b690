"""Every refusal of TicketDesk: what is wrong, and what would make it right."""

from collections.abc import Iterable, Mapping

from companyos.chassis import ServiceError

from .domain import Kind, Outside, Prospect, Status

_WAYS_ON: Mapping[Status, str] = {
    Status.NEW: "transition_ticket takes it to triage or in_progress, verify_ticket verifies it.",
    Status.TRIAGE: "transition_ticket takes it to in_progress, verify_ticket verifies it.",
    Status.BLOCKED: "Resolve its blockers with resolve_blocker; the last one gone takes it back to triage.",
    Status.VERIFIED: "transition_ticket takes it to in_progress or done, reopen_ticket back to triage.",
    Status.IN_PROGRESS: "transition_ticket takes it to done or triage, verify_ticket verifies it as it is.",
    Status.DONE: "reopen_ticket takes it back to triage, close_ticket ends it for good.",
    Status.CLOSED: "If there is more to do, create_ticket makes a new ticket.",
}


_IS_COMING = "If that has happened, list_undelivered shows what is on its way here."
_WAYS_TO_SETTLE: Mapping[Outside, str] = {
    Outside.FIGURE: "Since the ticket waits for {id}, no refresh of that figure has been heard of. Refresh it in "
    f"DataHub, and wait for the job to end. {_IS_COMING}",
    Outside.REQUEST: "It has not been heard that request {id} is approved. Wait for its decision in ApprovalFlow, "
    f"when it is due. {_IS_COMING}",
}
_ANEW = "Nothing frees this ticket any more; create_ticket makes another for what is still to be done."


class TicketUnknown(ServiceError):
    """No ticket of this id."""

    status_code = 404
    code = "ticket_unknown"

    def __init__(self, ticket_id: str, *, field: str = "ticket_id") -> None:
        super().__init__(f"There is no ticket {ticket_id}. Find its id with search_tickets.", field=field)


class PersonUnknown(ServiceError):
    """No colleague of this id."""

    status_code = 404
    code = "person_unknown"

    def __init__(self, person_id: str) -> None:
        super().__init__(
            f"There is no colleague {person_id}. Use a person id of the directory, such as ana.lopez.",
            field="assignee",
        )


class PersonInactive(ServiceError):
    """The colleague has left and takes no work."""

    code = "person_inactive"

    def __init__(self, person_id: str) -> None:
        super().__init__(f"{person_id} has left the company. Assign an active colleague.", field="assignee")


class RulesUnknown(ServiceError):
    """The company has no rules for this kind of ticket."""

    status_code = 404
    code = "rules_unknown"

    def __init__(self, kind: Kind) -> None:
        super().__init__(
            f"The company has no rules for tickets of kind {kind}. Use another kind.", field="kind"
        )


class NothingToChange(ServiceError):
    """An update that names no field."""

    status_code = 422
    code = "nothing_to_change"

    def __init__(self, changeable: Iterable[str]) -> None:
        super().__init__(f"Give at least one of {_listed(changeable, 'or')} a new value.")


class TicketClosed(ServiceError):
    """Closed tickets are not changed any more."""

    code = "ticket_closed"

    def __init__(self, ticket_id: str, *, field: str) -> None:
        super().__init__(f"{ticket_id} is closed, which is final. {_WAYS_ON[Status.CLOSED]}", field=field)


class PriorityNotAllowed(ServiceError):
    """The rules of the ticket's kind do not allow this priority."""

    code = "priority_not_allowed"

    def __init__(self, kind: Kind, allowed: Iterable[str]) -> None:
        super().__init__(
            f"Tickets of kind {kind} have priority {_listed(allowed, 'or')}. Choose one of these.",
            field="priority",
        )


class SubjectVerified(ServiceError):
    """What a verified ticket is about is settled."""

    code = "subject_verified"

    def __init__(self, ticket_id: str, subject: str | None) -> None:
        about = subject or "nothing in particular"
        super().__init__(
            f"{ticket_id} has been verified as being about {about}. Reopen it first if that is wrong.",
            field="subject",
        )


class TransitionNotAllowed(ServiceError):
    """The ticket's status does not lead there."""

    code = "transition_not_allowed"

    def __init__(self, status: Status, to: Status) -> None:
        super().__init__(
            f"The ticket is {status} and cannot become {to} this way. {_WAYS_ON[status]}", field="to"
        )


class NotReopenable(ServiceError):
    """There is nothing to take back."""

    code = "not_reopenable"

    def __init__(self, status: Status) -> None:
        super().__init__(f"The ticket is {status}, so there is nothing to reopen. {_WAYS_ON[status]}")


class ApprovalRequired(ServiceError):
    """Work on this ticket waits for an approval."""

    code = "approval_required"

    def __init__(self, ticket_id: str, approval: str) -> None:
        super().__init__(
            f"Work on {ticket_id} needs an approved request; its approval is {approval}. "
            "Submit one for this ticket in ApprovalFlow and wait until it is approved."
        )


class SeparationOfDuties(ServiceError):
    """Nobody verifies a ticket they reported."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self, ticket_id: str) -> None:
        super().__init__(f"You reported {ticket_id}. Somebody else has to verify it.")


class RoleNotAllowed(ServiceError):
    """The caller's role may not verify this kind of ticket."""

    status_code = 403
    code = "role_not_allowed"

    def __init__(self, kind: Kind, role: str, allowed: Iterable[str]) -> None:
        super().__init__(
            f"Your role {role} may not verify tickets of kind {kind}. Ask somebody who is {_listed(allowed, 'or')}."
        )


class TicketBlocked(ServiceError):
    """The ticket waits for others."""

    code = "ticket_blocked"

    def __init__(self, ticket_id: str, blocked_by: Iterable[str]) -> None:
        super().__init__(
            f"{ticket_id} is blocked by {_listed(blocked_by, 'and')}. {_WAYS_ON[Status.BLOCKED]}"
        )


class AlreadyVerified(ServiceError):
    """The verification on record still stands."""

    code = "already_verified"

    def __init__(self, ticket_id: str, verified_by: str | None) -> None:
        super().__init__(
            f"{ticket_id} has been verified by {verified_by or 'somebody'}. Go on, or take it back with reopen_ticket."
        )


class TicketIncomplete(ServiceError):
    """Fields that the rules of the kind require are empty."""

    code = "ticket_incomplete"

    def __init__(self, missing: list[str]) -> None:
        super().__init__(f"Set {_listed(missing, 'and')} before verifying this ticket.", field=missing[0])


class NotABlocker(ServiceError):
    """What is named does not block this ticket."""

    code = "not_a_blocker"

    def __init__(self, ticket_id: str, blocker_id: str, blocked_by: list[str]) -> None:
        blockers = f"It is blocked by {_listed(blocked_by, 'and')}." if blocked_by else "Nothing blocks it."
        super().__init__(f"{blocker_id} does not block {ticket_id}. {blockers}", field="blocker_id")


class BlockerUnresolved(ServiceError):
    """The blocker is not finished and verified; or the figure not refreshed, the request not approved."""

    code = "blocker_unresolved"

    def __init__(self, trouble: str) -> None:
        super().__init__(trouble, field="blocker_id")

    @classmethod
    def by_ticket(cls, blocker_id: str, status: Status, verified_by: str | None) -> "BlockerUnresolved":
        """Return the refusal where a ticket is waited for."""
        verified = f"verified by {verified_by}" if verified_by else "not verified by anybody"
        return cls(
            f"{blocker_id} is {status} and {verified}. It has to be done or closed, and verified with verify_ticket."
        )

    @classmethod
    def outside(cls, blocker_id: str, kind: Outside, prospect: Prospect) -> "BlockerUnresolved":
        """Return the refusal where something of another service is waited for, of which nothing better was heard."""
        if prospect == Prospect.REJECTED:
            return cls(f"{blocker_id} was rejected, and it took an approval. {_ANEW}")
        return cls(_WAYS_TO_SETTLE[Outside(kind)].format(id=blocker_id))


class LinkExists(ServiceError):
    """The same link was made before."""

    code = "link_exists"

    def __init__(self, link_id: str) -> None:
        super().__init__(f"This link exists already: {link_id}. There is nothing left to do.", field="target")


class LinkToItself(ServiceError):
    """A ticket is not linked to itself."""

    code = "link_to_itself"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(f"{ticket_id} cannot be linked to itself. Name another target.", field="target")


class NotBlockable(ServiceError):
    """The work on the ticket is done, so nothing can hold it up."""

    code = "not_blockable"

    def __init__(self, ticket_id: str, status: Status) -> None:
        super().__init__(f"{ticket_id} is {status}, so nothing can block it. {_WAYS_ON[status]}")


class BlockerCycle(ServiceError):
    """Two tickets would wait for each other for ever."""

    code = "blocker_cycle"

    def __init__(self, ticket_id: str, blocker_id: str) -> None:
        super().__init__(
            f"{blocker_id} itself waits for {ticket_id}, so it cannot block it. Resolve that blocker first.",
            field="target",
        )


class CursorUnknown(ServiceError):
    """The cursor belongs to no item of this list."""

    status_code = 422
    code = "cursor_unknown"

    def __init__(self, cursor: str) -> None:
        super().__init__(
            f"No item of this list is {cursor!r}. Pass the `next_cursor` of the page before, or leave it out.",
            field="cursor",
        )


def _listed(names: Iterable[str], conjunction: str) -> str:
    """Return the names as a reader says them: `nothing`, `a`, `a and b`, `a, b and c`."""
    *first, last = list(names) or ["nothing"]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
