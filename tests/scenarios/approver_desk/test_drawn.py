"""The drawn pile: what each request states, and why its outcome is right."""

from collections.abc import Iterator
from math import fsum
from typing import Any

import pytest

from companyos.scenario import Instance, load_scenarios
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.reading import is_excluded

from ..conftest import instance_of
from .piles import ends_of

Row = dict[str, Any]

SCENARIO = load_scenarios()["approver_desk"]
SEEDS = range(48)


@pytest.fixture(scope="module")
def instances() -> list[Instance]:
    return [instance_of(SCENARIO, seed) for seed in SEEDS]


def pile(instance: Instance) -> list[tuple[Row, str]]:
    """Return the requests at the desk, each with what has to become of it."""
    rows = {row["id"]: row for row in instance.rows["approvalflow"]["requests"]}
    return [(dict(rows[key]), end) for key, end in ends_of(instance).items()]


def lines(instance: Instance, request: Row) -> list[Row]:
    rows = instance.rows["approvalflow"]["line_items"]
    return [dict(row) for row in rows if row["request_id"] == request["id"]]


def pairs(instances: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    yield from zip(instances[::2], instances[1::2], strict=True)


def test_a_pile_holds_fourteen_to_eighteen_requests_of_several_ends(instances: list[Instance]) -> None:
    for instance in instances:
        ends = list(ends_of(instance).values())
        assert 14 <= len(ends) <= 18
        assert len(set(ends)) >= 2

    every = {end for instance in instances for end in ends_of(instance).values()}
    reasons = {end for end in every if end.startswith("rejected")}
    assert len(reasons) == 6
    assert any(end.startswith("passed_on") for end in every)


def test_about_one_task_in_eight_is_to_be_refused(instances: list[Instance]) -> None:
    refused = [instance for instance in instances if not instance.feasible]

    assert len(instances) / 16 <= len(refused) <= len(instances) / 4
    assert {instance.refusal.reason_codes[0] for instance in refused if instance.refusal} == {"cover_ended"}


def test_a_pair_differs_in_what_the_ledger_leaves_or_in_the_cover(instances: list[Instance]) -> None:
    for first, second in pairs(instances):
        causes = {first.cause, second.cause}
        assert causes in ({"more", "less"}, {"covered", "ended"})
        if causes == {"more", "less"}:
            assert ends_of(first) != ends_of(second)
            assert first.feasible
            assert second.feasible
        assert ends_of(first).keys() == ends_of(second).keys()


def test_only_a_mismatch_states_another_amount_than_its_lines(instances: list[Instance]) -> None:
    for instance in instances:
        for request, end in pile(instance):
            agrees = abs(
                fsum(line["amount"] for line in lines(instance, request)) - request["fields"]["amount"]
            )
            assert (agrees >= 10) == (end == "rejected:amount_mismatch")


def test_every_line_costs_what_it_says(instances: list[Instance]) -> None:
    rows = [row for instance in instances for row in instance.rows["approvalflow"]["line_items"]]

    assert all(row["quantity"] * row["unit_price"] == row["amount"] > 0 for row in rows)


def test_only_what_the_rules_of_its_day_exclude_is_not_eligible(instances: list[Instance]) -> None:
    for instance in instances:
        rules = [row for row in instance.rows["datahub"]["documents"] if row["kind"] == "policy"]
        rules = [row for row in rules if row["status"] != "draft" and row["department"] == "Unit Office"]
        rules.sort(key=lambda row: -(row["effective_from"] or row["written_at"]))
        for request, end in pile(instance):
            since = (
                row
                for row in rules
                if (row["effective_from"] or row["written_at"]) <= request["submitted_at"]
            )
            named = next(since)["body"].partition("bought this way: ")[2].partition(".")[0].split(" and ")
            has_it = any(is_excluded(line["text"], named) for line in lines(instance, request))
            assert has_it == (end == "rejected:not_eligible"), (instance.seed, request["id"])


def test_a_duplicate_names_a_number_that_was_there_before(instances: list[Instance]) -> None:
    seen = 0
    for instance in instances:
        records = [row["name"] for row in instance.rows["datahub"]["records"]]
        for request, end in pile(instance):
            number = request["fields"].get("invoice_number", "none")
            same = [one for one, _ in pile(instance) if one["fields"].get("invoice_number") == number]
            earlier = any(one["submitted_at"] < request["submitted_at"] for one in same)
            paid = any(number in name for name in records)
            assert (earlier or paid) == (end == "rejected:duplicate")
            seen += end == "rejected:duplicate"

    assert seen >= 10


def test_requests_by_the_agent_or_the_manager_are_passed_on(instances: list[Instance]) -> None:
    for instance in instances:
        people = {row["id"]: row for row in instance.rows["datahub"]["people"]}
        barred = {instance.persona.id, people[instance.persona.id]["manager"]}
        for request, end in pile(instance):
            assert request["requester"] not in barred or end.startswith("passed_on:")


def test_a_request_at_the_desk_looks_like_one_of_the_past(instances: list[Instance]) -> None:
    for instance in instances[::8]:
        ids = ends_of(instance).keys()
        requests = instance.rows["approvalflow"]["requests"]
        mine = {tuple(sorted(row["fields"])) for row in requests if row["id"] in ids}
        others = {tuple(sorted(row["fields"])) for row in requests if row["id"] not in ids}
        assert mine <= others
        assert len(requests) - len(ids) >= 10


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_case_can_be_drawn_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.approver_desk.scenario.KINDS", {kind: KINDS[kind]})

    instance = instance_of(SCENARIO, 4)

    assert 12 <= len(ends_of(instance)) <= 16
