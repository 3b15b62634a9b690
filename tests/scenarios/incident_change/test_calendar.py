"""Maintenance windows, severities and the phone of the day, as the team's documents mean them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.documents import Template
from companyos.sdk.simtime import DAY, from_iso, to_date, to_iso
from scenarios.incident_change import texts
from scenarios.incident_change.calendar import WEEKDAYS, Freeze, Windows, monday, weekday
from scenarios.incident_change.oracle import read_handover, read_roster, read_rules

TUESDAYS_AND_FRIDAYS = Windows((1, 4), 20)


def freeze(starts: str, ends: str, *areas: str) -> Freeze:
    return Freeze(from_iso(starts), from_iso(ends), frozenset(areas))


@pytest.mark.parametrize(
    ("now", "held", "first"),
    [
        ("2031-06-04T09:00:00Z", (), "2031-06-06T20:00:00Z"),
        ("2031-06-06T00:00:00Z", (), "2031-06-10T20:00:00Z"),
        ("2031-06-09T19:59:59Z", (), "2031-06-10T20:00:00Z"),
        ("2031-06-04T09:00:00Z", ("2031-06-04T18:00:00Z", "2031-06-06T20:00:00Z"), "2031-06-06T20:00:00Z"),
        ("2031-06-04T09:00:00Z", ("2031-06-04T18:00:00Z", "2031-06-06T20:00:01Z"), "2031-06-10T20:00:00Z"),
        ("2031-06-04T09:00:00Z", ("2031-06-06T20:00:00Z", "2031-06-07T06:00:00Z"), "2031-06-10T20:00:00Z"),
        ("2031-06-04T09:00:00Z", ("2031-06-06T20:00:01Z", "2031-06-07T06:00:00Z"), "2031-06-06T20:00:00Z"),
    ],
)
def test_the_first_window_begins_tomorrow_or_later_outside_freezes_of_the_area(
    now: str, held: tuple[str, str] | tuple[()], first: str
) -> None:
    freezes = [freeze("2031-06-01T18:00:00Z", "2031-08-01T06:00:00Z", "Catalog")]
    freezes += [freeze(*held, "Payments")] if held else []

    assert to_iso(TUESDAYS_AND_FRIDAYS.first(from_iso(now), "Payments", freezes)) == first


@given(st.integers(0, 4000))
def test_days_and_mondays_are_those_of_the_calendar(day: int) -> None:
    shown = date.fromisoformat(to_date(day * DAY))

    assert WEEKDAYS[weekday(day)] == f"{shown:%A}"
    assert weekday(monday(day)) == 0
    assert monday(day) <= day < monday(day) + 7


@pytest.mark.parametrize(
    ("rate", "severities"),
    [(2.9, [3, 4, 4]), (3.0, [2, 3, 4]), (10.4, [2, 3, 4]), (10.5, [1, 2, 3]), (100.0, [1, 2, 3])],
)
def test_severity_is_that_of_the_highest_band_that_the_rate_reaches(
    rate: float, severities: list[int]
) -> None:
    rules = read_rules(texts.write_handling(10.5, 3.0, ("Tuesday", "Friday"), 20))

    assert [rules.severity(tier, rate) for tier in ("core", "standard", "internal")] == severities
    assert rules.windows == TUESDAYS_AND_FRIDAYS


@pytest.mark.parametrize(
    ("today", "person"),
    [
        ("2031-06-01", "ann.lee"),
        ("2031-06-02", "bo.roy"),
        ("2031-06-08", "bo.roy"),
        ("2031-06-09", "ann.lee"),
    ],
)
def test_a_roster_names_the_person_of_the_week_from_monday_to_sunday(today: str, person: str) -> None:
    weeks = [("05-26", "06-01", "ann.lee"), ("06-02", "06-08", "bo.roy"), ("06-09", "06-15", "ann.lee")]
    fields = [{"first": f"2031-{a}", "last": f"2031-{b}", "name": "Somebody", "id": c} for a, b, c in weeks]

    assert read_roster(texts.ROSTER.write(weeks=fields), today) == person


@pytest.mark.parametrize(
    ("text", "holder"),
    [(texts.HANDOVER, "bo.roy"), (texts.TAKEN_BACK, "ann.lee")],
    ids=["given", "taken back"],
)
def test_a_mail_about_the_phone_counts_from_its_first_to_its_last_day(text: Template, holder: str) -> None:
    span = {"first": "2031-06-03", "last": "2031-06-05"}
    body = text.write(**span, name="Somebody", id=holder, of="Ann Lee (ann.lee)")

    assert [read_handover(body, f"2031-06-0{day}") for day in range(2, 7)] == [None, *[holder] * 3, None]
