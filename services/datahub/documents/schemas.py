"""The wire types of documents. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from companyos.chassis import AnyCase, Key, Name, PageQuery, SimTime, View

from .domain import DocumentStatus

DocumentId = Annotated[Key, Path()]
AnyDocumentStatus = Annotated[DocumentStatus, Field(strict=False), AnyCase]


class SearchDocuments(PageQuery):
    """What to search for, and among which documents."""

    q: Name | None = Field(None, description="Words; `or`, quotes and -word work. Optional beside a filter.")
    kind: Annotated[Key, AnyCase] | None = Field(None, description="Such as `policy`.")
    department: Annotated[Key, AnyCase] | None = Field(None, description="Such as `finance`.")
    status: AnyDocumentStatus | None = None
    limit: int = Field(10, ge=1, le=200, description="The most items to return.")


class ReadDocument(BaseModel):
    """Which part of a document to read."""

    model_config = ConfigDict(extra="forbid")

    section: Name | None = Field(None, description="Heading of the only section to return.")


class FoundDocument(View):
    """A document as a search shows it."""

    id: str = Field(description="Id of the document; datahub_get_document takes it as `document_id`.")
    title: str = Field(description="Its title; other versions and drafts may have the same.")
    kind: str = Field(description="Such as `policy`, `handbook`, `runbook`, `contract`, `minutes` or `form`.")
    department: str = Field(description="The department whose document it is.")
    status: DocumentStatus = Field(
        description="`draft`, `in_force`, `superseded` by a later one, or `withdrawn`."
    )
    version: int = Field(description="Grows by one with every edition.")
    written_at: SimTime = Field(description="When it was written.")
    snippet: str = Field(description="A line that has words of the query; its first line without one.")


class DocumentText(View):
    """A document, or a section of it."""

    id: str = Field(description="Id of the document.")
    title: str = Field(description="Its title.")
    kind: str = Field(description="Such as `policy`, `handbook`, `runbook`, `contract`, `minutes` or `form`.")
    department: str = Field(description="The department whose document it is.")
    author: str = Field(description="Person id of the author.")
    status: DocumentStatus = Field(
        description="`draft`, `in_force`, `superseded` by a later one, or `withdrawn`."
    )
    version: int = Field(description="Grows by one with every edition.")
    written_at: SimTime = Field(description="When it was written.")
    effective_from: SimTime | None = Field(description="When it begins to apply; null: when written.")
    supersedes: str | None = Field(description="Id of the document that it replaces, if any.")
    links: list[str] = Field(description="Ids of records, tickets, metrics and documents that it names.")
    sections: list[str] = Field(description="Its headings; each can be read by itself as `section`.")
    body: str = Field(description="The text in Markdown: all of it, or of the section asked for.")
