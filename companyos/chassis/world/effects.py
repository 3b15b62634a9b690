"""The effects of a unit of work: changed rows, recorded events, the next due time and fault notes."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """An outgoing event, as stored in the outbox and sent on the bus."""

    world: int
    layer: int
    event_id: str
    name: str
    text: str


@dataclass(slots=True)
class Effects:
    """The effects of a unit of work, as reported to the orchestrator.

    Attributes:
        changes: `{"table", "id", "row"}` per business row written, by table and id; `row` is None if removed.
        events: `{"id", "name"}` per event recorded, in the order recorded.
        next_due: Simulated time of the service's next due event in this world, or None. Only set if it may
            have changed.
        faults: Event faults that landed or ended.
    """

    changes: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, str]] = field(default_factory=list)
    next_due: int | None = None
    due_moved: bool = False
    faults: list[dict[str, Any]] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the effects as a JSON document."""
        moved = {"next_due": self.next_due} if self.due_moved else {}
        faults = {"faults": self.faults} if self.faults else {}
        return {"changes": self.changes, "events": self.events, **moved, **faults}
