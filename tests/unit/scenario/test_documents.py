"""Documents of a company under construction."""

import pytest

from companyos.company import Company
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
