"""Documents over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .schemas import DocumentId, DocumentText, FoundDocument, ReadDocument, SearchDocuments
from .service import Documents

documents = ToolRouter(prefix="/documents", tags=["documents"])


@documents.get(
    "",
    response_model=Page[FoundDocument],
    summary="Search the company's documents",
    description="All words of `q` must occur; best first. Drafts, withdrawn and superseded ones too: compare "
    "`status` and dates.",
)
async def search_documents(query: Annotated[SearchDocuments, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Documents(unit).search(**query.model_dump()), query.limit)


@documents.post(
    "/{document_id}/read",
    idempotent=True,
    response_model=DocumentText,
    summary="Read a document, or one section of it",
    description="Returns its sections' names, its text and linked ids.",
)
async def get_document(
    document_id: DocumentId, query: Annotated[ReadDocument, Query()], unit: InWorld
) -> DocumentText:
    return await Documents(unit).read(document_id, section=query.section)
