"""Receipts: proof that a person has read a version of an object."""

from typing import Protocol

from companyos.chassis import UnitOfWork

from ..models import Receipt


class Readable(Protocol):
    """An object with versions."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def version(self) -> int:
        """The version read."""


def receipt_id(unit: UnitOfWork, read: Readable) -> str:
    """Return the id of the receipt that the caller read this version."""
    return f"{read.id}@{read.version}:{unit.actor}"


async def keep_receipt(unit: UnitOfWork, read: Readable) -> None:
    """Store a receipt that the caller read this version, unless one exists."""
    key = receipt_id(unit, read)
    if await unit.get(Receipt, key) is None:
        unit.add(Receipt(key, read.id, read.version, unit.actor, at=unit.now))
