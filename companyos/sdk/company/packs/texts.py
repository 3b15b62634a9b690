"""Templates from which packs fill a company with documents and emails."""

from collections.abc import Sequence
from dataclasses import dataclass

#: A heading, and paragraphs of which every document includes some.
Section = tuple[str, Sequence[str]]


@dataclass(frozen=True)
class DocumentTemplate:
    """A template for documents on one subject.

    The title and the paragraphs may contain names in braces, whose values are drawn for each document:
    `team`, `person`, `thing`, `month`, `quarter`, `weekday`, `days`, `hours`, `percent`, `count` and
    `amount`.

    Attributes:
        kind: A kind such as `policy`, `handbook` or `minutes`.
        title: The title.
        department: The department that the documents belong to.
        sections: The sections.
        things: The values that `thing` may take.
        recurring: Whether each result is a separate document, such as minutes. Otherwise a document has
            editions: the last one is usually in force, and there may be a draft of the next.
    """

    kind: str
    title: str
    department: str
    sections: Sequence[Section]
    things: Sequence[str] = ("the matter",)
    recurring: bool = False


@dataclass(frozen=True)
class MailTemplate:
    """A template for emails on one subject, with the same names in braces as in documents.

    Attributes:
        subject: The subject line.
        sentences: The sentences; every email has the first and may have some of the others.
        things: The values that `thing` may take.
    """

    subject: str
    sentences: Sequence[str]
    things: Sequence[str] = ("the matter",)
