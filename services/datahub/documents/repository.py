"""The queries for documents, except lookups of one by its id."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork, searched, searching

from .models import Document


async def found_documents(
    unit: UnitOfWork, q: str | None, *, cursor: str | None, limit: int, **equals: str | None
) -> ListPage[Document]:
    """Return a page of the documents that match a query and have these values, best first; by id without one.

    Args:
        unit: The unit of work, whose world is searched.
        q: The query in web search syntax; None for all documents.
        cursor: Id of the last document of the previous page.
        limit: Maximum number of documents.
        equals: Columns with their required values, in lower case; None accepts any value.
    """
    given: dict[str, Any] = {column: value for column, value in equals.items() if value is not None}
    if q is None:
        return await unit.page(Document, after=cursor, limit=limit, **given)
    query = searching(Document, frozenset(given))
    bound = {f"eq_{column}": value for column, value in given.items()}
    return await unit.find_page(query, after=cursor, limit=limit, **searched(q), **bound)
