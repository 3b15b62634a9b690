"""Background documents and emails of a company, made from packs' templates with drawn authors and dates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from ..cast import Cast
from ..company import Company
from ..packs.texts import DocumentTemplate, MailTemplate, Section
from ..rows import Row

#: The number of documents and of emails in a company of default size, and the maximum for any size.
_DOCUMENTS: Final = (30, 2000)
_MAILS: Final = (12, 600)
_DEFAULT_ROWS: Final = 400
_MOST_EDITIONS: Final = 3

_WORDS: Final[Mapping[str, Sequence[str]]] = {
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "month": ("January", "March", "April", "May", "July", "September", "October", "November"),
    "quarter": ("Q1", "Q2", "Q3", "Q4"),
}
_NUMBERS: Final[Mapping[str, tuple[int, int, int]]] = {
    "days": (2, 30, 1),
    "hours": (2, 48, 2),
    "percent": (2, 25, 1),
    "count": (2, 40, 1),
    "amount": (1, 90, 50),
}


def fill_library(company: Company, cast: Cast) -> None:
    """Add documents and emails from the packs, in numbers that suit the company's size."""
    templates = company.draws.shuffled("library", company.content.documents)
    library = company.rows["datahub"]["documents"]
    wanted = len(library) + _suiting(company.size, *_DOCUMENTS)
    for number, template in enumerate(_endlessly(company.draws, templates)):
        if len(library) >= wanted:
            break
        _write(company, template, number, first=number < len(templates))
    for number in range(_suiting(company.size, *_MAILS) if company.content.mails else 0):
        _send(company, cast, company.draws.choice("mail", company.content.mails, number), number)


class Facts(dict[str, str]):
    """The values for the names in braces in a text, each drawn when first used and then kept.

    Args:
        company: The company whose people and teams are named.
        things: The values that `thing` may take.
        key: The text, which decides the draws.
    """

    def __init__(self, company: Company, things: Sequence[str], *key: int) -> None:
        super().__init__()
        self._company = company
        self._things = things
        self._key = key

    def __missing__(self, name: str) -> str:
        value = self[name] = self._drawn(name)
        return value

    def _drawn(self, name: str) -> str:
        draws, draw_name = self._company.draws, f"text.{name}"
        if name in _NUMBERS:
            low, high, unit = _NUMBERS[name]
            return str(draws.integer(draw_name, low, high, *self._key) * unit)
        if name == "person":
            return draws.choice(draw_name, self._company.people, *self._key).name
        if name == "team":
            return draws.choice(draw_name, self._company.content.teams, *self._key)[0]
        return draws.choice(draw_name, self._things if name == "thing" else _WORDS[name], *self._key)


def _endlessly(draws: Draws, templates: Sequence[DocumentTemplate]) -> Iterator[DocumentTemplate]:
    """Yield every template once, then randomly drawn ones forever."""
    yield from templates
    number = len(templates)
    while templates:
        yield draws.choice("template", templates, number)
        number += 1


def _write(company: Company, template: DocumentTemplate, number: int, *, first: bool) -> None:
    age = company.draws.integer("document.age", 3, 700, number)
    template = replace(template, sections=_sections(company, template, number))
    if template.recurring:
        _add(company, template, number, 0, title=template.title, age=age)
        return
    # Further documents on a subject that the company already covers belong to a team.
    title = template.title if first else f"{template.title} ({{team}})"
    editions = company.draws.integer("document.editions", 1, _MOST_EDITIONS, number)
    before: Row | None = None
    for edition in range(editions):
        status = "superseded" if edition < editions - 1 else _last_status(company.draws, number)
        older = (editions - 1 - edition) * company.draws.integer("document.interval", 90, 400, number)
        before = _add(
            company, template, number, edition, title=title, age=age + older, status=status, before=before
        )
    if company.draws.chance("document.draft", 0.25, number):
        _add(company, template, number, editions, title=title, age=age // 3, status="draft", before=before)


def _last_status(draws: Draws, number: int) -> str:
    return "withdrawn" if draws.chance("document.withdrawn", 0.08, number) else "in_force"


def _add(
    company: Company,
    template: DocumentTemplate,
    number: int,
    edition: int,
    *,
    title: str,
    age: int,
    status: str = "in_force",
    before: Row | None = None,
) -> Row:
    facts = Facts(company, template.things, number, edition)
    # All editions of a document have the same title.
    titled = Facts(company, template.things, number, 0)
    own = [person for person in company.people if person.team == template.department]
    name = title.format_map(titled)
    return company.add_document(
        template.kind,
        name,
        template.department,
        company.draws.choice("document.author", own or company.people, number, edition),
        f"# {name}\n\n"
        + "\n\n".join(_write_sections(company.draws, template.sections, facts, number, edition)),
        age_s=age * DAY + company.draws.integer("document.time", 0, 10, number, edition) * HOUR,
        status=status,
        supersedes=before["id"] if before else None,
        links=_links(company, number),
        document_id=company.numbers.next("DOC"),
    )


def _sections(company: Company, template: DocumentTemplate, number: int) -> Sequence[Section]:
    """Return the sections that all editions of a document have."""
    common = () if template.recurring else company.content.common_sections
    chosen = (
        section
        for at, section in enumerate(common)
        if company.draws.chance("document.common", 0.6, number, at)
    )
    return (*template.sections, *chosen)


def _write_sections(
    draws: Draws, sections: Sequence[Section], facts: Facts, number: int, edition: int
) -> Iterator[str]:
    for at, (heading, paragraphs) in enumerate(sections):
        count = draws.integer("document.paragraphs", 1, len(paragraphs), number, edition, at)
        chosen = _pick_in_order(draws, "document.paragraph", paragraphs, count, number, edition, at)
        yield "\n\n".join([f"## {heading}", *(paragraph.format_map(facts) for paragraph in chosen)])


def _pick_in_order(
    draws: Draws, name: str, texts: Sequence[str], count: int, *coordinates: int
) -> Sequence[str]:
    """Return `count` of the texts in their order, which need no draw if that is all of them."""
    if count == len(texts):
        return texts
    return [texts[at] for at in sorted(draws.sample(name, range(len(texts)), count, *coordinates))]


def _links(company: Company, number: int) -> list[str]:
    records = company.rows["datahub"]["records"]
    if not records or not company.draws.chance("document.links", 0.3, number):
        return []
    return [company.draws.choice("document.link", records, number)["id"]]


def _send(company: Company, cast: Cast, template: MailTemplate, number: int) -> None:
    draws, facts = company.draws, Facts(company, template.things, number)
    first, *others = template.sentences
    count = draws.integer("mail.sentences", 0, len(others), number)
    chosen = _pick_in_order(draws, "mail.sentence", others, count, number)
    recipients = (cast.persona.id, cast.persona.team, *(team for team, _ in company.content.teams))
    company.add_message(
        draws.choice("mail.sender", [one for one in company.people if one != cast.persona], number),
        draws.choice("mail.recipient", recipients, number),
        template.subject.format_map(facts),
        " ".join([first, *chosen]).format_map(facts),
        age_s=draws.integer("mail.age", 2, 60 * 24, number) * HOUR,
        message_id=company.numbers.next("MSG"),
    )


def _suiting(size: int, usual: int, most: int) -> int:
    return min(most, max(1, usual * size // _DEFAULT_ROWS))
