"""Drawn audits, and what follows from their rows when the rules are read without the scenario's own code."""

import re
from collections.abc import Callable
from functools import cache
from math import fsum
from typing import Any

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, find
from companyos.sdk.simtime import to_iso
from tests.scenarios.conftest import SALT

SCENARIO = find("data_quality_audit")
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
