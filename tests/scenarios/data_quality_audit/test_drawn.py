"""Drawn audits: the feeds, dashboards, notices and documents, read without the scenario's own rules."""

import re
from collections import Counter
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso
from scenarios.data_quality_audit.estate import FIRST, SECOND, THIRD
from scenarios.data_quality_audit.facts import Facts
from scenarios.packs.analytics import Feed, names

from .audits import Drawing, Row, drawing, drawings, drawn_for

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


def close_of(drawn: Drawing, status: str = "in_force") -> str:
    """Return the day of the close by the calendar with this status."""
    title = f"Close of the ledger: {drawn.facts.area.name}"
    [calendar] = drawn.rows("documents", title=title, status=status)
    return str(re.findall(DATES, calendar["body"])[0])


def notice_about(drawn: Drawing, feed: Feed) -> Row:
    [notice] = drawn.about("notice", feed.record["id"], status="in_force")
    return notice


def applies(drawn: Drawing, notice: Row, status: str = "in_force") -> bool:
    """Return whether a notice applies today by the calendar with this status."""
    first, *last = re.findall(DATES, notice["body"])
    return bool(first <= to_iso(drawn.company.start)[:10] <= (*last, close_of(drawn, status))[0])


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


def is_bad(facts: Facts, metric_id: str | None) -> bool:
    """Return whether a total is that of an active dashboard on a failed feed."""
    on = {one.board.metric["id"] for one in facts.boards if one.is_active and one.suspect in facts.failed}
    return metric_id in on


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


def test_two_suspects_have_a_stale_control_total_to_read_and_the_third_a_dataset_of_every_state() -> None:
    orders = set()
    for drawn in drawings():
        suspects = drawn.facts.suspects
        controls = [feed.control for name in (FIRST, SECOND) if (feed := suspects[name]).control]
        assert controls == drawn.facts.controls
        assert len(controls) == 2
        for name in (FIRST, SECOND):
            assert suspects[name].dataset is None
        third = suspects[THIRD]
        assert third.control is None
        assert third.dataset is not None
        assert third.record["fields"]["checked_by"] == "dataset"
        rows = [row["values"] for row in drawn.rows("dataset_rows", dataset_id=third.dataset["id"])]
        assert {row["state"] for row in rows} == {*names.STATES}
        assert all(row["amount"] > 0 for row in rows)
        assert len({row["number"] for row in rows}) == len(rows) == third.dataset["row_count"]
        for feed in drawn.facts.feeds:
            if feed.control is not None:
                assert feed.control["as_of"] + feed.control["ttl_s"] < drawn.company.start
                assert feed not in suspects.values() or feed.control["as_of"] < feed.metric["as_of"]
        ids = {feed.record["id"]: name for name, feed in suspects.items()}
        orders.add(tuple(ids[one] for one in sorted(ids)))
    assert len(orders) >= 5


def test_one_notice_ends_with_a_close_that_was_moved_from_one_side_of_today_to_the_other() -> None:
    seen = Counter[tuple[str, bool]]()
    for drawn in drawings():
        ledger = {name: notice_about(drawn, drawn.facts.suspects[name]) for name in (FIRST, SECOND)}
        [name] = [name for name, one in ledger.items() if "to the close of the ledger" in one["body"]]
        assert applies(drawn, ledger[name]) is not applies(drawn, ledger[name], "superseded")
        days = [
            *(close_of(drawn, one) for one in ("superseded", "in_force")),
            to_iso(drawn.company.start)[:10],
        ]
        before, here, now = (from_iso(f"{day}T00:00:00Z") for day in days)
        assert (before < now) is (here >= now)
        assert 4 * DAY <= abs(before - now) <= 12 * DAY
        seen[name, applies(drawn, ledger[name])] += 1
    assert len(seen) == 4


def test_about_half_of_the_ledger_notices_correct_an_earlier_one_with_another_amount() -> None:
    corrected = Counter[bool]()
    for drawn in drawings():
        for feed in (drawn.facts.suspects[name] for name in (FIRST, SECOND)):
            here = notice_about(drawn, feed)
            earlier = drawn.about("notice", feed.record["id"], status="superseded")
            assert [one["id"] for one in earlier] == [here["supersedes"]] * len(earlier)
            assert bool(earlier) is (here["supersedes"] is not None)
            for before in earlier:
                assert 0.29 < ledger_item(before) / ledger_item(here) < 0.71
                assert before["written_at"] <= here["written_at"] < drawn.company.start
            corrected[bool(earlier)] += 1
    assert min(corrected[True], corrected[False]) >= 16


def test_an_old_control_total_agrees_or_differs_whether_its_feed_has_failed_or_not() -> None:
    seen = Counter[tuple[bool, bool]]()
    for drawn in drawings():
        for name in (FIRST, SECOND):
            feed = drawn.facts.suspects[name]
            assert feed.control is not None
            seen[name in drawn.facts.failed, is_off(drawn, feed.metric["value"], feed.control["value"])] += 1
    assert len(seen) == 4
    assert min(seen.values()) >= 5


