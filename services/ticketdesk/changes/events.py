"""The events that changes publish."""

from typing import ClassVar

from companyos.chassis import Event


class ChangeRolledOut(Event):
    """A change went live: `procedure` was carried out on `system`."""

    NAME: ClassVar[str] = "change.rolled_out"
    OBJECT: ClassVar[str] = "change_id"

    change_id: str
    ticket_id: str
    system: str
    procedure: str


class ChangeRolledBack(Event):
    """A live change was undone."""

    NAME: ClassVar[str] = "change.rolled_back"
    OBJECT: ClassVar[str] = "change_id"

    change_id: str
    ticket_id: str
    system: str
    procedure: str
