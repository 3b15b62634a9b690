"""Numbers, names and times on pages at the places where their form changes."""

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.pages.formats import (
    code,
    compact,
    counted,
    numbers,
    percent,
    plain,
    signed,
    span,
    stored,
    usd,
    words,
)
from companyos.evaluation.runs.progress import duration


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (0.25, "0.25"),
        (999, "999"),
        (999.4, "999"),
        (999.6, "1k"),
        (1_000, "1k"),
        (1_234, "1.23k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (999_999, "1M"),
        (1_000_000, "1M"),
        (999_999_999, "1B"),
        (2_500_000_000, "2.5B"),
    ],
)
def test_a_count_moves_to_the_next_unit_where_its_three_digits_end(count: float, shown: str) -> None:
    assert compact(count) == shown


@settings(max_examples=50)
@given(st.floats(0, 9e11))
def test_a_compact_count_is_never_in_exponential_notation(count: float) -> None:
    assert "e" not in compact(round(count))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.5, "1 min"),
        (60, "1 min"),
        (61, "1 min 01 s"),
        (3599, "59 min 59 s"),
        (3599.5, "1 h 00 min"),
        (3600 + 59, "1 h 00 min"),
        (86_399, "23 h 59 min"),
        (86_400, "1 d 0 h"),
        (3 * 86_400 + 7_200, "3 d 2 h"),
    ],
)
def test_a_span_has_its_two_largest_units(seconds: float, shown: str) -> None:
    assert span(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (90, "2 min"),
        (3_569, "59 min"),
        (3_571, "1 h 0 min"),
        (3_600, "1 h 0 min"),
        (7_260, "2 h 1 min"),
    ],
)
def test_the_time_left_never_has_sixty_of_a_unit(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, "–"),
        (0, "$0.00"),
        (0.00001234, "$1.234e-05"),
        (0.0099, "$0.0099"),
        (0.01, "$0.01"),
        (1234.5, "$1,234.50"),
    ],
)
def test_an_amount_below_a_cent_keeps_its_digits(dollars: float | None, shown: str) -> None:
    assert usd(dollars) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(None, "–"), (0.0, "0%"), (0.004, "0%"), (0.5, "50%"), (1.0, "100%")]
)
def test_a_share_is_shown_without_decimals(share: float | None, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(("amount", "shown"), [(1.5, "+1.50"), (0.0, "+0.00"), (-0.1, "−0.10")])
def test_an_amount_has_a_true_sign(amount: float, shown: str) -> None:
    assert signed(amount) == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([], ""),
        ([3], "3"),
        ([1, 2], "1–2"),
        ([2, 0, 1, 1], "0–2"),
        ([0, 2, 4], "0, 2, 4"),
        ([9, 5, 6, 7, 12], "5–7, 9, 12"),
    ],
)
def test_whole_numbers_are_told_as_ranges(values: list[int], shown: str) -> None:
    assert numbers(values) == shown


@settings(max_examples=50)
@given(st.sets(st.integers(0, 60)))
def test_ranges_hold_exactly_the_numbers_they_were_made_of(values: set[int]) -> None:
    parts = [part.split("–") for part in numbers(values).split(", ") if part]

    assert {one for part in parts for one in range(int(part[0]), int(part[-1]) + 1)} == values


@pytest.mark.parametrize(
    ("names", "phrase"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ([1, 2, 3], "1, 2 and 3")]
)
def test_names_are_a_phrase(names: list[Any], phrase: str) -> None:
    assert words(names) == phrase


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 episodes"), (1, "1 episode"), (2, "2 episodes"), (1200, "1,200 episodes")]
)
def test_one_is_the_only_singular(count: int, told: str) -> None:
    assert counted(count, "episode") == told


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (True, "yes"), (False, "no"), ("", ""), (0, "0"), ([1, "ü"], '[1, "ü"]'), (1.5, "1.5")],
    ids=repr,
)
def test_a_value_is_one_line(value: Any, shown: str) -> None:
    assert plain(value) == shown


@pytest.mark.parametrize(
    ("name", "is_a_moment"),
    [
        ("at", True),
        ("created_at", True),
        ("due", True),
        ("away_until", True),
        ("as_of", True),
        ("format", False),
        ("flat", False),
        ("at_once", False),
        ("residue", False),
        ("ttl_s", False),
    ],
)
def test_only_columns_that_hold_moments_are_shown_as_dates(name: str, is_a_moment: bool) -> None:
    assert stored(3600, name) == ("2030-01-01T01:00:00Z" if is_a_moment else "3600")
    assert stored(None, name) == "–"
    assert stored(True, name) == "yes"


class Texts(HTMLParser):
    """The text of a page, and its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.elements = "", list[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=50)
@given(st.text(alphabet="ab<>&'\"` \n", max_size=30))
def test_code_marks_what_is_between_backticks_and_keeps_the_text(prose: str) -> None:
    shown = Texts(str(code(prose)))

    assert set(shown.elements) <= {"code"}
    assert shown.text.replace("`", "") == prose.replace("`", "")
