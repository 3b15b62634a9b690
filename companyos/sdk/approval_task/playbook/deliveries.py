"""The part of the playbook that makes sure a service receives what another service already shows."""

from collections.abc import Mapping
from typing import Final

from companyos.sdk.scripts.asking import Answer, Play

from .access import NEWS_S, Access

#: The tool that looks up an event's object, and its argument, by the noun in the event's name.
_LOOK_UP: Final[Mapping[str, tuple[str, str]]] = {
    "approval": ("approvalflow_get_request", "request_id"),
    "metric": ("datahub_query_metric", "metric_id"),
    "person": ("datahub_get_person", "person_id"),
    "ticket": ("ticketdesk_get_ticket", "ticket_id"),
}


class Deliveries(Access):
    """An employee's work with events that a service has not applied."""

    def bring_news(self, service: str, *object_ids: str) -> Play[None]:
        """Make a service apply the published events about these objects: replay, redrive, or wait."""
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
        """Make the service apply the published events about the permission."""
        yield from self.bring_news(service, permission)

    def _mend(self, service: str, letter: Answer) -> Play[None]:
        """Redrive a dead letter with the value that its publisher shows."""
        tool, argument = _LOOK_UP[letter["event"].partition(".")[0]]
        shown = yield from self.ask(tool, **{argument: letter["object_id"]})
        yield from self.redrive(service, letter, shown)
