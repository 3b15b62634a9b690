"""An area of reporting: totals, checks, rows and notices that say exactly what they are told to."""

from functools import cache
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import Cast, Company, Person, Row, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, to_iso
from scenarios.packs import analytics, office
from scenarios.packs.analytics.estate import FEED
from scenarios.packs.analytics.notices import (
    Days,
    add_calendar,
    add_count_notice,
    add_ledger_notice,
    draw_days,
)
from scenarios.packs.analytics.stories import audit_of_the_past, other_area

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
@pytest.mark.parametrize("seed", range(5))
def test_a_feed_repeats_its_last_value_only_if_told_to(seed: int, repeats: bool) -> None:
    own, built, _ = area(seed)

    feed = own.feed(repeats=repeats)

    values = past_values(built, feed.metric)
    assert (values[-1] == values[-2]) is repeats
    assert values[-1] == feed.metric["value"]
    assert feed.metric["version"] == len(values)
    assert 5 <= len(values) <= 8


@pytest.mark.parametrize("before", [1.0, 0.4])
def test_earlier_values_are_of_the_size_given(before: float) -> None:
    own, built, _ = area()

    feed = own.feed(before=before)

    *earlier, now = past_values(built, feed.metric)
    assert all(0.91 * before * now <= one <= 1.09 * before * now for one in earlier)


@pytest.mark.parametrize(("check", "checked_by"), [("", "control total"), ("dataset", "dataset")])
def test_a_feed_says_what_checks_it(check: str, checked_by: str) -> None:
    own, *_ = area()

    record = own.feed(check=check).record

    assert record["fields"]["checked_by"] == checked_by
    assert record["fields"]["area"] == "Repairs North"
    assert record["name"].endswith(", Repairs North")


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


@pytest.mark.parametrize("off", [0.0, 0.001, 0.009, 0.05, 0.2, -0.05])
@pytest.mark.parametrize("seed", range(3))
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


@pytest.mark.parametrize("seed", range(4))
def test_every_amount_of_a_dataset_is_positive_and_in_whole_cents(seed: int) -> None:
    own, built, _ = area(seed)

    own.with_dataset(own.feed(), off=0.12)

    rows = [row["values"] for row in built.rows["datahub"]["dataset_rows"]]
    assert all(row["amount"] > 0 and round(row["amount"], 2) == row["amount"] for row in rows)
    assert len({row["number"] for row in rows}) == len(rows)
    assert 22 <= len(rows) <= 38


def test_marts_and_dashboards_add_up_what_they_are_computed_from() -> None:
    own, *_ = area()
    first, second = own.feed(), own.feed()

    mart = own.mart(first.metric, second.metric)
    board = own.board(mart, second.metric, use="statutory", status="inactive")

    assert mart["value"] == round(first.metric["value"] + second.metric["value"], 2)
    assert mart["upstream"] == sorted([first.metric["id"], second.metric["id"]])
    assert board.metric["value"] == round(mart["value"] + second.metric["value"], 2)
    assert (board.record["fields"]["use"], board.record["status"]) == ("statutory", "inactive")


def test_objects_of_an_area_are_named_apart_until_the_names_run_out() -> None:
    own, *_ = area()

    names = [own.feed().record["name"] for _ in analytics.names.FEEDS]

    assert len(set(names)) == len(names)
    with pytest.raises(StopIteration):
        own.feed()


def test_spending_rests_on_the_dashboard_and_is_not_decided_for_days() -> None:
    own, built, cast = area()
    board = own.board(own.feed().metric)

    request = own.spending(board, cast.offices["commercial_director"], cast.checker)

    ticket = built.row("ticketdesk", "tickets", request["ticket_id"])
    assert request["evidence"]["metric_id"] == board.metric["id"]
    assert request["evidence"]["metric_value"] == board.metric["value"]
    assert START + 3 * DAY <= request["decision_due"] <= START + 8 * DAY
    assert (ticket["subject"], ticket["status"], ticket["verified_by"]) == (
        board.record["id"],
        "verified",
        cast.checker.id,
    )
    assert request["requester"] == ticket["reporter"] != cast.checker.id


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_a_notice_applies_today_or_is_over_or_yet_to_come(seed: int, applies: bool, to_close: bool) -> None:
    days = draw_days(Draws("salt", seed), "notice", applies=applies, to_close=to_close)

    assert (days.first <= 0 <= days.last) is applies
    assert days.first < days.last
    assert days.to_close is (to_close and days.first < 0)
    assert not to_close or days.first < 0


def test_a_notice_that_does_not_apply_is_over_or_yet_to_come_by_the_draw() -> None:
    drawn = [draw_days(Draws("salt", seed), "notice", applies=False) for seed in range(60)]

    assert {days.last < 0 for days in drawn} == {True, False}
    assert all(days.last < 0 for days in drawn if days.first < 0)


@cache
def noticed() -> tuple[Company, Person, analytics.Feed]:
    own, built, cast = area()
    return built, cast.author, own.feed()


def date(day: int) -> str:
    return to_iso(START + day * DAY)[:10]


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


@pytest.mark.parametrize(
    ("first", "age_days"), [(-10, 12), (0, 2), (5, 2)], ids=["begun", "today", "to come"]
)
def test_a_notice_is_written_before_it_begins_and_before_today(first: int, age_days: int) -> None:
    built, author, feed = noticed()

    notice = add_count_notice(built, author, feed, Days(first, first + 9), "open")

    assert START - notice["written_at"] == age_days * DAY


def test_the_calendar_in_force_dates_the_close_and_its_earlier_edition_another_day() -> None:
    built, author, _ = noticed()

    calendar = add_calendar(built, author, "Repairs North", close=6, before=-1)

    earlier = built.row("datahub", "documents", calendar["supersedes"])
    assert f"closed on {date(6)}" in calendar["body"]
    assert f"closed on {date(-1)}" in earlier["body"]
    assert (calendar["status"], earlier["status"]) == ("in_force", "superseded")
    assert calendar["version"] == earlier["version"] + 1


@pytest.mark.parametrize("seed", range(6))
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


def test_a_company_with_all_areas_gets_no_other_one() -> None:
    built, cast = staffed()
    for number, name in enumerate(analytics.names.AREAS):
        built.add_record(f"FEED-{number}", FEED, name, {"area": name}, "active")
    before = built.count()

    other_area(built, cast, 0)

    assert built.count() == before


def test_a_past_audit_is_closed_with_what_was_found() -> None:
    built, cast = staffed()

    audit_of_the_past(built, cast, 0)

    [ticket] = built.rows["ticketdesk"]["tickets"]
    assert (ticket["kind"], ticket["status"]) == (analytics.AUDIT, "closed")
    assert ticket["resolution"] in analytics.names.ENDS
    assert ticket["assignee"] == cast.offices["head_of_reporting"].id
    assert "{" not in ticket["description"]
