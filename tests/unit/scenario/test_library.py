"""The documents and mails of a company's background."""

from collections import Counter

import pytest

from companyos.sdk.company import Company, fill, hire_cast
from companyos.sdk.company.areas.documents import LONGEST_BODY
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from services.datahub.documents.domain import sections
from services.datahub.documents.models import Document
from services.datahub.messages.models import Message

from .packs import PACKS

START = 1000 * DAY


def filled(seed: int = 0, size: str | int = "default") -> Company:
    company = Company(Draws("salt", "library", seed), START, PACKS, size)
    fill(company, hire_cast(company, persona_role="analyst", team="Finance", original=False))
    return company


DEFAULT = filled()
DOCUMENTS = [Document(**row) for row in DEFAULT.rows["datahub"]["documents"]]
MESSAGES = [Message(**row) for row in DEFAULT.rows["datahub"]["messages"]]


@pytest.mark.parametrize(
    ("size", "documents", "mails"), [("small", 4, 1), ("default", 30, 12), ("large", 375, 150)]
)
def test_a_company_has_as_many_documents_as_suit_its_size(size: str, documents: int, mails: int) -> None:
    rows = filled(size=size).rows["datahub"]

    assert documents <= len(rows["documents"]) <= documents + 3
    assert len(rows["messages"]) == mails


def test_every_text_is_complete_and_can_be_read_by_section() -> None:
    people = {person.id for person in DEFAULT.people}

    for document in DOCUMENTS:
        assert not {"{", "}"} & {*document.title, *document.body}
        assert len(document.body) <= LONGEST_BODY
        assert len(sections(document.body)) > 1
        assert document.author in people
        assert 0 < document.written_at < START
    assert not any("{" in message.subject + message.body for message in MESSAGES)


def test_document_texts_are_unique_and_vary_in_length() -> None:
    bodies = [document.body for document in DOCUMENTS]

    assert len({*bodies}) == len(bodies)
    assert len({len(body) for body in bodies}) > len(bodies) * 2 // 3


def test_an_edition_follows_the_one_it_replaces() -> None:
    documents = {row["id"]: Document(**row) for row in filled(size="large").rows["datahub"]["documents"]}
    later = [one for one in documents.values() if one.supersedes is not None]

    assert later
    for edition in later:
        before = documents[edition.supersedes or ""]
        assert (edition.title, edition.version) == (before.title, before.version + 1)
        assert edition.written_at > before.written_at
        assert (before.status == "superseded") == (edition.status != "draft")


def test_a_company_of_some_size_has_documents_of_every_status() -> None:
    statuses = Counter(row["status"] for row in filled(size="large").rows["datahub"]["documents"])

    assert {*statuses} == {"draft", "in_force", "superseded", "withdrawn"}
    assert statuses["in_force"] > statuses["superseded"] > statuses["draft"] > 0


def test_the_agent_finds_mails_in_its_own_mailbox_and_in_that_of_its_team() -> None:
    recipients = Counter(row["recipient"] for row in filled(size="large").rows["datahub"]["messages"])
    persona = next(person for person in DEFAULT.people if person.role == "analyst")

    assert recipients["Finance"] > 5
    assert sum("." in recipient for recipient in recipients) == 1
    assert persona.team == "Finance"


def test_documents_do_not_count_towards_the_size() -> None:
    assert abs(DEFAULT.count() - 400) < 30
