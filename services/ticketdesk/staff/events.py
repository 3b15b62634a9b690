"""The area's views of DataHub's events about people who leave."""

from typing import ClassVar

from companyos.chassis import Event


class PersonDeactivated(Event):
    """From DataHub: a person's account was suspended or purged."""

    NAME: ClassVar[str] = "person.deactivated"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str


class EntitlementRevoked(Event):
    """From DataHub: a person lost access to a system."""

    NAME: ClassVar[str] = "entitlement.revoked"
    OBJECT: ClassVar[str] = "entitlement_id"

    entitlement_id: str
    person_id: str
    system: str
