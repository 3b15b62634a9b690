"""The vocabulary of personal data."""

from enum import StrEnum


class DataType(StrEnum):
    """What an object is."""

    RECORD = "record"
    DOCUMENT = "document"
    MESSAGE = "message"
    ENTITLEMENT = "entitlement"


class ErasureMode(StrEnum):
    """What becomes of an object."""

    ERASE = "erase"
    REDACT = "redact"
