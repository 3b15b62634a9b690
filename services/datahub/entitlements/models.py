"""The tables of access and ownership; times are in simulated seconds."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata
from .domain import Basis, Level


@world_table(
    metadata,
    "entitlements",
    indexes=[("person_id",), ("system",)],
    maintained=("granted_at", "revoked_at", "revoked_by", "version"),
)
class Entitlement:
    """One person's access to one system.

    Attributes:
        owner: Id of the person responsible for it.
        expires_at: When it expires; None: never.
        note: Why it was granted, with the document that says so, if any.
        shared_with: Ids of the other people who use the same account.
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


@world_table(metadata, "ownerships", indexes=[("owner",)], maintained=("since", "version"))
class Ownership:
    """The owner of a record or a metric, under that object's id.

    Attributes:
        locked: Whether the object can no longer be transferred, because its owner lost access.
    """

    id: str
    owner: str
    since: int
    locked: bool = False
    version: int = 1
