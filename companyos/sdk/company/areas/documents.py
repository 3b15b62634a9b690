"""The documents of a company under construction: handbooks, policies, contracts, minutes and their editions."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from .. import rows
from ..rows import Row
from ..staff import Person
from ..tables import Tables

#: In characters.
LONGEST_BODY: Final = 8_000


class Edition(NamedTuple):
    """An edition of a document: its status, its text, and its age in seconds at the start."""

    status: str
    body: str
    age_s: int
    effective_from: int | None = None


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
            body: Markdown, at most 8,000 characters.
            status: `draft`, `in_force`, `superseded` or `withdrawn`; the document that it supersedes keeps its own.
            links: Ids of other objects that it names.
            effective_from: The simulated second from which it applies; None: from when it was written.

        Raises:
            ValueError: The body is longer than 8,000 characters.
        """
        _refuse_too_long(title, body)
        number = document_id or self.numbers.reserve("DOC")
        author_id = author if isinstance(author, str) else author.id
        columns = {
            "written_at": self.start - age_s,
            "status": status,
            "version": self._edition(supersedes),
            "supersedes": supersedes,
            "links": list(links),
            "effective_from": effective_from,
        }
        document = rows.document(number, kind, title, department, author_id, body, **columns)
        return self.add_row("datahub", "documents", document)

    def add_editions(
        self, kind: str, title: str, department: str, author: Person, *editions: Edition, **columns: Any
    ) -> Row:
        """Add the editions of a document, each of which supersedes the one before; return the one in force."""
        added: list[Row] = []
        for edition in editions:
            before = added[-1]["id"] if added else None
            columns |= edition._asdict()
            added.append(self.add_document(kind, title, department, author, supersedes=before, **columns))
        return next(row for row in added if row["status"] == "in_force")

    def _edition(self, supersedes: str | None) -> int:
        """Return the number of the edition that supersedes this document."""
        return 1 if supersedes is None else 1 + int(self.row("datahub", "documents", supersedes)["version"])


def _refuse_too_long(title: str, body: str) -> None:
    if len(body) > LONGEST_BODY:
        raise ValueError(f"the body of {title!r} has {len(body)} characters, of at most {LONGEST_BODY}")
