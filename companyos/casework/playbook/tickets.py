"""How an employee gets a ticket ready: frees it of what blocks it, fills it, takes it and verifies it."""

from typing import Final

from .asking import Answer, Asker, Play

_FINISHED: Final = ("done", "closed")


class Tickets(Asker):
    """What an employee does in TicketDesk."""

    def prepare(self, ticket: Answer, record: Answer) -> Play[None]:
        """Free the ticket, fill what its kind requires, take it and verify it."""
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
        yield from self.ask("ticketdesk_verify_ticket", ticket_id=ticket["id"], evidence=evidence)

    def unblock(self, ticket: Answer) -> Play[None]:
        """Free a ticket of what blocks it, beginning with what blocks the blockers."""
        for blocker_id in ticket["blocked_by"]:
            blocker = yield from self.ask("ticketdesk_get_ticket", ticket_id=blocker_id)
            yield from self.unblock(blocker)
            yield from self._complete(blocker)
            yield from self.ask("ticketdesk_resolve_blocker", ticket_id=ticket["id"], blocker_id=blocker_id)

    def _complete(self, blocker: Answer) -> Play[None]:
        """Verify a blocker unless that is done, and take one that only waited to its end."""
        if blocker["verified_by"] is None:
            evidence = f"The work on {blocker['id']} is done."
            yield from self.ask("ticketdesk_verify_ticket", ticket_id=blocker["id"], evidence=evidence)
        if blocker["status"] not in _FINISHED:
            reason = "What it waited for is there."
            yield from self.ask(
                "ticketdesk_transition_ticket", ticket_id=blocker["id"], to="done", reason=reason
            )
