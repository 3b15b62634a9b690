"""The tables of access and ownership; times in simulated seconds."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata
from .domain import Basis, Level


@world_table(metadata, "entitlements", indexes=[("person_id",), ("system",)])
class Entitlement:
    """One person's access to one system.

    Attributes:
        owner: Person id of whoever answers for it.
        expires_at: When it ends by itself; None: never.
        note: Why it was given, with the document that says so, if any.
        shared_with: Person ids of the others who use the same account.
        revoked_for: Why it was revoked.
    """

    id: str
    person_id: str
    system: str
    level: Level
    basis: Basis
    owner: str
    granted_at: int
    expires_at: int | None = None
    note: str | None = None
    shared_with: list[str] = field(default_factory=list)
    revoked_at: int | None = None
    revoked_by: str | None = None
    revoked_for: str | None = None
    version: int = 1


@world_table(metadata, "ownerships", indexes=[("owner",)])
class Ownership:
    """The person who answers for a record or a metric, with that object's id.

    Attributes:
        locked: Whether it can no longer change hands, because its owner lost access.
    """

    id: str
    owner: str
    since: int
    locked: bool = False
    version: int = 1
