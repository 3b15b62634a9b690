"""How numbers and names are written on pages."""

import pytest

from companyos.evaluation.pages import formats


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (formats.percent(None), "–"),
        (formats.percent(0.834), "83%"),
        (formats.signed(-0.1), "−0.10"),
        (formats.signed(15), "+15.00"),
        (formats.usd(None), "–"),
        (formats.usd(0), "$0.00"),
        (formats.usd(1234.5), "$1,234.50"),
        (formats.usd(0.00123), "$0.00123"),
        (formats.compact(12), "12"),
        (formats.compact(12_345), "12.3k"),
        (formats.compact(4_500_000), "4.5M"),
        (formats.span(0), "0 s"),
        (formats.span(72), "1 min 12 s"),
        (formats.span(120), "2 min"),
        (formats.span(7_500), "2 h 05 min"),
        (formats.span(100_000), "1 d 3 h"),
        (formats.words([]), ""),
        (formats.words(["a"]), "a"),
        (formats.words(["a", "b", 3]), "a, b and 3"),
        (formats.counted(1, "episode"), "1 episode"),
        (formats.counted(2000, "episode"), "2,000 episodes"),
        (formats.numbers([3, 0, 1, 2, 7, 9, 8]), "0–3, 7–9"),
        (formats.numbers([5]), "5"),
        (formats.plain(None), "–"),
        (formats.plain(True), "yes"),
        (formats.plain("as it is"), "as it is"),
        (formats.plain({"a": [1, "é"]}), '{"a": [1, "é"]}'),
    ],
)
def test_a_value_is_written_for_people(written: str, expected: str) -> None:
    assert written == expected
