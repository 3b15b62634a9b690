"""The suspects and the notices about them: what the documents say is what the refreshed values were made with."""

import re
from collections import Counter
from typing import Any

import pytest

from companyos.sdk.simtime import from_iso, to_iso
from scenarios.data_quality_audit.estate import FIRST, SECOND, THIRD
from scenarios.packs.analytics import Feed, names

from .drawings import SEEDS, Drawing, drawing

SOME = SEEDS[:12]
NAMED = (FIRST, SECOND, THIRD)
Row = dict[str, Any]


def notices(drawn: Drawing, feed: Feed, status: str = "in_force") -> list[Row]:
    """Return the notices about a feed with this status."""
    return [one for one in drawn.about("notice", feed.record["id"]) if one["status"] == status]


def amount(notice: Row) -> float:
    """Return what the ledger holds on top of a feed by a notice."""
    [(verb, size)] = re.findall(r"the ledger (holds|lacks) ([\d,.]+) euros", notice["body"])
    return float(size.replace(",", "")) * (1 if verb == "holds" else -1)


def calendar(drawn: Drawing, status: str) -> str:
    """Return the day of the close by the calendar with this status."""
    title = f"Close of the ledger: {drawn.facts.area.name}"
    [found] = [one for one in drawn.rows("documents", title=title) if one["status"] == status]
    return str(re.findall(r"\d{4}-\d\d-\d\d", found["body"])[0])


def today(drawn: Drawing) -> str:
    return to_iso(drawn.company.start)[:10]


def applies(drawn: Drawing, notice: Row, status: str = "in_force") -> bool:
    """Return whether a notice applies today by the calendar with this status."""
    first, *last = re.findall(r"\d{4}-\d\d-\d\d", notice["body"])
    return bool(first <= today(drawn) <= (*last, calendar(drawn, status))[0])


def history(drawn: Drawing, feed: Feed) -> list[float]:
    changes = sorted(drawn.rows("changes", object_id=feed.metric["id"]), key=lambda row: int(row["at"]))
    return [float(row["after"]["value"]) for row in changes]


@pytest.mark.parametrize("seed", SEEDS)
def test_exactly_the_suspects_repeat_their_value(seed: int) -> None:
    drawn = drawing(seed)

    for feed in drawn.facts.feeds:
        *_, before, last = history(drawn, feed)
        assert (before == last) is (feed in drawn.facts.suspects.values())
        assert last == feed.metric["value"]


@pytest.mark.parametrize("seed", SOME)
def test_two_suspects_have_a_control_total_and_the_third_a_dataset(seed: int) -> None:
    suspects = drawing(seed).facts.suspects

    checked = {name: (feed.control is not None, feed.dataset is not None) for name, feed in suspects.items()}

    assert checked == {FIRST: (True, False), SECOND: (True, False), THIRD: (False, True)}
    assert suspects[THIRD].record["fields"]["checked_by"] == "dataset"


