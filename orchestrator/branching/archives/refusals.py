"""Refusals of archives; each leaves the stack unchanged."""

from __future__ import annotations

from typing import ClassVar

from ...protocol.problems import Refusal


class ArchiveRefused(Refusal):
    """The archive cannot be imported, or the snapshot cannot be exported."""

    STATUS: ClassVar[int] = 422
    CODE: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(self.STATUS, self.CODE, detail)


class ArchiveDamaged(ArchiveRefused):
    """The file is truncated, altered, or not an archive."""

    CODE = "archive_damaged"


class ArchiveFormatUnknown(ArchiveRefused):
    """This release cannot read the format of the archive, or its version."""

    CODE = "archive_format_unknown"


class ArchiveInvalid(ArchiveRefused):
    """The archive is intact but contradicts itself, or holds rows that no service here can have written."""

    CODE = "archive_invalid"


class ArchiveTooLarge(ArchiveRefused):
    """The archive exceeds the size limit, packed or unpacked."""

    STATUS = 413
    CODE = "archive_too_large"


class ArchiveBaseDiffers(ArchiveRefused):
    """This stack generates another starting company: the version of the scenario, or the salt, differs."""

    STATUS = 409
    CODE = "archive_base_differs"


class ArchiveStackDiffers(ArchiveRefused):
    """The services of this stack, their versions, or their tools differ."""

    STATUS = 409
    CODE = "archive_stack_differs"
