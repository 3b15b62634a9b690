"""Drawn audits: the feeds, dashboards, notices and documents, read without the scenario's own rules."""

import re
from typing import Any

from companyos.sdk.simtime import to_date
from scenarios.data_quality_audit.estate import FIRST, SECOND, THIRD
from scenarios.packs.analytics import Feed

from .audits import Drawing, Row, drawing, drawings

DATES = r"\d{4}-\d\d-\d\d"


def tolerance(body: Any) -> float:
    """Return the tolerance of an edition of the rules, as a share."""
    return float(re.findall(r"more than ([\d.]+) percent", str(body))[0]) / 100


def is_off(drawn: Drawing, value: float, right: float) -> bool:
    return abs(value - right) > tolerance(drawn.facts.rules["body"]) * right


def ledger_item(notice: Row) -> float:
    """Return what the ledger holds on top of a feed by a notice."""
    [(verb, size)] = re.findall(r"the ledger (holds|lacks) ([\d,.]+) euros", notice["body"])
    return float(size.replace(",", "")) * (1 if verb == "holds" else -1)


def notice_about(drawn: Drawing, feed: Feed) -> Row:
    notices = drawn.rows("documents", kind="notice", status="in_force")
    [notice] = [row for row in notices if feed.record["id"] in row["links"]]
    return notice


def applies(drawn: Drawing, notice: Row) -> bool:
    """Return whether a notice applies today, by its own days and the area's calendar in force."""
    title = f"Close of the ledger: {drawn.facts.area.name}"
    [calendar] = drawn.rows("documents", title=title, status="in_force")
    first, *last = re.findall(DATES, notice["body"])
    until = (*last, re.findall(DATES, calendar["body"])[0])[0]
    return bool(first <= to_date(drawn.company.start) <= until)


def right_value(drawn: Drawing, feed: Feed) -> float:
    """Return what a suspect's total is compared with today: a control total without its item, or rows that count."""
    notice = notice_about(drawn, feed)
    if feed.control is not None:
        return drawn.fresh(feed.control["id"]) - (ledger_item(notice) if applies(drawn, notice) else 0.0)
    assert feed.dataset is not None
    others = re.findall(r"the state `(\w+)`", notice["body"]) if applies(drawn, notice) else ()
    rows = [row["values"] for row in drawn.rows("dataset_rows", dataset_id=feed.dataset["id"])]
    return float(sum(row["amount"] for row in rows if row["state"] in {"booked", *others}))


def upstream(drawn: Drawing, metric_id: str) -> set[str]:
    """Return every metric that one is computed from, directly or through others."""
    [metric] = drawn.rows("metrics", id=metric_id)
    return set(metric["upstream"]).union(*(upstream(drawn, one) for one in metric["upstream"]))


def test_exactly_the_suspects_repeat_their_value_and_those_have_failed_that_are_off_today() -> None:
    for drawn in drawings():
        facts = drawn.facts
        for feed in facts.feeds:
            *_, before, last = drawn.history(feed)
            assert (before == last) is (feed in facts.suspects.values())
            assert last == feed.metric["value"]
        for name, feed in facts.suspects.items():
            assert is_off(drawn, feed.metric["value"], right_value(drawn, feed)) is (name in facts.failed)
            kind = "Rows that count" if name == THIRD else "Ledger item"
            assert notice_about(drawn, feed)["title"] == f"{kind}: {feed.record['name']}"
        assert facts.failed_feeds == sorted(facts.suspects[name].record["id"] for name in facts.failed)


def test_a_dashboard_rests_on_one_suspect_or_none() -> None:
    for drawn in drawings():
        totals = {name: feed.metric["id"] for name, feed in drawn.facts.suspects.items()}
        for one in drawn.facts.boards:
            above = upstream(drawn, one.board.metric["id"])
            assert {name for name, total in totals.items() if total in above} == {one.suspect} - {None}


def test_active_dashboards_on_failed_feeds_are_quarantined_and_their_requests_lost() -> None:
    for facts in (drawn.facts for drawn in drawings()):
        on_failed = [one for one in facts.boards if one.is_active and one.suspect in facts.failed]
        totals = {one.board.metric["id"] for one in on_failed}
        assert {*facts.wanted} == (totals if facts.missing is None else {facts.earlier} - {None})
        assert facts.new == facts.wanted - {facts.earlier}
        assert facts.voided == [one for one in facts.requests if one["evidence"]["metric_id"] in facts.new]


def test_a_pair_differs_in_the_first_two_and_at_most_one_of_it_lacks_a_release() -> None:
    for even in range(0, 32, 2):
        one, other = (drawing(seed).facts for seed in (even, even + 1))
        assert one.failed - {THIRD} != other.failed - {THIRD}
        assert (THIRD in one.failed) == (THIRD in other.failed)
        assert {FIRST, SECOND, THIRD} not in (one.failed, other.failed)
        assert one.missing is None or other.missing is None
