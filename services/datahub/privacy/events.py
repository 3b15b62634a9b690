"""The event that erasures publish."""

from typing import ClassVar

from companyos.chassis import Event

from .domain import DataType, ErasureMode


class DataErased(Event):
    """A record, document, message or entitlement was permanently erased or redacted."""

    NAME: ClassVar[str] = "data.erased"
    OBJECT: ClassVar[str] = "object_id"

    object_id: str
    type: DataType
    mode: ErasureMode
