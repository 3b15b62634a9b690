"""Access and ownership of a company under construction."""

from collections.abc import Sequence

from companyos.sdk.simtime import DAY

from ..company import Company
from ..rows import Row
from ..staff import Person


def add_entitlement(
    company: Company,
    person: Person,
    system: str,
    owner: Person,
    *,
    level: str = "write",
    basis: str = "role",
    age_s: int = 300 * DAY,
    expires_at: int | None = None,
    note: str | None = None,
    shared_with: Sequence[Person] = (),
    entitlement_id: str | None = None,
) -> Row:
    """Add a person's access to a system, granted `age_s` seconds before the start.

    Args:
        system: `ticketdesk` and `approvalflow` react to revocations of access to themselves.
        level: `read`, `write` or `admin`.
        basis: `role` or `exception`.
        expires_at: When it expires; None: never.
        shared_with: The other people who use the same account.
    """
    row = {
        "id": entitlement_id or company.numbers.next("ENT"),
        "person_id": person.id,
        "system": system,
        "level": level,
        "basis": basis,
        "owner": owner.id,
        "granted_at": company.start - age_s,
        "expires_at": expires_at,
        "note": note,
        "shared_with": [other.id for other in shared_with],
        "revoked_at": None,
        "revoked_by": None,
        "revoked_for": None,
        "version": 1,
    }
    return company.add_row("datahub", "entitlements", row)


def own(company: Company, person: Person, record: Row, *, age_s: int = 200 * DAY) -> Row:
    """Make a person the owner of a record or a metric."""
    row = {
        "id": record["id"],
        "owner": person.id,
        "since": company.start - age_s,
        "locked": False,
        "version": 1,
    }
    return company.add_row("datahub", "ownerships", row)
