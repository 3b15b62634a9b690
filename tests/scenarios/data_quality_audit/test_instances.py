"""Drawn audits: the facts, recomputed from the rows alone, and what a pair's instances share."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from math import fsum
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, find
from companyos.sdk.simtime import to_iso
from tests.scenarios.conftest import SALT

SCENARIO = find("data_quality_audit")
SEEDS = range(16)
Row = dict[str, Any]


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


def table(instance: Instance, name: str, service: str = "datahub") -> list[Row]:
    return list(instance.rows[service][name])


def area_of(instance: Instance) -> str:
    found = re.search(r"the dashboards of ([A-Z][\w ]+?),", instance.brief)
    assert found is not None
    return found[1]


def records(instance: Instance, kind: str) -> dict[str, Row]:
    area = area_of(instance)
    return {
        row["id"]: row
        for row in table(instance, "records")
        if row["kind"] == kind and row["fields"]["area"] == area
    }


def totals(instance: Instance, name: str) -> dict[str, Row]:
    return {row["subject"]: row for row in table(instance, "metrics") if row["name"] == name}


def tolerances(instance: Instance) -> dict[str, float]:
    """Return the tolerance of every edition of the rules, by status."""
    rules = [row for row in table(instance, "documents") if row["title"] == "Audits of reporting data"]
    return {row["status"]: float(re.findall(r"more than ([\d.]+) percent", row["body"])[0]) for row in rules}


def reason(instance: Instance) -> str:
    """Return the reason with which the rules in force hand an audit back."""
    found = re.search(r"with the reason `(\w+)`", instance.guidance.rules)
    assert found is not None
    return found[1]


def repeats(instance: Instance, metric_id: str) -> bool:
    past = sorted(
        (c for c in table(instance, "changes") if c["object_id"] == metric_id), key=lambda c: c["at"]
    )
    return bool(past[-1]["after"]["value"] == past[-2]["after"]["value"])


def notices(instance: Instance, feed: Row) -> list[str]:
    """Return the texts in force about a feed."""
    return [
        row["body"]
        for row in table(instance, "documents")
        if row["kind"] == "notice" and row["status"] == "in_force" and feed["id"] in row["links"]
    ]


def close_of(instance: Instance, status: str = "in_force") -> str:
    """Return the day on which the area's ledger is closed, by the edition of the calendar with this status."""
    (body,) = (
        row["body"]
        for row in table(instance, "documents")
        if row["kind"] == "calendar"
        and row["status"] == status
        and f"of {area_of(instance)} is" in row["body"]
    )
    return re.findall(r"\d{4}-\d\d-\d\d", body)[0]


def applies(instance: Instance, body: str, close: str) -> bool:
    """Return whether a notice applies today if the ledger is closed on this day."""
    first, *last = re.findall(r"\d{4}-\d\d-\d\d", body)
    assert len(last) == ("to the close" not in body)
    return first <= today_of(instance) <= (*last, close)[0]


def today_of(instance: Instance) -> str:
    return to_iso(instance.start)[:10]


def right_value(instance: Instance, feed: Row, told: list[str]) -> float:
    """Return what a feed's total is checked by, if these notices apply.

    That is the control total to come without the ledger items, or the rows of its dataset that count.
    """
    items = re.findall(r"the ledger (holds|lacks) ([\d,.]+) euros", " ".join(told))
    control = totals(instance, "control_total").get(feed["id"])
    if control is not None:
        sources = {row["id"]: row for row in table(instance, "sources")}
        amounts = [(1 if verb == "holds" else -1) * float(size.replace(",", "")) for verb, size in items]
        return float(sources[control["id"]]["values"][0]) - sum(amounts)
    states = {"booked", *re.findall(r"in the state `(\w+)`", " ".join(told))}
    total = totals(instance, "feed_total")[feed["id"]]["id"]
    dataset = next(row for row in table(instance, "datasets") if total in row["metrics"])
    rows = [row["values"] for row in table(instance, "dataset_rows") if row["dataset_id"] == dataset["id"]]
    return fsum(row["amount"] for row in rows if row["state"] in states)


Reading = Callable[[Instance, Row], list[str]]


def reads_all(instance: Instance, feed: Row) -> list[str]:
    close = close_of(instance)
    return [body for body in notices(instance, feed) if applies(instance, body, close)]