def test_of_the_sound_feeds_one_has_jumped_one_is_stale_and_all_agree_with_their_control_total() -> None:
    for drawn in drawings():
        jumped, stale, ordinary = drawn.facts.feeds[3:]
        for feed in (jumped, stale, ordinary):
            assert feed.control is not None
            assert not is_off(drawn, feed.metric["value"], drawn.fresh(feed.control["id"]))
        *_, before, last = drawn.history(jumped)
        assert last > 1.5 * before
        assert drawn.company.start - stale.metric["as_of"] >= 33 * DAY > stale.metric["ttl_s"]
        assert drawn.company.start - ordinary.metric["as_of"] < DAY
        [minutes] = drawn.about("minutes", jumped.record["id"])
        assert f"- {jumped.record['name']}: the total jumped because" in minutes["body"]
        assert any(cause in minutes["body"] for cause in names.ONE_OFFS)


def test_a_dashboard_rests_on_one_suspect_or_none_directly_or_through_a_shared_mart() -> None:
    direct = Counter[bool]()
    for drawn in drawings():
        facts = drawn.facts
        totals = {name: feed.metric["id"] for name, feed in facts.suspects.items()}
        for one in facts.boards:
            on = {name for name, total in totals.items() if total in upstream(drawn, one.board.metric["id"])}
            assert on == ({one.suspect} if one.suspect else set())
            is_direct = bool({*totals.values()} & {*one.board.metric["upstream"]})
            if one.suspect:
                direct[is_direct] += 1
            assert one.is_active or (not is_direct and len(one.board.metric["upstream"]) == 1)
        marts = [
            {*row["upstream"]}
            for row in drawn.rows("metrics", name="mart_total")
            if {*row["upstream"]} & {*totals.values()}
        ]
        assert len(marts) == 3
        assert all(mart & {feed.metric["id"] for feed in facts.feeds[3:]} for mart in marts)
    assert min(direct[True], direct[False]) > 30


def test_every_feed_has_dashboards_and_only_the_first_two_have_statutory_or_retired_ones() -> None:
    for drawn in drawings():
        boards = drawn.facts.boards
        plain = Counter(one.suspect for one in boards if one.is_active and not one.is_statutory)
        special = Counter(
            (one.suspect, one.is_statutory, one.is_active)
            for one in boards
            if one.is_statutory or not one.is_active
        )
        assert all(1 <= plain[name] <= 3 for name in (FIRST, SECOND, THIRD))
        assert 2 <= plain[None] <= 4
        assert {*special} <= {(name, which, which) for name in (FIRST, SECOND) for which in (True, False)}
        assert {*special.values()} <= {1}


def test_active_dashboards_on_failed_feeds_are_quarantined_and_their_requests_lost() -> None:
    for drawn in drawings():
        facts = drawn.facts
        wanted = {one for one in facts.totals if is_bad(facts, one)}
        if facts.missing is not None:
            wanted &= {facts.earlier}
        assert facts.wanted == {*wanted, *({facts.earlier} - {None} if facts.missing is not None else ())}
        assert facts.new == facts.wanted - {facts.earlier}
        assert facts.voided == [one for one in facts.requests if one["evidence"]["metric_id"] in facts.new]
        area = {one["id"] for one in drawn.rows("records") if one["fields"].get("area") == facts.area.name}
        assert facts.refreshable == {one["id"] for one in drawn.rows("metrics") if one["subject"] in area}


def test_every_suspect_but_the_third_has_one_or_two_undecided_requests_that_saw_its_dashboards() -> None:
    for drawn in drawings():
        by_total = {one.board.metric["id"]: one for one in drawn.facts.boards}
        on = [by_total[one["evidence"]["metric_id"]] for one in drawn.facts.requests]
        count = Counter(one.suspect for one in on)
        assert all(1 <= count[name] <= 2 for name in (FIRST, SECOND, None))
        assert count[THIRD] <= 2
        assert all(one.is_active for one in on)
        assert len({id(one) for one in on}) == len(on)
        for request, seen in zip(drawn.facts.requests, on, strict=True):
            metric = seen.board.metric
            assert request["status"] == "pending"
            assert request["evidence"]["metric_value"] == metric["value"]
            assert request["evidence"]["metric_version"] == metric["version"]


def test_some_audits_begin_with_a_quarantine_of_a_dashboard_without_requests() -> None:
    begun = Counter[bool | None]()
    for drawn in drawings():
        facts = drawn.facts
        begun[None if facts.earlier is None else is_bad(facts, facts.earlier)] += 1
        if facts.earlier is not None:
            [board] = [one for one in facts.boards if one.board.metric["id"] == facts.earlier]
            [imposed] = drawn.rows("quarantines")
            assert (board.is_active, board.is_statutory) == (True, False)
            assert facts.earlier not in {one["evidence"]["metric_id"] for one in facts.requests}
            assert (imposed["metric_id"], imposed["released_at"]) == (facts.earlier, None)
            assert drawn.company.start - imposed["at"] == 45 * DAY
    assert begun[None] >= 6
    assert min(begun[True], begun[False]) >= 3


