"""The events about changes that DataHub consumes."""

from typing import ClassVar

from companyos.chassis import Event


class ChangeRolledOut(Event):
    """From TicketDesk: a procedure was carried out on a system."""

    NAME: ClassVar[str] = "change.rolled_out"
    OBJECT: ClassVar[str] = "change_id"
    FACTS: ClassVar[tuple[str, ...]] = ("system", "procedure")

    change_id: str
    system: str
    procedure: str


class ChangeRolledBack(ChangeRolledOut):
    """From TicketDesk: a procedure on a system was undone."""

    NAME: ClassVar[str] = "change.rolled_back"
