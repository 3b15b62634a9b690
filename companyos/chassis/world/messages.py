"""Messages recorded by a unit of work: events for other services, and due events for its own."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class _Message(BaseModel):
    # A consumer declares only the fields it needs, so unknown fields are ignored.
    model_config = ConfigDict(frozen=True, extra="ignore")

    NAME: ClassVar[str]


class Event(_Message):
    """A fact that other services may react to; `NAME` is `<noun>.<past participle>`.

    Attributes:
        OBJECT: The field with the id of the event's object. Events about one object keep their order.
        FACTS: Fields of a consumer's view whose values the publisher's tools always show for that object, so
            a dead letter can be corrected.
        INSTANTS: Fields of a consumer's view that hold instants and affect nothing else.
    """

    OBJECT: ClassVar[str] = ""
    FACTS: ClassVar[tuple[str, ...]] = ()
    INSTANTS: ClassVar[tuple[str, ...]] = ()

    @property
    def about(self) -> str:
        """Id of the event's object, or an empty string if it has none."""
        return str(getattr(self, self.OBJECT)) if self.OBJECT else ""

    def published(self, event_id: str, context: str) -> dict[str, Any]:
        """Return the event as services publish it, with its id and the signed context of its reactions."""
        return {
            "id": event_id,
            "name": self.NAME,
            "payload": self.model_dump(mode="json"),
            "context": context,
        }


class Due(_Message):
    """Something a service will do at a simulated time; `NAME` is a verb."""
