"""The part of the playbook that removes blockers for which TicketDesk has not yet received the event."""

from companyos.sdk.scripts.asking import Play, Refused

from .deliveries import Deliveries
from .tickets import Tickets


class Blockers(Deliveries, Tickets):
    """An employee's work with tickets that other services block."""

    def resolve(self, ticket_id: str, blocker_id: str) -> Play[None]:
        """Resolve a blocker once TicketDesk has received the event about it.

        Raises:
            Refused: TicketDesk refused for another reason.
        """
        while True:
            try:
                return (yield from super().resolve(ticket_id, blocker_id))
            except Refused as refusal:
                if refusal.code != "blocker_unresolved":
                    raise
            yield from self.bring_news("ticketdesk", blocker_id)