def test_a_pair_differs_in_the_first_two_and_at_most_one_of_it_lacks_a_release() -> None:
    for even in range(0, 32, 2):
        one, other = (drawing(seed).facts for seed in (even, even + 1))
        assert one.failed - {THIRD} != other.failed - {THIRD}
        assert (THIRD in one.failed) == (THIRD in other.failed)
        assert {FIRST, SECOND, THIRD} not in (one.failed, other.failed)
        assert one.missing is None or other.missing is None


def test_every_statutory_dashboard_has_a_release_unless_the_plan_withdrew_it() -> None:
    for seed, drawn in enumerate(drawings()):
        lacks = drawn.facts.missing is not None or drawing(seed ^ 1).facts.missing is not None
        for one in drawn.facts.boards:
            releases = drawn.about("release", one.board.record["id"])
            status = "withdrawn" if lacks and one.suspect == FIRST else "in_force"
            assert [row["status"] for row in releases] == ([status] if one.is_statutory else [])
            for release in releases:
                name, board_id = one.board.record["name"], one.board.record["id"]
                assert release["title"].endswith(name)
                assert f"{name} ({board_id})" in release["body"]
                assert 20 * DAY <= drawn.company.start - release["written_at"] <= 90 * DAY


def test_a_release_is_missing_for_the_active_statutory_dashboard_of_the_failed_first_feed() -> None:
    facts = drawn_for(lacks_release=True).facts

    [board] = [one for one in facts.boards if one.board.record is facts.missing]

    assert (board.suspect, board.is_statutory, board.is_active) == (FIRST, True, True)
    assert FIRST in facts.failed


def test_editions_of_the_rules_follow_each_other_with_tolerances_of_their_own_and_one_reason() -> None:
    for drawn in drawings():
        rules = drawn.rows("documents", kind="policy", department="Data")
        editions = {row["status"]: row for row in rules}
        before, here, draft = (editions[status] for status in ("superseded", "in_force", "draft"))
        assert len(rules) == len({tolerance(row["body"]) for row in rules}) == 3
        assert all(f"reason `{drawn.facts.reason}`" in row["body"] for row in rules)
        assert drawn.facts.rules["id"] == here["id"]
        assert [row["supersedes"] for row in (before, here, draft)] == [None, before["id"], here["id"]]
        ages = [drawn.company.start - int(row["written_at"]) for row in (before, here, draft)]
        assert ages == [ages[1] + 300 * DAY, ages[1], 6 * DAY]
        assert 40 * DAY <= ages[1] <= 200 * DAY
        [goods] = drawn.rows("documents", kind="policy", department="Warehouse")
        assert goods["status"] == "in_force"
        assert all(word in goods["body"] for word in ("percent", "feed"))


def test_colleagues_praise_one_controlled_suspect_blame_the_other_and_doubt_a_sound_dashboard() -> None:
    blamed_rightly, places = Counter[bool](), set()
    for drawn in drawings():
        facts, bodies = drawn.facts, drawn.comments()
        told = " ".join(bodies)
        jumped, stale, _ = (feed.record["name"] for feed in facts.feeds[3:])
        [praised] = re.findall(r"The job of (.+?) reported no error", told)
        [blamed] = re.findall(r"I compared (.+?) with the control total", told)
        [doubted] = [body.partition(" has more than doubled")[0] for body in bodies if "doubled" in body]
        controlled = {facts.suspects[name].record["name"]: name for name in (FIRST, SECOND)}
        assert {praised, blamed} == {*controlled}
        assert doubted in {one.board.record["name"] for one in facts.boards if one.suspect is None}
        assert f" has more than doubled. That is {jumped}, surely" in told
        assert f"{stale} was last loaded weeks ago" in told
        assert len(bodies) == 4
        assert "{" not in told
        blamed_rightly[controlled[blamed] in facts.failed] += 1
        places.add(next(place for place, body in enumerate(bodies) if "I compared" in body))
    assert places == {0, 1, 2, 3}
    assert min(blamed_rightly[True], blamed_rightly[False]) >= 8


@pytest.mark.parametrize("seed", [0, 1])
def test_the_ticket_of_the_audit_was_opened_this_night_by_the_reporter(seed: int) -> None:
    drawn = drawing(seed)
    ticket = drawn.facts.ticket

    assert ticket["created_at"] == ticket["updated_at"] == drawn.company.start - 5 * HOUR
    assert ticket["reporter"] == drawn.cast.reporter.id
    assert drawn.facts.area.name in ticket["title"]
