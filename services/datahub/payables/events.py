"""The scheduled work of payables."""

from typing import ClassVar

from companyos.chassis import Due


class BookReceipt(Due):
    """Goods that were counted are booked."""

    NAME: ClassVar[str] = "book_receipt"

    expected_id: str
