"""A field that is nearly one of a reset's is refused, and thousands of others are passed over quickly."""

from __future__ import annotations

import pytest

from orchestrator.http.messages.answers import Invalid
from orchestrator.http.messages.slips import meant_by, refuse_slips


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sead", "seed"),
        ("Seed", "seed"),
        ("seeds", "seed"),
        ("need", None),
        ("scenrio", "scenario"),
        ("max-step", "max_steps"),
        ("reward", None),
        ("", None),
        ("task_description", None),
    ],
)
def test_a_misspelled_field_is_found_by_its_first_letter_and_length(name: str, meant: str | None) -> None:
    assert meant_by(name) == meant


def test_a_slip_behind_thousands_of_other_fields_is_still_found() -> None:
    others = [f"u{number}" for number in range(20_000)]

    with pytest.raises(Invalid, match="did you mean 'seed'"):
        refuse_slips(["prompt", "answer", *others, "sede"])
