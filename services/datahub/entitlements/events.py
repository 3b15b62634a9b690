"""The events of the area: access that ended, delegations that changed, people who left."""

from typing import ClassVar

from companyos.chassis import Event


class EntitlementRevoked(Event):
    """A person lost access to a system."""

    NAME: ClassVar[str] = "entitlement.revoked"
    OBJECT: ClassVar[str] = "entitlement_id"

    entitlement_id: str
    person_id: str
    system: str


class DelegationChanged(Event):
    """A person's delegate changed or was removed; `version` counts the changes of their delegation."""

    NAME: ClassVar[str] = "delegation.changed"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    delegate: str | None
    delegate_types: list[str]
    delegate_limit: float | None
    version: int


class PersonDeactivated(Event):
    """A person's account was suspended or purged."""

    NAME: ClassVar[str] = "person.deactivated"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
