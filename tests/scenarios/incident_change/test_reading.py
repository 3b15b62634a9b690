"""What the team's documents mean: severities, windows, freezes, and the phone of the day."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.documents import Template
from companyos.sdk.simtime import from_iso
from scenarios.incident_change import texts
from scenarios.incident_change.calendar import WEEKDAYS, Freeze, Windows
from scenarios.incident_change.reading import (
    read_freeze,
    read_handover,
    read_roster,
    read_rules,
)


def handling(
    high: float = 10.0, low: float = 3.0, days: tuple[str, str] = ("Tuesday", "Friday"), hour: int = 20
) -> str:
    """Return the rules for incidents with these values."""
    return texts.write_handling(high, low, days, hour)


def notice(*areas: str, exempt: str | None = None) -> str:
    """Return the notice of a freeze in the first days of June."""
    span = {"starts": "2031-06-01 18:00", "ends": "2031-06-05 06:00"}
    excepts = exempt is not None
    return texts.FREEZE.write(campaign="summer sale", areas=areas, excepts=excepts, exempt=exempt, **span)


def roster(*weeks: tuple[str, str, str, str]) -> str:
    keys = ("first", "last", "name", "id")
    return texts.ROSTER.write(weeks=[dict(zip(keys, week, strict=True)) for week in weeks])


def handover(text: Template = texts.HANDOVER, first: str = "2031-06-03", last: str = "2031-06-05") -> str:
    """Return a mail about the phone, which Bo Roy has if it is handed over."""
    name, id_ = ("Ann Lee", "ann.lee") if text is texts.TAKEN_BACK else ("Bo Roy", "bo.roy")
    return text.write(first=first, last=last, name=name, id=id_, of="Ann Lee (ann.lee)")


WEEKS = (
    ("2031-05-26", "2031-06-01", "Ann Lee", "ann.lee"),
    ("2031-06-02", "2031-06-08", "Bo Roy", "bo.roy"),
    ("2031-06-09", "2031-06-15", "Ann Lee", "ann.lee"),
)


@pytest.mark.parametrize(
    ("rate", "core", "standard", "internal"),
    [
        (0.0, 3, 4, 4),
        (2.9, 3, 4, 4),
        (3.0, 2, 3, 4),
        (3.1, 2, 3, 4),
        (9.9, 2, 3, 4),
        (10.0, 1, 2, 3),
        (10.1, 1, 2, 3),
        (100.0, 1, 2, 3),
    ],
)
def test_severity_is_that_of_the_highest_band_that_the_rate_reaches(
    rate: float, core: int, standard: int, internal: int
) -> None:
    rules = read_rules(handling(high=10.0, low=3.0))

    found = [rules.severity(tier, rate) for tier in ("core", "standard", "internal")]

    assert found == [core, standard, internal]


@given(
    low=st.integers(1, 49), above=st.integers(1, 50), rates=st.tuples(st.floats(0, 100), st.floats(0, 100))
)
def test_a_higher_rate_is_never_less_severe(low: int, above: int, rates: tuple[float, float]) -> None:
    rules = read_rules(handling(high=float(low + above), low=float(low)))
    less, more = sorted(rates)

    for tier in ("core", "standard", "internal"):
        assert rules.severity(tier, more) <= rules.severity(tier, less)


def test_a_threshold_with_a_fraction_is_read_in_full() -> None:
    rules = read_rules(handling(high=10.5))

    assert [rules.severity("core", rate) for rate in (10.4, 10.5)] == [2, 1]


def test_an_unknown_tier_has_no_severity() -> None:
    rules = read_rules(handling())

    with pytest.raises(KeyError, match="gold"):
        rules.severity("gold", 12.0)


@given(days=st.lists(st.sampled_from(WEEKDAYS), min_size=2, max_size=2, unique=True), hour=st.integers(0, 23))
def test_the_windows_are_read_as_they_are_written(days: list[str], hour: int) -> None:
    rules = read_rules(handling(days=(days[0], days[1]), hour=hour))

    assert rules.windows == Windows((WEEKDAYS.index(days[0]), WEEKDAYS.index(days[1])), hour)


def test_a_freeze_is_read_as_it_is_written() -> None:
    assert read_freeze(notice("Catalog", "Payments")) == Freeze(
        from_iso("2031-06-01T18:00:00Z"),
        from_iso("2031-06-05T06:00:00Z"),
        frozenset({"Catalog", "Payments"}),
    )


def test_a_freeze_of_a_single_area_covers_that_area_alone() -> None:
    assert read_freeze(notice("Catalog")).areas == {"Catalog"}


def test_a_freeze_with_an_exception_names_the_area_of_the_exception() -> None:
    read = read_freeze(notice("Catalog", "Payments", exempt="Payments"))

    assert read.exempt == "Payments"
    assert read.areas == {"Catalog", "Payments"}


@pytest.mark.parametrize(
    ("today", "person"),
    [
        ("2031-06-01", "ann.lee"),
        ("2031-06-02", "bo.roy"),
        ("2031-06-05", "bo.roy"),
        ("2031-06-08", "bo.roy"),
        ("2031-06-09", "ann.lee"),
    ],
    ids=["the Sunday before", "Monday", "in the week", "Sunday", "the Monday after"],
)
def test_a_roster_names_the_person_of_the_week_from_monday_to_sunday(today: str, person: str) -> None:
    assert read_roster(roster(*WEEKS), today) == person


@pytest.mark.parametrize("today", ["2031-05-25", "2031-06-16"], ids=["before it", "after it"])
def test_a_roster_names_nobody_outside_its_weeks(today: str) -> None:
    with pytest.raises(StopIteration):
        read_roster(roster(*WEEKS), today)


@pytest.mark.parametrize("text", [texts.HANDOVER, texts.TAKEN_BACK], ids=["given", "taken back"])
@pytest.mark.parametrize(
    ("today", "is_told"),
    [
        ("2031-06-02", False),
        ("2031-06-03", True),
        ("2031-06-05", True),
        ("2031-06-06", False),
    ],
    ids=["the day before", "its first day", "its last day", "the day after"],
)
def test_a_mail_about_the_phone_counts_from_its_first_to_its_last_day(
    text: Template, today: str, is_told: bool
) -> None:
    assert (read_handover(handover(text), today) is not None) is is_told


@pytest.mark.parametrize(
    ("text", "person"),
    [(texts.HANDOVER, "bo.roy"), (texts.TAKEN_BACK, "ann.lee")],
    ids=["given", "taken back"],
)
def test_the_phone_is_with_the_receiver_until_it_is_taken_back(text: Template, person: str) -> None:
    assert read_handover(handover(text), "2031-06-04") == person


def test_a_handover_of_one_day_counts_on_that_day() -> None:
    body = handover(first="2031-06-04", last="2031-06-04")

    told = [read_handover(body, f"2031-06-0{day}") for day in (3, 4, 5)]

    assert told == [None, "bo.roy", None]
