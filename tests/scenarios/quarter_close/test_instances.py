"""Drawn closes: the facts, recomputed from the rows alone, and what a pair's instances share."""

import re
from collections import Counter
from functools import cache
from math import fsum
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, find
from tests.scenarios.conftest import SALT

SCENARIO = find("quarter_close")
SEEDS = range(16)
KINDS = {
    "edge": {"metrics", "sources"},
    "answer": {"knowledge"},
    "source": {"sources"},
    "prior": {"periods"},
}
AMOUNT = re.compile(r"([\d,]+\.\d\d) EUR")
Row = dict[str, Any]


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


def table(instance: Instance, name: str, service: str = "datahub") -> list[Row]:
    return list(instance.rows[service][name])


def by_id(instance: Instance, name: str) -> dict[str, Row]:
    return {row["id"]: row for row in table(instance, name)}


def kind_of(instance: Instance) -> str:
    return str(instance.cause).partition(":")[0]


def lines(instance: Instance) -> list[Row]:
    return [row for row in table(instance, "period_lines") if row["period_id"] == instance.goal["period"]]


def computed(instance: Instance, metric_id: str) -> float:
    """Return what a metric comes to once everything upstream is taken: recomputed from hidden sources."""
    metric, source = by_id(instance, "metrics")[metric_id], by_id(instance, "sources").get(metric_id)
    if source is None:
        return float(metric["value"])
    shares = source.get("weights", {})
    own = source["values"][-1]
    return round(
        fsum([own, *(share * computed(instance, one) for one, share in shares.items())]), 2 + 2 * (not shares)
    )


def is_current(instance: Instance, metric_id: str) -> bool:
    metrics = by_id(instance, "metrics")
    metric = metrics[metric_id]
    above = [metrics[one] for one in metric["upstream"]]
    is_fresh = metric["as_of"] + metric["ttl_s"] > instance.start
    return is_fresh and all(
        one["as_of"] < metric["as_of"] and is_current(instance, one["id"]) for one in above
    )


def manuals(instance: Instance) -> dict[str, str]:
    """Return the text of every edition of the manual, by status."""
    return {
        row["status"]: row["body"]
        for row in table(instance, "documents")
        if row["title"] == "Closing the books of a quarter"
    }


def tolerance(instance: Instance, text: str, line: Row) -> float:
    period = by_id(instance, "periods")[line["period_id"]]
    entity = by_id(instance, "records")[period["entity"]]
    found = re.search(rf"\| {entity['fields']['size_class']} \| (.+?) percent \| (.+?) percent \|", text)
    assert found is not None
    return float(found[1 if line["category"] == "balance" else 2]) / 100 * abs(line["reference"])


def sizes(instance: Instance) -> dict[str, float]:
    """Return the size of each line's variance once it is current."""
    return {
        line["metric_id"]: abs(computed(instance, line["metric_id"]) - line["reference"])
        for line in lines(instance)
    }


def explained(instance: Instance, line: Row) -> tuple[float, float]:
    """Return what the controller's memo in force and the owner explain of a line."""
    people = {row["id"]: row["role"] for row in table(instance, "people")}
    period = by_id(instance, "periods")[line["period_id"]]
    memos = [
        row["body"]
        for row in table(instance, "documents")
        if row["kind"] == "memo" and row["status"] == "in_force"
        if people[row["author"]] == "controller" and period["entity"] in row["links"]
    ]
    listed = [one for body in memos for one in body.splitlines() if line["metric_id"] in one]
    told = [row["body"] for row in table(instance, "knowledge") if row["about"] == line["metric_id"]]
    return amount(listed), amount(told)


def amount(texts: list[str]) -> float:
    return sum(float(one.replace(",", "")) for text in texts for one in AMOUNT.findall(text))


def left_over(instance: Instance, text: str) -> dict[str, float]:
    """Return what remains of the variances that need a ticket by an edition of the manual."""
    found: dict[str, float] = {}
    for line in lines(instance):
        size, allowed = sizes(instance)[line["metric_id"]], tolerance(instance, text, line)
        memo, answer = explained(instance, line)
        if size > allowed and size - memo > allowed and size - memo - answer > allowed:
            found[line["metric_id"]] = size - memo - answer
    return found


def open_tickets(instance: Instance) -> set[str]:
    tickets = table(instance, "tickets", "ticketdesk")
    metrics = {line["metric_id"] for line in lines(instance)}
    return {
        row["subject"] for row in tickets if row["kind"] == "variance" and row["status"] != "closed"
    } & metrics


