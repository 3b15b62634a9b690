"""The part of the playbook that prepares a ticket: unblocks it, fills it, takes it and verifies it."""

from collections.abc import Sequence
from typing import Final

from companyos.sdk.scripts.asking import Answer, Play
from companyos.sdk.simtime import from_iso

from .metrics import Metrics

_FINISHED: Final = ("done", "closed")
_UNDECIDED: Final = ("held", "pending", "escalated")


class Tickets(Metrics):
    """An employee's work in TicketDesk."""

    def prepare(
        self, ticket: Answer, record: Answer, metric: Answer, documents: Sequence[str] = ()
    ) -> Play[None]:
        """Unblock the ticket, fill and take it, and verify it against record, metric and documents."""
        yield from self.unblock(ticket)
        rules = yield from self.ask("ticketdesk_get_rules", kind=ticket["kind"])
        right = {
            "subject": record["id"],
            "priority": rules["allowed_priorities"][0],
            "cost_centre": record["fields"]["cost_centre"],
        }
        missing = {name: value for name, value in right.items() if ticket[name] is None}
        if missing:
            yield from self.ask("ticketdesk_update_ticket", ticket_id=ticket["id"], **missing)
        yield from self.ask("ticketdesk_assign_ticket", ticket_id=ticket["id"], assignee=self.id)
        evidence = f"Checked against {record['id']}, {record['name']}."
        yield from self.permitted(
            "ticketdesk_verify_ticket",
            ticket_id=ticket["id"],
            evidence=evidence,
            references=[record["id"], metric["id"], *documents],
        )

    def unblock(self, ticket: Answer) -> Play[None]:
        """Remove a ticket's blockers, beginning with the blockers of the blockers."""
        for blocker_id in ticket["blocked_by"]:
            yield from self._settle(blocker_id)
            yield from self.resolve(ticket["id"], blocker_id)

    def resolve(self, ticket_id: str, blocker_id: str) -> Play[None]:
        """Resolve one blocker of a ticket."""
        yield from self.ask("ticketdesk_resolve_blocker", ticket_id=ticket_id, blocker_id=blocker_id)

    def _settle(self, blocker_id: str) -> Play[None]:
        """Settle a blocker: refresh a metric, await a decision, or complete a ticket."""
        match blocker_id.partition("-")[0]:
            case "MET":
                reading = yield from self.ask("datahub_query_metric", metric_id=blocker_id)
                yield from self.fresh(reading, keeps_s=0)
            case "APR":
                yield from self._see_decided(blocker_id)
            case _:
                blocker = yield from self.ask("ticketdesk_get_ticket", ticket_id=blocker_id)
                yield from self.unblock(blocker)
                yield from self._complete(blocker)

    def _see_decided(self, request_id: str) -> Play[None]:
        """Wait until a colleague's request is decided."""
        status = yield from self.ask("approvalflow_check_status", request_id=request_id)
        while status["status"] in _UNDECIDED:
            yield from self.wait_until(from_iso(status["decision_due_at"]))
            status = yield from self.ask("approvalflow_check_status", request_id=request_id)

    def _complete(self, blocker: Answer) -> Play[None]:
        """Verify a blocker unless it is verified, and complete it if it was only waiting."""
        if blocker["verified_by"] is None:
            evidence = f"The work on {blocker['id']} is done."
            yield from self.permitted(
                "ticketdesk_verify_ticket",
                ticket_id=blocker["id"],
                evidence=evidence,
                references=[blocker["id"]],
            )
        if blocker["status"] not in _FINISHED:
            reason = "What it waited for is there."
            yield from self.ask(
                "ticketdesk_transition_ticket", ticket_id=blocker["id"], to="done", reason=reason
            )
