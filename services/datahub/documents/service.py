"""Documents: search, and reads of whole documents or sections."""

from companyos.chassis import ListPage, QueryRequired, UnitOfWork

from ..service import keep_receipt
from . import domain
from .domain import DocumentStatus
from .errors import DocumentUnknown, SectionUnknown
from .models import Document
from .repository import found_documents
from .schemas import DocumentText, FoundDocument


class Documents:
    """The rules of documents, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def search(
        self,
        *,
        q: str | None,
        kind: str | None,
        department: str | None,
        status: DocumentStatus | None,
        cursor: str | None,
        limit: int,
    ) -> ListPage[FoundDocument]:
        """Return a page of the documents that match a query, best first, or by id without a query.

        Raises:
            QueryRequired: There is neither a query nor a filter.
            QueryEmpty, QueryTooLong: It cannot be searched for.
        """
        if all(criterion is None for criterion in (q, kind, department, status)):
            raise QueryRequired(("kind", "department", "status"))
        found = await found_documents(
            self._unit, q, kind=kind, department=department, status=status, cursor=cursor, limit=limit
        )
        return found.map(lambda document: _with_snippet(document, q))

    async def read(self, document_id: str, *, section: str | None) -> DocumentText:
        """Return a document or one section of it, and store a receipt that the caller read this version.

        Raises:
            DocumentUnknown: No such document in this world.
            SectionUnknown: It has no such section.
        """
        document = await self._unit.get(Document, document_id)
        if document is None:
            raise DocumentUnknown(document_id)
        parts = domain.sections(document.body)
        body = document.body if section is None else _text_of(section, parts)

        await keep_receipt(self._unit, document)
        return DocumentText(**{**vars(document), "sections": [part.name for part in parts], "body": body})


def _with_snippet(document: Document, q: str | None) -> FoundDocument:
    return FoundDocument(**{**vars(document), "snippet": domain.snippet(document.body, q or "")})


def _text_of(section: str, parts: list[domain.Section]) -> str:
    wanted = section.strip().casefold()
    for part in parts:
        if part.name.casefold() == wanted:
            return part.text
    raise SectionUnknown(section, [part.name for part in parts])
