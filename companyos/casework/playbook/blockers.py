"""How an employee frees a ticket of what TicketDesk has not heard of yet."""

from .asking import Play, Refused
from .deliveries import Deliveries
from .tickets import Tickets


class Blockers(Deliveries, Tickets):
    """What an employee does about tickets that wait for what other services keep."""

    def resolve(self, ticket_id: str, blocker_id: str) -> Play[None]:
        """Resolve a blocker, as soon as TicketDesk has been told what has become of it.

        Raises:
            Refused: It is refused for another reason.
        """
        while True:
            try:
                return (yield from super().resolve(ticket_id, blocker_id))
            except Refused as refusal:
                if refusal.code != "blocker_unresolved":
                    raise
            yield from self.bring_news("ticketdesk", blocker_id)
