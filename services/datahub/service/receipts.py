"""Receipts: proof of which version of an object somebody has read."""

from typing import Protocol

from companyos.chassis import UnitOfWork

from ..models import Receipt


class Readable(Protocol):
    """An object with versions."""

    id: str
    version: int


async def keep_receipt(unit: UnitOfWork, read: Readable) -> None:
    """Store a receipt that the caller read this version, unless there is one."""
    receipt_id = f"{read.id}@{read.version}:{unit.actor}"
    if await unit.get(Receipt, receipt_id) is None:
        unit.add(Receipt(receipt_id, read.id, read.version, unit.actor, at=unit.now))
