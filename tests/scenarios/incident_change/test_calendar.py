"""Freezes and maintenance windows, to the second, and the days of the week."""

from datetime import date as real_date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso
from scenarios.incident_change.calendar import WEEKDAYS, Freeze, Windows, date, monday, weekday

#: 2031-06-04 is a Wednesday.
WEDNESDAY = from_iso("2031-06-04T00:00:00Z")
TUESDAYS_AND_FRIDAYS = Windows((1, 4), 20)
DAYS = st.integers(0, 4000)


def freeze(starts: str, ends: str, *areas: str) -> Freeze:
    return Freeze(from_iso(starts), from_iso(ends), frozenset(areas))


@pytest.mark.parametrize(
    ("instant", "is_covered"),
    [
        ("2031-06-01T17:59:59Z", False),
        ("2031-06-01T18:00:00Z", True),
        ("2031-06-05T05:59:59Z", True),
        ("2031-06-05T06:00:00Z", False),
    ],
    ids=["a second before", "at its start", "in its last second", "at its end"],
)
def test_a_freeze_covers_its_first_second_and_not_its_last(instant: str, is_covered: bool) -> None:
    held = freeze("2031-06-01T18:00:00Z", "2031-06-05T06:00:00Z", "Payments")

    assert held.covers("Payments", from_iso(instant)) is is_covered


def test_a_freeze_covers_its_own_areas_and_no_other() -> None:
    held = freeze("2031-06-01T18:00:00Z", "2031-06-05T06:00:00Z", "Payments", "Catalog")

    covered = [area for area in ("Catalog", "Logistics", "Payments") if held.covers(area, WEDNESDAY)]

    assert covered == ["Catalog", "Payments"]


def test_an_exception_does_not_end_the_freeze_of_its_area() -> None:
    held = Freeze(WEDNESDAY - DAY, WEDNESDAY + DAY, frozenset({"Payments"}), exempt="Payments")

    assert held.covers("Payments", WEDNESDAY)


@pytest.mark.parametrize(
    ("now", "first"),
    [
        ("2031-06-04T09:00:00Z", "2031-06-06T20:00:00Z"),
        ("2031-06-05T23:59:59Z", "2031-06-06T20:00:00Z"),
        ("2031-06-06T00:00:00Z", "2031-06-10T20:00:00Z"),
        ("2031-06-06T20:00:00Z", "2031-06-10T20:00:00Z"),
        ("2031-06-09T19:59:59Z", "2031-06-10T20:00:00Z"),
    ],
    ids=["two days ahead", "the next day", "on the day itself", "while it is open", "across the weekend"],
)
def test_the_first_window_begins_tomorrow_or_later(now: str, first: str) -> None:
    window = TUESDAYS_AND_FRIDAYS.first(from_iso(now), "Payments", [])

    assert to_iso(window) == first


@pytest.mark.parametrize(
    ("starts", "ends", "first"),
    [
        ("2031-06-04T18:00:00Z", "2031-06-06T20:00:00Z", "2031-06-06T20:00:00Z"),
        ("2031-06-04T18:00:00Z", "2031-06-06T20:00:01Z", "2031-06-10T20:00:00Z"),
        ("2031-06-06T20:00:00Z", "2031-06-07T06:00:00Z", "2031-06-10T20:00:00Z"),
        ("2031-06-06T20:00:01Z", "2031-06-07T06:00:00Z", "2031-06-06T20:00:00Z"),
        ("2031-06-04T18:00:00Z", "2031-06-14T06:00:00Z", "2031-06-17T20:00:00Z"),
    ],
    ids=["ends with the window", "outlasts it", "begins with it", "begins after it", "holds three up"],
)
def test_a_window_in_a_freeze_is_passed_over(starts: str, ends: str, first: str) -> None:
    held = freeze(starts, ends, "Payments")

    assert to_iso(TUESDAYS_AND_FRIDAYS.first(WEDNESDAY, "Payments", [held])) == first


def test_a_freeze_of_another_area_holds_no_window_up() -> None:
    held = freeze("2031-06-01T18:00:00Z", "2031-08-01T06:00:00Z", "Catalog")

    window = TUESDAYS_AND_FRIDAYS.first(WEDNESDAY, "Payments", [held])

    assert to_iso(window) == "2031-06-06T20:00:00Z"


def test_any_one_of_several_freezes_holds_a_window_up() -> None:
    over = freeze("2031-05-01T18:00:00Z", "2031-05-20T06:00:00Z", "Payments")
    held = freeze("2031-06-05T18:00:00Z", "2031-06-08T06:00:00Z", "Payments")
    later = freeze("2031-06-10T18:00:00Z", "2031-06-11T06:00:00Z", "Payments")

    window = TUESDAYS_AND_FRIDAYS.first(WEDNESDAY, "Payments", [over, held, later])

    assert to_iso(window) == "2031-06-13T20:00:00Z"


@given(
    now=st.integers(0, 4000 * DAY),
    weekdays=st.lists(st.integers(0, 6), min_size=2, max_size=2, unique=True),
    hour=st.integers(0, 23),
    lasts=st.integers(1, 20),
)
def test_a_window_is_on_its_weekdays_at_its_hour_outside_the_freeze_and_none_is_earlier(
    now: int, weekdays: list[int], hour: int, lasts: int
) -> None:
    held = Freeze(now, now + lasts * DAY, frozenset({"Payments"}))
    windows = Windows((weekdays[0], weekdays[1]), hour)

    first = windows.first(now, "Payments", [held])

    earlier = range((now // DAY + 1) * DAY + hour * HOUR, first, DAY)
    assert weekday(first // DAY) in weekdays
    assert first % DAY == hour * HOUR
    assert not held.covers("Payments", first)
    assert all(weekday(at // DAY) not in weekdays or held.covers("Payments", at) for at in earlier)


@given(DAYS)
def test_days_of_the_week_are_those_of_the_calendar(day: int) -> None:
    shown = real_date.fromisoformat(date(day))

    assert weekday(day) == shown.weekday()
    assert WEEKDAYS[weekday(day)] == f"{shown:%A}"


@given(DAYS)
def test_the_monday_of_a_day_is_the_last_one_that_is_not_after_it(day: int) -> None:
    first = monday(day)

    assert weekday(first) == 0
    assert first <= day < first + 7
