"""The retention schedule: what becomes of each kind at its age, and what the draws leave fixed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from scenarios.erasure_request.terms import DATED, ERASE, REDACT, Terms, draw_terms
from scenarios.erasure_request.words import FORMS
from tests.scenarios.conftest import SALT

SEEDS = range(60)
TERMS = Terms({"order": 2, "invoice": 8}, {"customer": ERASE, "minutes": REDACT}, frozenset())
#: What no schedule decides otherwise.
FIXED = {"customer": ERASE, "message": ERASE, "customer_portal": ERASE, "minutes": REDACT, "goodwill": REDACT}


@pytest.mark.parametrize(
    ("kind", "age_days", "mode"),
    [
        ("order", 0, REDACT),
        ("order", 2 * 365 - 1, REDACT),
        ("order", 2 * 365, ERASE),
        ("order", 2 * 365 + 1, ERASE),
        ("invoice", 8 * 365 - 1, REDACT),
        ("invoice", 8 * 365, ERASE),
    ],
)
def test_a_dated_kind_is_kept_until_its_years_are_over(kind: str, age_days: int, mode: str) -> None:
    assert TERMS.mode(kind, age_days) == mode


@pytest.mark.parametrize("age_days", [None, 0, 10_000])
def test_the_age_of_any_other_kind_does_not_matter(age_days: int | None) -> None:
    assert [TERMS.mode(kind, age_days) for kind in ("customer", "minutes")] == [ERASE, REDACT]


def test_a_dated_kind_without_a_date_is_not_kept() -> None:
    assert TERMS.mode("order", None) == ERASE


def test_a_kind_that_the_schedule_does_not_name_has_no_treatment() -> None:
    with pytest.raises(KeyError, match="contract"):
        TERMS.mode("contract", None)


@given(st.sampled_from(["order", "invoice"]), st.integers(0, 5000), st.integers(0, 5000))
def test_data_due_for_erasure_stays_due_as_it_ages(kind: str, age: int, more: int) -> None:
    if TERMS.mode(kind, age) == ERASE:
        assert TERMS.mode(kind, age + more) == ERASE


@pytest.mark.parametrize("edition", [0, 1], ids=["in force", "superseded"])
def test_every_edition_decides_about_every_kind_and_agrees_on_what_is_fixed(edition: int) -> None:
    for seed in SEEDS:
        terms = draw_terms(Draws(SALT, "terms", seed))[edition]

        assert terms.years.keys() == DATED.keys()
        assert terms.modes.keys() == {*FIXED, *FORMS, "letter", "customer_case", "comment"}
        assert {kind: terms.modes[kind] for kind in FIXED} == FIXED
        assert {terms.modes[kind] for kind in FORMS} == {ERASE}


def test_two_kinds_of_form_are_special_and_each_kind_is_at_some_time() -> None:
    special = [draw_terms(Draws(SALT, "terms", seed))[0].special for seed in SEEDS]

    assert {len(kinds) for kinds in special} == {2}
    assert set().union(*special) == set(FORMS)


def test_every_open_point_is_decided_in_both_ways() -> None:
    drawn = [draw_terms(Draws(SALT, "terms", seed))[0] for seed in SEEDS]

    for kind in ("letter", "customer_case", "comment"):
        assert {terms.modes[kind] for terms in drawn} == {ERASE, REDACT}
    assert {terms.years["order"] for terms in drawn} == {2, 3, 4}
    assert {terms.years["invoice"] for terms in drawn} == {6, 8, 10}
