"""An area of reporting: totals, checks, rows and notices that say exactly what they are told to."""

from functools import cache
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import Cast, Company, Person, Row, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, to_date
from scenarios.packs import analytics, office
from scenarios.packs.analytics.estate import FEED
from scenarios.packs.analytics.notices import (
    Days,
    add_calendar,
    add_count_notice,
    add_ledger_notice,
    draw_days,
)
from scenarios.packs.analytics.stories import other_area

from ..company.building import START, company


def staffed(seed: int = 0) -> tuple[Company, Cast]:
    built = company(seed, packs=(office.PACK, analytics.PACK))
    return built, hire_cast(built, persona_role="data_steward", team="Data", original=False)


def area(seed: int = 0) -> tuple[analytics.Area, Company, Cast]:
    built, cast = staffed(seed)
    return analytics.Area(built, "Repairs North", cast.author, built.numbers.reserve), built, cast


def past_values(built: Company, metric: Row) -> list[float]:
    """Return the values of a metric, the present one last."""
    changes = built.rows["datahub"]["changes"]
    return [row["after"]["value"] for row in changes if row["object_id"] == metric["id"]]


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_a_feed_repeats_its_last_value_only_if_told_to(seed: int, repeats: bool) -> None:
    own, built, _ = area(seed)

    feed = own.feed(repeats=repeats)

    values = past_values(built, feed.metric)
    assert (values[-1] == values[-2]) is repeats
    assert values[-1] == feed.metric["value"]
    assert feed.metric["version"] == len(values)
    assert 5 <= len(values) <= 8


@pytest.mark.parametrize("item", [0.0, 1234.56, -999.99])
@pytest.mark.parametrize(("shown_off", "truly_off"), [(0.0, 0.0), (0.08, 0.012), (-0.01, -0.2)])
def test_a_feed_differs_from_its_control_total_by_the_share_given(
    shown_off: float, truly_off: float, item: float
) -> None:
    own, built, _ = area()

    feed = own.with_control(own.feed(), shown_off=shown_off, truly_off=truly_off, item=item)

    assert feed.control is not None
    value, shown = feed.metric["value"], feed.control["value"]
    [fresh] = built.source(feed.control["id"])["values"]
    assert isclose((value - shown) / shown, shown_off, abs_tol=1e-6)
    assert isclose((value - (fresh - item)) / (fresh - item), truly_off, abs_tol=1e-6)
    assert feed.control["as_of"] < feed.metric["as_of"]
    assert feed.control["as_of"] + feed.control["ttl_s"] < START


def sums(built: Company, feed: analytics.Feed) -> dict[str, float]:
    """Return the sum of the amounts in each state of a feed's dataset."""
    found: dict[str, int] = {}
    for row in built.rows["datahub"]["dataset_rows"]:
        values = row["values"]
        found[values["state"]] = found.get(values["state"], 0) + round(values["amount"] * 100)
    return {state: cents / 100 for state, cents in found.items()}


@pytest.mark.parametrize("off", [0.0, 0.009, 0.2, -0.05])
@pytest.mark.parametrize("seed", range(2))
def test_a_feed_differs_from_its_booked_rows_by_the_share_given(seed: int, off: float) -> None:
    own, built, _ = area(seed)

    feed = own.with_dataset(own.feed(check="dataset"), off=off)

    booked = sums(built, feed)["booked"]
    assert isclose((feed.metric["value"] - booked) / booked, off, abs_tol=1e-6)
    assert set(sums(built, feed)) == {"booked", "cancelled", "open"}


@pytest.mark.parametrize(("off", "tempting"), [(0.05, True), (0.2, True), (0.009, False), (-0.05, False)])
def test_all_rows_together_explain_a_total_that_is_too_high(off: float, tempting: bool) -> None:
    own, built, _ = area()

    feed = own.with_dataset(own.feed(), off=off)

    everything = round(sum(sums(built, feed).values()), 2)
    assert (everything == feed.metric["value"]) is tempting


@pytest.mark.parametrize("state", ["cancelled", "open"])
def test_rows_that_count_for_some_days_explain_the_total_up_to_the_share_given(state: str) -> None:
    own, built, _ = area()

    feed = own.with_dataset(own.feed(), off=0.12, counted=state, counted_off=0.004)

    by_state = sums(built, feed)
    counted = by_state["booked"] + by_state[state]
    assert isclose((feed.metric["value"] - counted) / counted, 0.004, abs_tol=1e-6)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_a_notice_applies_today_or_is_over_or_yet_to_come(seed: int, applies: bool, to_close: bool) -> None:
    days = draw_days(Draws("salt", seed), "notice", applies=applies, to_close=to_close)

    assert (days.first <= 0 <= days.last) is applies
    assert days.first < days.last
    assert days.to_close is (to_close and days.first < 0)
    assert not to_close or days.first < 0


@cache
def noticed() -> tuple[Company, Person, analytics.Feed]:
    own, built, cast = area()
    return built, cast.author, own.feed()


def date(day: int) -> str:
    return to_date(START + day * DAY)


@pytest.mark.parametrize(
    ("amount", "worded"),
    [(1234.5, "the ledger holds 1,234.50 euros"), (-1234.5, "the ledger lacks 1,234.50 euros")],
)
def test_a_ledger_notice_says_what_the_ledger_holds_or_lacks(amount: float, worded: str) -> None:
    built, author, feed = noticed()

    notice = add_ledger_notice(built, author, feed, Days(-3, 4), amount, "a bonus for the season")

    assert worded in notice["body"]
    assert f"From {date(-3)} to {date(4)}" in notice["body"]
    assert feed.record["id"] in notice["body"]
    assert notice["links"] == [feed.record["id"]]


def test_a_notice_that_ends_with_the_close_of_the_ledger_gives_no_last_day() -> None:
    built, author, feed = noticed()

    notice = add_count_notice(built, author, feed, Days(-3, 4, to_close=True), "open")

    assert f"From {date(-3)} to the close of the ledger" in notice["body"]
    assert date(4) not in notice["body"]
    assert "`open`" in notice["body"]


def test_the_calendar_in_force_dates_the_close_and_its_earlier_edition_another_day() -> None:
    built, author, _ = noticed()

    calendar = add_calendar(built, author, "Repairs North", close=6, before=-1)

    earlier = built.row("datahub", "documents", calendar["supersedes"])
    assert f"closed on {date(6)}" in calendar["body"]
    assert f"closed on {date(-1)}" in earlier["body"]
    assert (calendar["status"], earlier["status"]) == ("in_force", "superseded")
    assert calendar["version"] == earlier["version"] + 1


@pytest.mark.parametrize("seed", range(3))
def test_another_area_is_sound(seed: int) -> None:
    built, cast = staffed(seed)

    other_area(built, cast, 0)

    metrics = {row["id"]: row for row in built.rows["datahub"]["metrics"]}
    feeds = [row for row in built.rows["datahub"]["records"] if row["kind"] == FEED]
    repeating = [
        values[-1] == values[-2]
        for values in (past_values(built, one) for one in metrics.values() if one["name"] == "feed_total")
    ]
    assert len(feeds) == 3
    assert sorted(repeating) == [False, False, True]
    assert [row["kind"] for row in built.rows["datahub"]["documents"]].count("notice") in (1, 2)
    assert built.rows["datahub"]["quarantines"] == []
