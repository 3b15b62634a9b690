"""The reaction of payables to their own schedule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .events import BookReceipt
from .service import Orders

reactions = Reactions()


@reactions.due(BookReceipt)
async def book_the_receipt(due: BookReceipt, unit: UnitOfWork) -> None:
    """Add the counted goods to the order."""
    await Orders(unit).book(due.expected_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the receipts that are to be booked after the start."""
    for expected in rows["expected_receipts"]:
        if expected.at > start:
            yield BookReceipt(expected_id=expected.id), expected.at, f"receipt:{expected.id}"
