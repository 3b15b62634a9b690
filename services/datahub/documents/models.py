"""The table of documents."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata
from .domain import DocumentStatus


@world_table(metadata, "documents", searched=("title", "body", "kind"), maintained=("written_at", "version"))
class Document:
    """A text of the company, as written at one time.

    Attributes:
        kind: A kind such as `policy`, `handbook`, `contract` or `minutes`.
        department: The department that it belongs to.
        author: Person id.
        written_at: When this version was finished.
        body: Markdown.
        effective_from: When it begins to apply; None: from when it was written.
        supersedes: The document that it replaces.
        links: Ids of other objects that it names.
    """

    id: str
    kind: str
    title: str
    department: str
    author: str
    written_at: int
    body: str
    effective_from: int | None = None
    status: str = DocumentStatus.IN_FORCE
    version: int = 1
    supersedes: str | None = None
    links: list[str] = field(default_factory=list)
