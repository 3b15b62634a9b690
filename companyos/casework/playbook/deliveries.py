"""How an employee sees to it that a service hears of what another one shows already."""

from collections.abc import Mapping
from typing import Final

from .access import NEWS_S, Access
from .asking import Answer, Play

#: Where an event's object can be looked up, by the noun in the event's name: the tool, and its argument.
_LOOK_UP: Final[Mapping[str, tuple[str, str]]] = {
    "approval": ("approvalflow_get_request", "request_id"),
    "metric": ("datahub_query_metric", "metric_id"),
    "person": ("datahub_get_person", "person_id"),
    "ticket": ("ticketdesk_get_ticket", "ticket_id"),
}


class Deliveries(Access):
    """What an employee does about events that a service has not applied."""

    def bring_news(self, service: str, *object_ids: str) -> Play[None]:
        """Have a service apply what is announced about these objects: replayed, mended, or waited for."""
        for object_id in object_ids:
            replayed = yield from self.ask(f"{service}_replay_events", object_id=object_id)
            if replayed["coming"]:
                return
        letters = yield from self.ask(f"{service}_list_dead_letters")
        about = [letter for letter in letters["items"] if letter["object_id"] in object_ids]
        for letter in about:
            yield from self._mend(service, letter)
        if not about:
            yield from self.wait_until(self.now + NEWS_S)

    def heard_of(self, permission: str, service: str) -> Play[None]:
        """Have the service apply what is announced of the permission."""
        yield from self.bring_news(service, permission)

    def _mend(self, service: str, letter: Answer) -> Play[None]:
        """Give an event that was set aside the value that its publisher shows of the object."""
        tool, argument = _LOOK_UP[letter["event"].partition(".")[0]]
        shown = yield from self.ask(tool, **{argument: letter["object_id"]})
        field = letter["error"].partition(":")[0]
        yield from self.ask(
            f"{service}_redrive_dead_letter", letter_id=letter["id"], corrections={field: shown[field]}
        )
