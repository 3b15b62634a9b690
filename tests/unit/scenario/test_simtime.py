"""Simulated time: seconds, and the ISO form that people read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso


def test_time_begins_with_the_year_2030():
    assert to_iso(0) == "2030-01-01T00:00:00Z"
    assert to_iso(DAY + HOUR) == "2030-01-02T01:00:00Z"


@given(st.integers(-(10**9), 10**9))
def test_an_instant_survives_its_iso_form(seconds):
    assert from_iso(to_iso(seconds)) == seconds


def test_an_offset_is_taken_into_account_and_its_absence_means_utc():
    assert from_iso("2030-01-01T02:00:00+02:00") == 0
    assert from_iso("2030-01-01T00:00:01") == 1


def test_what_is_no_instant_is_refused():
    with pytest.raises(ValueError, match="tomorrow"):
        from_iso("tomorrow")
