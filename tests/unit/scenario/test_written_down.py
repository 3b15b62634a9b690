"""Documents and messages of a company under construction."""

import pytest

from companyos.sdk.company import Company
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY

from .packs import PACKS

START = 100 * DAY


def company() -> Company:
    return Company(Draws("salt", "documents"), START, PACKS)


def test_a_document_is_in_force_and_a_first_edition_unless_told_otherwise() -> None:
    built = company()

    row = built.add_document("policy", "Travel", "people", "ana.lopez", "# Travel", age_s=DAY)

    assert built.rows["datahub"]["documents"] == [row]
    assert (row["status"], row["version"], row["written_at"]) == ("in_force", 1, START - DAY)
    assert row["id"].startswith("DOC-")


def test_a_document_that_replaces_another_is_its_next_edition() -> None:
    built = company()
    old = built.add_document(
        "policy", "Travel", "people", "ana.lopez", "Old", age_s=9 * DAY, status="superseded"
    )

    new = built.add_document(
        "policy", "Travel", "people", "ana.lopez", "New", age_s=DAY, supersedes=old["id"]
    )

    assert (new["version"], new["supersedes"], old["version"]) == (2, old["id"], 1)


def test_a_body_that_no_tool_would_show_is_refused() -> None:
    with pytest.raises(ValueError, match="has 8001 characters"):
        company().add_document("policy", "Travel", "people", "ana.lopez", "x" * 8001, age_s=DAY)


def test_a_message_of_the_past_begins_a_thread_unless_it_is_in_one() -> None:
    built = company()

    first = built.add_message("ana.lopez", "finance", "Travel", "When?", age_s=2 * DAY, about="V-104")
    answer = built.add_message("ben.okafor", "ana.lopez", "Re: Travel", "Now.", age_s=DAY, thread=first["id"])

    assert (first["thread"], answer["thread"]) == (first["id"], first["id"])
    assert (first["sent_at"], first["about"], answer["about"]) == (START - 2 * DAY, "V-104", None)
    assert first["id"] != answer["id"]


def test_knowledge_of_colleagues_is_stored_in_a_table_no_tool_shows() -> None:
    built = company()

    row = built.knows("ana.lopez", "V-104", "It is fine.", delay_s=60)

    assert built.rows["datahub"]["knowledge"] == [row]
    assert (row["id"], row["question"], row["needs"]) == ("ana.lopez:V-104", None, None)
