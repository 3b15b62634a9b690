"""Templates of documents and mails: what packs bring for a company that is lived in."""

from collections.abc import Sequence
from dataclasses import dataclass

#: A heading, and paragraphs of which every document has some.
Section = tuple[str, Sequence[str]]


@dataclass(frozen=True)
class DocumentTemplate:
    """What documents on one subject are made of.

    Title and paragraphs may name in braces what is drawn for each document: `team`, `person`, `thing`, `month`,
    `quarter`, `weekday`, `days`, `hours`, `percent`, `count` and `amount`.

    Attributes:
        kind: Such as `policy`, `handbook` or `minutes`.
        title: Its title.
        department: The department whose document it is.
        sections: Its sections.
        things: What `thing` stands for.
        recurring: Whether each is a document of its own, as minutes are; otherwise it has editions, of which the last
            is in force and there may be a draft of the next.
    """

    kind: str
    title: str
    department: str
    sections: Sequence[Section]
    things: Sequence[str] = ("the matter",)
    recurring: bool = False


@dataclass(frozen=True)
class MailTemplate:
    """What mails on one subject are made of; the same names in braces as in documents.

    Attributes:
        subject: Its subject.
        sentences: Sentences, of which every mail has the first and some of the others.
        things: What `thing` stands for.
    """

    subject: str
    sentences: Sequence[str]
    things: Sequence[str] = ("the matter",)
