"""Simulated time: seconds, and the ISO form that people read."""

import re
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import DAY, HOUR, from_iso, to_date, to_iso


def test_time_begins_with_the_year_2030():
    assert to_iso(0) == "2030-01-01T00:00:00Z"
    assert to_iso(DAY + HOUR) == "2030-01-02T01:00:00Z"


def test_a_date_lasts_until_midnight():
    assert [to_date(seconds) for seconds in (0, DAY - 1, DAY)] == ["2030-01-01", "2030-01-01", "2030-01-02"]


@given(st.integers(-(10**9), 10**9))
def test_an_instant_survives_its_iso_form(seconds):
    assert from_iso(to_iso(seconds)) == seconds


def test_an_offset_is_taken_into_account_and_its_absence_means_utc():
    assert from_iso("2030-01-01T02:00:00+02:00") == 0
    assert from_iso("2030-01-01T00:00:01") == 1


@pytest.mark.parametrize(
    "text",
    ["tomorrow", "", "2030-01-01T24:00:01Z", "0001-01-01T00:00:00+12:00", "9999-12-31T23:59:59-12:00"],
)
def test_a_text_that_is_no_instant_is_refused_with_the_form_to_use(text):
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not an instant; write it like 2030-03-04")):
        from_iso(text)


@given(st.datetimes(timezones=st.timezones() | st.just(timezone(timedelta(hours=-23)))), st.booleans())
def test_every_accepted_instant_can_be_written(instant, is_lower):
    text = instant.replace(microsecond=0).isoformat()
    try:
        seconds = from_iso(text.lower() if is_lower else text)
    except ValueError:
        seconds = 0

    assert from_iso(to_iso(seconds)) == seconds
