"""What a template reads, and what it does not take for its own."""

from dataclasses import dataclass

import pytest

from companyos.sdk.documents import Each, OneOf, Template, facts_of, read_any

LIMIT = Template(
    "Above {limit:,.2f} EUR, {office} signs; {office} {away}", away=OneOf({True: "is away.", False: "is in."})
)
TABLE = Template(
    "| unit | days |\n{rows}\n\nClosed on {days}.",
    rows=Each("| {unit} | {days:d} |"),
    days=Each("{day}", ", "),
)


def test_numbers_wordings_and_lists_come_back_in_their_types() -> None:
    assert LIMIT.read("Above 1,200.50 EUR, Legal signs; Legal is in.") == {
        "limit": 1200.5,
        "office": "Legal",
        "away": False,
    }
    assert TABLE.read("| unit | days |\n| A | 3 |\n| B | 12 |\n\nClosed on Monday, Friday.") == {
        "rows": [{"unit": "A", "days": 3}, {"unit": "B", "days": 12}],
        "days": ["Monday", "Friday"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "Above 1,200.50 EUR, Legal signs; Sales is in.",
        "Above some EUR, Legal signs; Legal is in.",
        "Above 5.00 EUR, Legal signs; Legal is in. So it was.",
    ],
)
def test_another_text_is_refused_whole_and_not_found_in_parts(text: str) -> None:
    with pytest.raises(LookupError, match="not of the form"):
        LIMIT.read(text)

    assert read_any([LIMIT, TABLE], text) is None


def test_every_passage_of_a_template_is_found() -> None:
    text = "- Above 5.00 EUR, A signs; A is in.\n- Call B.\n- Above 7.00 EUR, C signs; C is away."

    assert [one["limit"] for one in LIMIT.find(text)] == [5.0, 7.0]


@dataclass(frozen=True)
class Limit:
    limit: float
    away: bool
    days: int = 3


def test_facts_of_a_text_have_defaults_for_what_it_does_not_state() -> None:
    fields = LIMIT.read("Above 1,200.50 EUR, Legal signs; Legal is in.")

    assert facts_of(Limit, fields) == Limit(1200.5, away=False, days=3)
    assert facts_of(Limit, {**fields, "days": 5}) == Limit(1200.5, away=False, days=5)
