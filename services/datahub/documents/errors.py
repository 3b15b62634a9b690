"""The refusals about documents."""

from collections.abc import Sequence

from companyos.chassis import ServiceError


class DocumentUnknown(ServiceError):
    """No document has this id."""

    status_code = 404
    code = "document_unknown"

    def __init__(self, document_id: str) -> None:
        super().__init__(
            f"No document has this id: {document_id!r}. Find ids with datahub_search_documents.",
            field="document_id",
            remedy="datahub_search_documents",
        )


class SectionUnknown(ServiceError):
    """The document has no section with this name."""

    status_code = 404
    code = "section_unknown"

    def __init__(self, section: str, names: Sequence[str]) -> None:
        super().__init__(
            f"This document has no section {section!r}. Leave `section` out to read all of it.",
            field="section",
            allowed_values=list(names),
        )
