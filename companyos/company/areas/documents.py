"""The documents of a company under construction: handbooks, policies, contracts, minutes and their editions."""

from collections.abc import Sequence
from typing import Final

from .. import rows
from ..rows import Row
from ..staff import Person
from ..tables import Tables

#: In characters.
LONGEST_BODY: Final = 8_000


class Documents(Tables):
    """The texts in DataHub's library."""

    def add_document(
        self,
        kind: str,
        title: str,
        department: str,
        author: Person | str,
        body: str,
        *,
        age_s: int,
        status: str = "in_force",
        supersedes: str | None = None,
        links: Sequence[str] = (),
        document_id: str | None = None,
        effective_from: int | None = None,
    ) -> Row:
        """Add a document written `age_s` before the start; it is the next edition of the one that it `supersedes`.

        Args:
            kind: A kind such as `policy`, `handbook`, `contract` or `minutes`.
            title: Its title.
            department: The department that it belongs to.
            author: The person who wrote it, or their id.
            body: Markdown, at most 8,000 characters.
            age_s: How long ago it was written.
            status: `draft`, `in_force`, `superseded` or `withdrawn`.
            supersedes: Id of the document that it replaces, which keeps its own status.
            links: Ids of other objects that it names.
            document_id: Its id; by default one that reveals nothing about it.
            effective_from: The simulated second from which it applies; None: from when it was written.

        Raises:
            ValueError: The body is longer than 8,000 characters.
        """
        if len(body) > LONGEST_BODY:
            raise ValueError(f"the body of {title!r} has {len(body)} characters, of at most {LONGEST_BODY}")
        document = rows.document(
            document_id or self.numbers.reserve("DOC"),
            kind,
            title,
            department,
            author if isinstance(author, str) else author.id,
            body,
            written_at=self.start - age_s,
            status=status,
            supersedes=supersedes,
            links=list(links),
            effective_from=effective_from,
        )
        if supersedes is not None:
            document["version"] = 1 + self.row("datahub", "documents", supersedes)["version"]
        return self.add_row("datahub", "documents", document)