@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_end_follows_from_the_rows(seed: int) -> None:
    instance = drawn(seed)
    goal = instance.goal
    left = left_over(instance, manuals(instance)["in_force"])

    stated = goal["request"]["fields"]
    assert {*goal["tickets"]} == {*left} - open_tickets(instance)
    assert stated["variances"] == len(left)
    assert abs(stated["unexplained"] - fsum(left.values())) < 0.02
    high = float(re.findall(r"remains is more than ([\d.]+)\s", manuals(instance)["in_force"])[0])
    references = {line["metric_id"]: abs(line["reference"]) for line in lines(instance)}
    for metric_id, priority in goal["tickets"].items():
        assert (priority == "high") == (100 * left[metric_id] / references[metric_id] > high)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_has_to_be_run_is_what_is_not_current_and_in_the_order_of_its_lineage(seed: int) -> None:
    instance = drawn(seed)
    if kind_of(instance) == "prior" and not instance.feasible:
        assert instance.goal["runs"] == []
        return
    metrics, runs = by_id(instance, "metrics"), [one for one, _ in instance.goal["runs"]]
    due = {line["metric_id"] for line in lines(instance) if not is_current(instance, line["metric_id"])}

    assert {*runs} <= due | {up for one in due for up in metrics[one]["upstream"]}
    assert not instance.feasible or due <= {*runs}
    for number, metric_id in enumerate(runs):
        waited = [one for one in metrics[metric_id]["upstream"] if not is_current(instance, one)]
        assert {*waited} <= {*runs[:number]}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_that_has_to_be_run_shows_another_value_before(seed: int) -> None:
    instance = drawn(seed)

    for metric_id in {one for one, _ in instance.goal["runs"]}:
        assert by_id(instance, "metrics")[metric_id]["value"] != computed(instance, metric_id)


@pytest.mark.parametrize("seed", range(0, 16, 2))
def test_the_two_of_a_pair_differ_in_one_hidden_thing_alone(seed: int) -> None:
    one, other = drawn(seed), drawn(seed + 1)

    differing = {
        name
        for service, tables in one.rows.items()
        for name, rows in tables.items()
        if list(rows) != list(other.rows[service][name])
    }
    assert differing == KINDS[kind_of(one)]
    changed = [
        column
        for metric, twin in zip(table(one, "metrics"), table(other, "metrics"), strict=True)
        for column in metric
        if metric[column] != twin[column]
    ]
    assert changed == (["upstream", "upstream"] if kind_of(one) == "edge" else [])


def test_the_order_of_two_runs_is_reversed_in_half_of_the_pairs() -> None:
    reversed_ = 0
    for seed in range(0, 48, 2):
        one, other = ([run for run, _ in drawn(number).goal["runs"]] for number in (seed, seed + 1))
        pairs = [{(a, b) for at, a in enumerate(runs) for b in runs[at + 1 :]} for runs in (one, other)]
        is_reversed = any((b, a) in pairs[1] for a, b in pairs[0])
        assert is_reversed or kind_of(drawn(seed)) != "edge"
        reversed_ += is_reversed

    assert reversed_ >= 8


def test_other_editions_of_the_manual_lead_to_other_tickets() -> None:
    told: Counter[str] = Counter()
    for seed in range(0, 48, 2):
        instance = drawn(seed)
        found = {status: {*left_over(instance, text)} for status, text in manuals(instance).items()}
        told.update(status for status in ("draft", "superseded") if found[status] != found["in_force"])

    assert set(manuals(drawn(0))) == {"in_force", "superseded", "draft"}
    assert told["draft"] > 12
    assert told["superseded"] > 6


def test_the_values_at_the_start_would_lead_to_other_tickets() -> None:
    misled = 0
    for seed in range(0, 48, 2):
        instance = drawn(seed)
        shown = by_id(instance, "metrics")
        text = manuals(instance)["in_force"]
        far = {
            line["metric_id"]
            for line in lines(instance)
            if abs(shown[line["metric_id"]]["value"] - line["reference"]) > tolerance(instance, text, line)
        }
        misled += far != {*left_over(instance, text)}

    assert misled > 20


def test_endings_differ() -> None:
    instances = [drawn(seed) for seed in range(96)]
    closed = Counter(one.goal["request"]["fields"]["variances"] for one in instances if one.feasible)
    postponed = Counter(kind_of(one) for one in instances if not one.feasible)

    assert {0, 1, 2} <= set(closed)
    assert set(postponed) == {"source", "prior"}
    assert 5 <= sum(postponed.values()) <= 20
    plans = {tuple(action["tool_name"] for action in SCENARIO.open_loop_plan(one)) for one in instances}
    assert len(plans) >= 12


def test_a_clue_of_every_kind_is_there_somewhere() -> None:
    seen: Counter[str] = Counter()
    for seed in range(0, 48, 2):
        instance = drawn(seed)
        seen["feed"] += any(
            up not in {line["metric_id"] for line in lines(instance)}
            for line in lines(instance)
            for up in by_id(instance, "metrics")[line["metric_id"]]["upstream"]
        )
        seen["filed"] += bool(open_tickets(instance))
        seen["asks back"] += any(row["question"] for row in table(instance, "knowledge"))
        seen["old memo"] += any(
            row["kind"] == "memo" and row["status"] == "superseded" and "Differences" in row["title"]
            for row in table(instance, "documents")
        )

    assert min(seen.values()) > 2, seen


@pytest.mark.parametrize("seed", range(40))
def test_a_reason_to_postpone_is_named_by_the_manual_alone(seed: int) -> None:
    refusal = drawn(seed).refusal

    for code in refusal.reason_codes if refusal else ():
        assert f"`{code}`" in manuals(drawn(seed))["in_force"]
        assert code not in drawn(seed).brief
