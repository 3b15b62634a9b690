"""How an employee gets a ticket ready: frees it of what blocks it, fills it, takes it and verifies it."""

from .asking import Answer, Asker, Play


class Tickets(Asker):
    """What an employee does in TicketDesk."""

    def prepare(self, ticket: Answer, record: Answer) -> Play[None]:
        """Fill what the ticket's kind requires, take it and verify it."""
        rules = yield from self.ask("ticketdesk_get_rules", kind=ticket["kind"])
        right = {"priority": rules["allowed_priorities"][0], "cost_centre": record["fields"]["cost_centre"]}
        missing = {name: value for name, value in right.items() if ticket[name] is None}
        if missing:
            yield from self.ask("ticketdesk_update_ticket", ticket_id=ticket["id"], **missing)
        yield from self.ask("ticketdesk_assign_ticket", ticket_id=ticket["id"], assignee=self.id)
        evidence = f"Checked against {record['id']}, {record['name']}."
        yield from self.ask("ticketdesk_verify_ticket", ticket_id=ticket["id"], evidence=evidence)

    def unblock(self, ticket: Answer) -> Play[None]:
        """Verify what blocks the ticket and is done, and free the ticket of it."""
        for blocker_id in ticket["blocked_by"]:
            evidence = f"The work on {blocker_id} is done."
            yield from self.ask("ticketdesk_verify_ticket", ticket_id=blocker_id, evidence=evidence)
            yield from self.ask("ticketdesk_resolve_blocker", ticket_id=ticket["id"], blocker_id=blocker_id)