def test_suspects_come_in_every_order() -> None:
    orders = set()

    for seed in SEEDS:
        ids = {feed.record["id"]: name for name, feed in drawing(seed).facts.suspects.items()}
        orders.add(tuple(ids[one] for one in sorted(ids)))

    assert len(orders) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_each_suspect_has_one_notice_in_force(seed: int) -> None:
    drawn = drawing(seed)

    for name, feed in drawn.facts.suspects.items():
        [notice] = notices(drawn, feed)
        kind = "Rows that count" if name == THIRD else "Ledger item"
        assert notice["title"] == f"{kind}: {feed.record['name']}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_refreshed_control_total_holds_the_item_of_its_notice_only_while_it_applies(seed: int) -> None:
    drawn = drawing(seed)
    limit = float(re.findall(r"more than ([\d.]+) percent", drawn.facts.rules["body"])[0]) / 100

    for name in (FIRST, SECOND):
        feed = drawn.facts.suspects[name]
        [notice] = notices(drawn, feed)
        assert feed.control is not None
        item = amount(notice) if applies(drawn, notice) else 0.0
        right = drawn.fresh(feed.control["id"]) - item
        assert (abs(feed.metric["value"] - right) > limit * right) is (name in drawn.facts.failed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_notice_of_one_feed_ends_with_the_close_and_the_calendar_before_decides_otherwise(
    seed: int,
) -> None:
    drawn = drawing(seed)
    ledger = [notices(drawn, drawn.facts.suspects[name])[0] for name in (FIRST, SECOND)]

    [closing] = [one for one in ledger if "to the close of the ledger" in one["body"]]

    assert applies(drawn, closing) is not applies(drawn, closing, "superseded")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_close_was_moved_by_some_days_from_one_side_of_today_to_the_other(seed: int) -> None:
    drawn = drawing(seed)

    before, here = (from_iso(f"{calendar(drawn, one)}T00:00:00Z") for one in ("superseded", "in_force"))

    now = from_iso(f"{today(drawn)}T00:00:00Z")
    assert (before < now) is (here >= now)
    assert 4 * 86_400 <= abs(before - now) <= 12 * 86_400


def test_either_feed_ends_with_the_close_and_its_notice_applies_or_not() -> None:
    seen = Counter[tuple[str, bool]]()

    for seed in SEEDS[::2]:
        drawn = drawing(seed)
        for name in (FIRST, SECOND):
            [notice] = notices(drawn, drawn.facts.suspects[name])
            if "to the close" in notice["body"]:
                seen[name, applies(drawn, notice)] += 1

    assert len(seen) == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_the_edition_before_a_notice_says_another_amount_and_was_written_earlier(seed: int) -> None:
    drawn = drawing(seed)

    for name in (FIRST, SECOND):
        feed = drawn.facts.suspects[name]
        [here], superseded = notices(drawn, feed), notices(drawn, feed, "superseded")
        assert len(superseded) <= 1
        assert here["supersedes"] == (superseded[0]["id"] if superseded else None)
        for before in superseded:
            assert 0.29 < amount(before) / amount(here) < 0.71
            assert before["written_at"] <= here["written_at"] < drawn.company.start


def test_about_half_of_the_ledger_notices_were_corrected() -> None:
    corrected = Counter[bool]()

    for seed in SEEDS[::2]:
        drawn = drawing(seed)
        corrected.update(
            bool(notices(drawn, drawn.facts.suspects[name], "superseded")) for name in (FIRST, SECOND)
        )

    assert min(corrected[True], corrected[False]) >= 8


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rows_that_count_today_say_whether_the_third_has_failed(seed: int) -> None:
    drawn = drawing(seed)
    feed = drawn.facts.suspects[THIRD]
    assert feed.dataset is not None
    limit = float(re.findall(r"more than ([\d.]+) percent", drawn.facts.rules["body"])[0]) / 100
    [notice] = notices(drawn, feed)

    states = {"booked", *(re.findall(r"the state `(\w+)`", notice["body"]) if applies(drawn, notice) else ())}
    rows = [row["values"] for row in drawn.rows("dataset_rows", dataset_id=feed.dataset["id"])]
    right = sum(row["amount"] for row in rows if row["state"] in states)

    assert (abs(feed.metric["value"] - right) > limit * right) is (THIRD in drawn.facts.failed)


@pytest.mark.parametrize("seed", SOME)
def test_every_row_has_a_known_state_and_a_positive_amount(seed: int) -> None:
    drawn = drawing(seed)
    dataset = drawn.facts.suspects[THIRD].dataset
    assert dataset is not None

    rows = [row["values"] for row in drawn.rows("dataset_rows", dataset_id=dataset["id"])]

    assert {row["state"] for row in rows} == {*names.STATES}
    assert all(row["amount"] > 0 for row in rows)
    assert len({row["number"] for row in rows}) == len(rows) == dataset["row_count"]


def test_an_old_control_total_agrees_or_differs_whether_its_feed_has_failed_or_not() -> None:
    seen = Counter[tuple[bool, bool]]()

    for seed in SEEDS:
        drawn = drawing(seed)
        limit = float(re.findall(r"more than ([\d.]+) percent", drawn.facts.rules["body"])[0]) / 100
        for name in (FIRST, SECOND):
            feed = drawn.facts.suspects[name]
            assert feed.control is not None
            old = feed.control["value"]
            seen[name in drawn.facts.failed, abs(feed.metric["value"] - old) > limit * old] += 1

    assert len(seen) == 4
    assert min(seen.values()) >= 5


@pytest.mark.parametrize("seed", SOME)
def test_control_totals_are_stale_at_the_start(seed: int) -> None:
    drawn = drawing(seed)

    for feed in drawn.facts.feeds:
        if feed.control is not None:
            assert feed.control["as_of"] + feed.control["ttl_s"] < drawn.company.start
    for name in (FIRST, SECOND):
        control = drawn.facts.suspects[name].control
        assert control is not None
        assert control["as_of"] < drawn.facts.suspects[name].metric["as_of"]