def reads_the_calendar_before(instance: Instance, feed: Row) -> list[str]:
    close = close_of(instance, "superseded")
    return [body for body in notices(instance, feed) if applies(instance, body, close)]


def reads_none(instance: Instance, feed: Row) -> list[str]:
    return []


def failed(instance: Instance, percent: float, reading: Reading = reads_all) -> set[str]:
    found = set()
    for feed in records(instance, "data_feed").values():
        total = totals(instance, "feed_total")[feed["id"]]
        right = right_value(instance, feed, reading(instance, feed))
        if repeats(instance, total["id"]) and abs(total["value"] - right) > percent / 100 * abs(right):
            found.add(feed["id"])
    return found


def rests_on(instance: Instance, metric: Row) -> set[str]:
    """Return every metric upstream of one."""
    known = {row["id"]: row for row in table(instance, "metrics")}
    found, ahead = set(), list(metric["upstream"])
    while ahead:
        one = ahead.pop()
        if one not in found:
            found.add(one)
            ahead += known[one]["upstream"]
    return found


def bad_boards(instance: Instance) -> dict[str, Row]:
    feeds = failed(instance, tolerances(instance)["in_force"])
    bad = {totals(instance, "feed_total")[feed]["id"] for feed in feeds}
    boards = totals(instance, "dashboard_total")
    return {
        board_id: record
        for board_id, record in records(instance, "dashboard").items()
        if record["status"] == "active" and rests_on(instance, boards[board_id]) & bad
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_failed_feeds_are_those_that_the_rules_in_force_find(seed: int) -> None:
    instance = drawn(seed)

    assert failed(instance, tolerances(instance)["in_force"]) == set(instance.goal["failed_feeds"])
    assert instance.answer is not None
    assert instance.answer.is_right(instance.goal["failed_feeds"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_dashboards_to_quarantine_are_the_active_ones_downstream(seed: int) -> None:
    instance = drawn(seed)
    if not instance.feasible:
        return
    boards, bad = totals(instance, "dashboard_total"), bad_boards(instance)
    already = {row["id"] for row in table(instance, "metrics") if row["status"] == "quarantined"}

    assert set(instance.goal["new"]) == {boards[one]["id"] for one in bad} - already
    assert set(instance.goal["released"]) == {
        boards[one]["id"] for one in records(instance, "dashboard") if boards[one]["id"] in already
    } - {boards[one]["id"] for one in bad}


@pytest.mark.parametrize("seed", SEEDS)
def test_an_audit_is_refused_exactly_where_a_statutory_dashboard_lacks_its_release(seed: int) -> None:
    instance = drawn(seed)
    released = {
        link
        for row in table(instance, "documents")
        if row["kind"] == "release" and row["status"] == "in_force"
        for link in row["links"]
    }
    lacking = [
        one
        for one, record in bad_boards(instance).items()
        if record["fields"]["use"] == "statutory" and one not in released
    ]

    assert instance.feasible is (not lacking)
    if lacking:
        assert instance.goal["refusal"] == {"reason_codes": [reason(instance)], "evidence": lacking}


@pytest.mark.parametrize("seed", range(0, 16, 2))
def test_the_two_of_a_pair_show_the_same_until_a_control_total_is_taken_anew(seed: int) -> None:
    one, other = (drawn(number).rows for number in (seed, seed + 1))

    differing = {
        name
        for service, tables in one.items()
        for name, rows in tables.items()
        if list(rows) != list(other[service][name])
    }
    assert differing == {"sources"}


def test_other_editions_of_the_rules_give_other_sets() -> None:
    told = Counter()
    for seed in SEEDS:
        instance = drawn(seed)
        percents = tolerances(instance)
        found = {status: frozenset(failed(instance, percent)) for status, percent in percents.items()}
        assert set(percents) == {"in_force", "superseded", "draft"}
        told["the superseded one misses some"] += found["superseded"] < found["in_force"]
        told["the superseded one finds more"] += found["superseded"] > found["in_force"]
        told["the draft misses some"] += found["draft"] < found["in_force"]
        told["the draft finds more"] += found["draft"] > found["in_force"]

    assert min(told.values()) > len(SEEDS) / 8
    assert sum(told.values()) > 2 * len(SEEDS) * 0.9


def test_the_rules_of_other_companies_give_other_sets() -> None:
    companies = [drawn(seed) for seed in range(48)]
    limits = [tolerances(one)["in_force"] for one in companies]
    alike = [
        one.seed
        for one in companies
        for limit in limits
        if limit != tolerances(one)["in_force"] and failed(one, limit) == set(one.goal["failed_feeds"])
    ]

    assert len({*limits}) > 16
    assert len(alike) < 0.05 * len(companies) * len(limits)
    assert len({reason(one) for one in companies}) > 12


@pytest.mark.parametrize("seed", range(48))
def test_no_tolerance_finds_the_failed_feeds_without_the_notices(seed: int) -> None:
    instance = drawn(seed)

    for tenths in range(5, 121):
        assert failed(instance, tenths / 10, reads_none) != set(instance.goal["failed_feeds"])


def test_applying_a_notice_on_the_wrong_days_gives_another_set() -> None:
    outdated = 0
    for seed in range(48):
        instance = drawn(seed)
        controlled = totals(instance, "control_total")
        feeds = [feed for feed in records(instance, "data_feed").values() if feed["id"] in controlled]
        if all(notices(instance, feed) == reads_all(instance, feed) for feed in feeds):
            continue
        outdated += 1
        assert failed(instance, tolerances(instance)["in_force"], notices) != set(
            instance.goal["failed_feeds"]
        )

    assert outdated > 16


@pytest.mark.parametrize("seed", range(48))
def test_the_verdict_on_one_feed_turns_on_the_close_of_the_ledger(seed: int) -> None:
    instance = drawn(seed)
    percent = tolerances(instance)["in_force"]

    moved = failed(instance, percent, reads_the_calendar_before)

    assert len(moved ^ set(instance.goal["failed_feeds"])) == 1


def test_a_notice_leads_to_either_verdict() -> None:
    """Whether a feed has failed cannot be told from its notice, nor from a comparison without the notice."""
    told = Counter()
    for seed in range(48):
        instance = drawn(seed)
        right, unread = (
            failed(instance, tolerances(instance)["in_force"], how) for how in (reads_all, reads_none)
        )
        for feed in records(instance, "data_feed").values():
            if reads_all(instance, feed):
                told[feed["id"] in right, feed["id"] in unread] += 1

    assert min(told[right, unread] for right in (True, False) for unread in (True, False)) >= 4


def test_all_rows_of_a_dataset_together_say_the_opposite_where_its_feed_has_failed() -> None:
    seen = 0
    for seed in range(96):
        instance = drawn(seed)
        for dataset in table(instance, "datasets"):
            rows = [
                row["values"]["amount"]
                for row in table(instance, "dataset_rows")
                if row["dataset_id"] == dataset["id"]
            ]
            total = next(row for row in table(instance, "metrics") if row["id"] == dataset["metrics"][0])
            feed = records(instance, "data_feed").get(total["subject"])
            if feed and reads_all(instance, feed):
                continue
            if total["subject"] in instance.goal["failed_feeds"]:
                seen += 1
                assert abs(fsum(rows) - total["value"]) < 0.02
            else:
                assert abs(fsum(rows) - total["value"]) > 0.02 * total["value"]

    assert seen


def test_endings_differ() -> None:
    goals = [drawn(seed) for seed in range(100)]
    counts = Counter(len(one.goal["failed_feeds"]) for one in goals if one.feasible)

    assert {0, 1, 2} <= set(counts)
    assert 4 <= sum(not one.feasible for one in goals) <= 28
    plans = {tuple(action["tool_name"] for action in SCENARIO.open_loop_plan(one)) for one in goals}
    assert len(plans) >= 8


def test_the_brief_is_short_and_the_rules_name_the_reason_to_refuse() -> None:
    instance = drawn(0)

    assert len(instance.brief.split()) <= 120
    assert reason(instance) in instance.guidance.rules
    assert reason(instance) not in instance.brief


def test_claims_name_no_feed_that_they_would_give_away() -> None:
    """Whether a feed that colleagues praise or blame has failed is open."""
    praised = Counter()
    for seed in range(48):
        instance = drawn(seed)
        body = next(
            row["body"]
            for row in table(instance, "comments", "ticketdesk")
            if row["ticket_id"] == instance.goal["ticket_id"] and "reported no error" in row["body"]
        )
        feed = next(one for one in records(instance, "data_feed").values() if one["name"] in body)
        praised[feed["id"] in instance.goal["failed_feeds"]] += 1

    assert min(praised[True], praised[False]) > 8
