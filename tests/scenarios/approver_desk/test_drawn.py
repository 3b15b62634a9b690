"""The drawn pile: what each request states, why its outcome is right, and which documents mislead."""

from collections.abc import Iterator
from functools import cache
from math import fsum
from typing import Any

import pytest

from companyos.company import Company, Row
from companyos.scenario import Instance
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import reading, words
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.documents import write_documents
from scenarios.approver_desk.reading import Cover, is_excluded
from scenarios.approver_desk.scenario import SCENARIO
from scenarios.approver_desk.terms import ENDED, IN_FORCE_S, People, Terms, draw_terms
from tests.scenarios.stack import Stack

from ..conftest import instance_of
from .piles import APART, SEEDS, ends_of, hired, new_company


@cache
def instances() -> list[Instance]:
    return [instance_of(SCENARIO, seed) for seed in range(48)]


def pile(instance: Instance) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the requests at the desk, each with what has to become of it."""
    rows = {row["id"]: dict(row) for row in instance.rows["approvalflow"]["requests"]}
    yield from ((rows[key], end) for key, end in ends_of(instance).items())


def lines(instance: Instance, request: dict[str, Any]) -> list[Row]:
    rows = instance.rows["approvalflow"]["line_items"]
    return [dict(row) for row in rows if row["request_id"] == request["id"]]


def test_a_pile_holds_fourteen_to_eighteen_requests_of_several_ends() -> None:
    for instance in instances():
        assert 14 <= len(ends_of(instance)) <= 18
    every = {end.partition(":")[0] for instance in instances() for end in ends_of(instance).values()}
    rejected = {end for one in instances() for end in ends_of(one).values() if end.startswith("rejected")}

    assert every == {"approved", "rejected", "passed_on"}
    assert len(rejected) == 6


def test_about_one_task_in_eight_is_to_be_refused() -> None:
    refused = [instance for instance in instances() if not instance.feasible]

    assert len(instances()) / 16 <= len(refused) <= len(instances()) / 4
    assert {one.refusal.reason_codes[0] for one in refused if one.refusal} == {"cover_ended"}
    assert all(one.refusal.evidence == [one.facts.desk.minutes] for one in refused if one.refusal)


def test_a_pair_differs_in_what_the_ledger_leaves_or_in_the_cover() -> None:
    for first, second in zip(instances()[::2], instances()[1::2], strict=True):
        causes = {first.cause, second.cause}
        differ = {
            (service, name)
            for service, tables in first.rows.items()
            for name, rows in tables.items()
            if rows != second.rows[service][name]
        }
        is_ledger = causes == {"more", "less"}
        assert is_ledger or causes == {"covered", "ended"}
        assert differ == {("datahub", "sources" if is_ledger else "documents")}
        assert (ends_of(first) != ends_of(second)) == is_ledger
        assert ends_of(first).keys() == ends_of(second).keys()


def test_only_a_mismatch_states_another_amount_than_its_lines() -> None:
    for instance in instances():
        for request, end in pile(instance):
            costs = [line["amount"] for line in lines(instance, request)]
            off = abs(fsum(costs) - request["fields"]["amount"])
            assert (off >= 10) == (end == "rejected:amount_mismatch")
        rows = instance.rows["approvalflow"]["line_items"]
        assert all(row["quantity"] * row["unit_price"] == row["amount"] > 0 for row in rows)


def test_only_what_the_rules_of_its_day_exclude_is_not_eligible() -> None:
    for instance in instances():
        rules = [row for row in instance.rows["datahub"]["documents"] if row["kind"] == "policy"]
        rules = [row for row in rules if row["status"] != "draft" and row["department"] == "Unit Office"]
        since = {row["effective_from"] or row["written_at"]: row["body"] for row in rules}
        for request, end in pile(instance):
            body = since[max(at for at in since if at <= request["submitted_at"])]
            named = body.partition("bought this way: ")[2].partition(".")[0].split(" and ")
            has_it = any(is_excluded(line["text"], named) for line in lines(instance, request))
            assert has_it == (end == "rejected:not_eligible"), (instance.seed, request["id"])


def test_a_duplicate_names_a_number_that_was_there_before() -> None:
    seen = 0
    for instance in instances():
        records = [row["name"] for row in instance.rows["datahub"]["records"]]
        for request, end in pile(instance):
            number = request["fields"].get("invoice_number", "none")
            same = [one for one, _ in pile(instance) if one["fields"].get("invoice_number") == number]
            earlier = any(one["submitted_at"] < request["submitted_at"] for one in same)
            paid = any(number in name for name in records)
            assert (earlier or paid) == (end == "rejected:duplicate")
            seen += end == "rejected:duplicate"
    assert seen >= 10


def test_requests_by_the_agent_or_the_manager_are_passed_on() -> None:
    for instance in instances():
        people = {row["id"]: row for row in instance.rows["datahub"]["people"]}
        barred = {instance.persona.id, people[instance.persona.id]["manager"]}
        for request, end in pile(instance):
            assert request["requester"] not in barred or end.startswith("passed_on:")


def test_a_request_at_the_desk_looks_like_one_of_the_past() -> None:
    for instance in instances()[::8]:
        ids, requests = ends_of(instance).keys(), instance.rows["approvalflow"]["requests"]
        shapes = {tuple(sorted(row["fields"])) for row in requests if row["id"] in ids}
        past = [row for row in requests if row["id"] not in ids]
        recorded = {row["fields"].get("request") for row in instance.rows["datahub"]["records"]}
        paid = {
            row["id"] for row in past if row["status"] == "approved" and "invoice_number" in row["fields"]
        }
        assert shapes <= {tuple(sorted(row["fields"])) for row in past}
        assert len(past) >= 10
        assert all(row["status"] in ("approved", "rejected") for row in past)
        assert paid <= recorded


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_case_can_be_drawn_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.approver_desk.scenario.KINDS", {kind: KINDS[kind]})

    assert 12 <= len(ends_of(instance_of(SCENARIO, 4))) <= 16


def desk_documents(seed: int, *, ended: bool = False) -> tuple[Company, People, Terms, Row]:
    """Return a company with the documents of the desk, its people and terms, and the minutes that count."""
    company = new_company(seed)
    _, people = hired(company)
    terms = draw_terms(company, apart=APART, ended=ended)
    _, minutes = write_documents(company, people, terms)
    return company, people, terms, minutes


def of_kind(company: Company, kind: str) -> list[Row]:
    """Return the documents of a kind, oldest first."""
    found = [row for row in company.rows["datahub"]["documents"] if row["kind"] == kind]
    return sorted(found, key=lambda row: int(row["written_at"]))


def test_every_edition_of_the_rules_says_something_else_and_one_settles_a_short_budget_as_a_set() -> None:
    for seed in SEEDS:
        company, _, terms, _ = desk_documents(seed)
        editions, now, before = of_kind(company, "policy"), terms.now.quotes_from, terms.before.quotes_from
        bodies = [row["body"] for row in editions]
        amounts = (before - 1000, before, now, now - 1000)
        limit = f"setup hours add up to no more than the {terms.setup_hours} hours"
        assert [row["status"] for row in editions] == ["superseded", "superseded", "in_force", "draft"]
        assert all(
            f"Purchases of {amount:,.0f} EUR or more need quotes" in body
            for body, amount in zip(bodies, amounts, strict=True)
        )
        assert [limit in body for body in bodies] == [False, False, True, False]
        assert editions[2]["effective_from"] == company.start - IN_FORCE_S
        assert not {*terms.now.excluded} & {*terms.before.excluded}


@pytest.mark.parametrize("ended", [False, True])
def test_only_this_mornings_minutes_say_whether_the_cover_has_ended(*, ended: bool) -> None:
    for seed in SEEDS:
        company, people, _, counts = desk_documents(seed, ended=ended)
        about = f"cover for {people.head.name}"
        found = [row["id"] for row in of_kind(company, "minutes") if about in row["body"]]
        *_, last_week, newest = of_kind(company, "minutes")
        assert found == [counts["id"]] == [newest["id"]]
        assert (f"{about} has ended" in counts["body"]) is ended
        assert counts["written_at"] == company.start - HOUR
        assert f"The cover for {people.second.name} has ended".casefold() in last_week["body"].casefold()


def test_only_the_newest_letter_states_the_limits_that_apply() -> None:
    for seed in SEEDS:
        company, people, terms, _ = desk_documents(seed)
        old, current = (row["body"] for row in of_kind(company, "letter"))
        limits = [f" up to {amount:,.0f} EUR" for amount in terms.limits.values()]
        assert [all(one in body for one in limits) for body in (old, current)] == [False, True]
        assert f"Anything above goes to {people.keeper.name}" in old
        assert f"Anything above goes to {people.second.name}" in current


@pytest.mark.parametrize("ended", [True, False])
def test_the_rules_the_cover_and_its_end_are_read_as_they_were_drawn(stack: Stack, *, ended: bool) -> None:
    company, people, terms, counts = desk_documents(1, ended=ended)

    now, before, first = stack.find_out(company, people.me, reading.read_rules)
    cover = stack.find_out(company, people.me, lambda me: reading.read_cover(me, people.head.id))
    ending = stack.find_out(company, people.me, lambda me: reading.read_ending(me, people.head.name))

    assert (now.since, now.quotes_from, now.window_days) == (
        company.start - IN_FORCE_S,
        terms.now.quotes_from,
        terms.window_days,
    )
    assert (now.setup_hours, now.ended_code) == (terms.setup_hours, ENDED)
    assert (before.quotes_from, before.setup_hours) == (terms.before.quotes_from, None)
    assert company.start - 30 * DAY > before.since > first.since
    things = (*words.EXCLUDED, *words.THINGS)
    for read, version in ((now, terms.now), (before, terms.before)):
        assert {thing for thing in things if is_excluded(thing, read.excluded)} == {*version.excluded}
    assert cover == Cover(limits=terms.limits, second=people.second.id, apart=APART, keeper=people.keeper.id)
    assert ending == (counts["id"] if ended else None)


def test_a_thing_is_excluded_by_how_it_begins() -> None:
    excluded = ("mobile phones", "gift cards")

    assert all(is_excluded(one, excluded) for one in ("Gift card", "gift cards", "Gift card, 50 EUR"))
    assert not any(is_excluded(one, excluded) for one in ("Card for a gift", "A gift card", "Gift"))
