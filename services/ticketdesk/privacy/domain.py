"""The vocabulary of personal data."""

from enum import StrEnum


class DataType(StrEnum):
    """What an object is."""

    TICKET = "ticket"
    COMMENT = "comment"


class ErasureMode(StrEnum):
    """What becomes of an object."""

    ERASE = "erase"
    REDACT = "redact"
