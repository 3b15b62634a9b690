"""The rules of access: its basis, and whether it is still valid. All pure; times are simulated seconds."""

from enum import StrEnum


class Basis(StrEnum):
    """Why a person has access."""

    ROLE = "role"
    EXCEPTION = "exception"


class Level(StrEnum):
    """What access allows."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Standing(StrEnum):
    """Whether access counts at one instant."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class Deactivation(StrEnum):
    """What becomes of a person's account."""

    SUSPEND = "suspend"
    PURGE = "purge"


def standing(*, expires_at: int | None, revoked_at: int | None, now: int) -> Standing:
    """Return whether access is valid now; revoked access stays revoked after its expiry."""
    if revoked_at is not None:
        return Standing.REVOKED
    return Standing.EXPIRED if expires_at is not None and now >= expires_at else Standing.ACTIVE


def handed_to(shared_with: list[str], *, holder: str, to: str) -> list[str]:
    """Return the other users of a shared account after a transfer; the old holder is no longer one."""
    return [person for person in shared_with if person not in (holder, to)]
