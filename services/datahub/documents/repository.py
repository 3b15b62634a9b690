"""The queries for documents, except lookups of one by its id."""

from companyos.chassis import ListPage, UnitOfWork, searching

from .models import Document


async def found_documents(
    unit: UnitOfWork, q: str, *, cursor: str | None, limit: int, **equals: str | None
) -> ListPage[Document]:
    """Return a page of the documents that match a query and have these values, best first.

    Args:
        unit: The unit of work, whose world is searched.
        q: The query, written as for a web search.
        cursor: Id of the last document of the previous page.
        limit: Maximum number of documents.
        equals: Columns with their required values, in lower case; None accepts any value.
    """
    given = {column: value for column, value in equals.items() if value is not None}
    query = searching(Document, frozenset(given))
    bound = {f"eq_{column}": value for column, value in given.items()}
    return await unit.find_page(query, after=cursor, limit=limit, q=q, **bound)
