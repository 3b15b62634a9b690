"""The documents of a request: the clerk reads what they say, and former editions say something else."""

from typing import Any

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from scenarios.erasure_request.documents import (
    ANSWERS,
    PROCEDURE,
    SCHEDULE,
    write_attorney,
    write_rules,
    write_templates,
)
from scenarios.erasure_request.terms import DATED, Terms, draw_terms
from tests.scenarios.conftest import SALT

from .registered import Row, staffed

SEEDS = range(12)
STATUSES = ("in_force", "superseded", "draft")


def editions(seed: int) -> tuple[tuple[Terms, Terms], dict[tuple[str, str], Row]]:
    """Return drawn terms, and the documents written about them by title and status."""
    company, cast = staffed(seed)
    terms = draw_terms(Draws(SALT, "terms", seed))
    write_rules(company, cast.author, *terms)
    documents = company.rows["datahub"]["documents"]
    return terms, {(row["title"], row["status"]): row for row in documents}


def test_the_draft_of_the_schedule_and_the_superseded_one_say_what_was_before() -> None:
    for seed in SEEDS:
        _, documents = editions(seed)
        now, before, draft = (documents[SCHEDULE, status]["body"] for status in STATUSES)

        assert before == draft != now


def test_the_former_procedure_names_other_special_kinds_and_erases_by_name() -> None:
    for seed in SEEDS:
        (now, before), documents = editions(seed)
        texts = {status: documents[PROCEDURE, status]["body"] for status in STATUSES[:2]}

        assert all(f"`{kind}`" in texts["in_force"] for kind in now.special)
        assert all(f"`{kind}`" in texts["superseded"] for kind in before.special)
        assert not any(f"`{kind}`" in texts["in_force"] for kind in before.special)
        assert "Search for the name" in texts["superseded"]


def test_editions_in_force_are_younger_than_superseded_ones() -> None:
    _, documents = editions(0)

    for title in (PROCEDURE, SCHEDULE):
        assert documents[title, "in_force"]["written_at"] > documents[title, "superseded"]["written_at"]


def test_each_ending_has_one_template_in_force_and_a_former_one() -> None:
    company, cast = staffed(0)

    ids = write_templates(company, cast.author)

    rows = {row["id"]: row for row in company.rows["datahub"]["documents"]}
    assert {ending: rows[row_id]["title"] for ending, row_id in ids.items()} == ANSWERS
    assert {rows[row_id]["status"] for row_id in ids.values()} == {"in_force"}
    assert sorted(row["title"] for row in rows.values()) == sorted([*ANSWERS.values()] * 2)


@pytest.mark.parametrize(("is_in_force", "status"), [(True, "in_force"), (False, "withdrawn")])
def test_a_power_of_attorney_names_the_customer_and_the_lawyer(is_in_force: bool, status: str) -> None:
    company, cast = staffed(0)
    facts: dict[str, Any] = {"before_s": 3 * DAY, "is_in_force": is_in_force}

    paper = write_attorney(company, cast.author, "Ann Lee", "K-101", "desk@silva.example", **facts)

    assert paper["status"] == status
    assert all(one in paper["body"] for one in ("Ann Lee", "K-101", "desk@silva.example"))
    assert paper["written_at"] <= company.start - 13 * DAY


def test_the_day_of_a_dated_object_is_what_its_kind_is_kept_from() -> None:
    _, documents = editions(0)
    schedule = documents[SCHEDULE, "in_force"]["body"]

    assert all(f"years from `{column}`" in schedule for column in DATED.values())
