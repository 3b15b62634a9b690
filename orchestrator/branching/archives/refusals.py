"""Why an archive is not taken: each refusal leaves everything as it was before."""

from __future__ import annotations

from typing import ClassVar

from ...protocol.problems import Refusal


class ArchiveRefused(Refusal):
    """An archive this stack cannot take, or a snapshot it cannot make one of."""

    STATUS: ClassVar[int] = 422
    CODE: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(self.STATUS, self.CODE, detail)


class ArchiveDamaged(ArchiveRefused):
    """The file is no archive as it was written: cut off, altered, or something else altogether."""

    CODE = "archive_damaged"


class ArchiveFormatUnknown(ArchiveRefused):
    """The archive is of a format, or of a version of it, that this version cannot read."""

    CODE = "archive_format_unknown"


class ArchiveInvalid(ArchiveRefused):
    """The archive is whole, but contradicts itself or holds what no service here could have written."""

    CODE = "archive_invalid"


class ArchiveTooLarge(ArchiveRefused):
    """The archive is larger than any stack takes, packed or unpacked."""

    STATUS = 413
    CODE = "archive_too_large"


class ArchiveBaseDiffers(ArchiveRefused):
    """This stack generates another starting company: its scenario is of another version, or its salt is another."""

    STATUS = 409
    CODE = "archive_base_differs"


class ArchiveStackDiffers(ArchiveRefused):
    """The services of this stack are others, or of other versions, or offer other tools."""

    STATUS = 409
    CODE = "archive_stack_differs"
