"""Drawn mornings at the support desk: the right outcomes follow from what can be read."""

from collections import Counter

import pytest

from companyos.scenario import Instance
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import MINUTE
from scenarios.support_triage.rulebook import URGENCIES, answer_s, draw
from scenarios.support_triage.scenario import SCENARIO

from ..conftest import SALT, instance_of

PAIRS = range(0, 40, 2)


def made(seed: int) -> Instance:
    return instance_of(SCENARIO, seed)


def test_about_one_morning_in_eight_is_frozen() -> None:
    frozen = sum(not made(seed).feasible for seed in range(120))

    assert 5 <= frozen <= 25


def test_every_sort_of_ticket_occurs_and_no_two_mornings_are_alike() -> None:
    mornings = [tuple(case.sort for case in made(seed).goal["cases"]) for seed in PAIRS]

    found = Counter(sort for morning in mornings for sort in morning)
    assert set(found) == {"question", "failure", "fixed", "defect", "vague", "duplicate"}
    assert len(set(mornings)) >= 8
    assert all(7 <= len(morning) <= 14 for morning in mornings)


@pytest.mark.parametrize("seed", PAIRS[:10])
def test_a_failing_export_is_an_incident_where_its_service_is_down(seed: int) -> None:
    for one in (made(seed), made(seed + 1)):
        sources = {row["id"]: row["values"][-1] for row in one.rows["datahub"]["sources"]}
        rates = {
            row["subject"]: sources[row["id"]]
            for row in one.rows["datahub"]["metrics"]
            if row["id"] in one.goal["metrics"]
        }

        for case in one.goal["cases"]:
            if case.sort == "failure":
                is_down = rates[case.account["fields"]["served_by"]] > one.goal["limit"]
                assert (case.relates is not None) == is_down


@pytest.mark.parametrize("seed", PAIRS[:10])
def test_the_tier_that_counts_is_once_another_than_that_on_file(seed: int) -> None:
    cases = made(seed).goal["cases"]

    assert [case.ticket_id for case in cases if case.tier != case.account["fields"]["tier"]]


@pytest.mark.parametrize("seed", PAIRS[:10])
def test_a_look_alike_differs_from_its_model_in_thing_or_customer(seed: int) -> None:
    cases = made(seed).goal["cases"]
    keys = [(case.thing, case.account["id"]) for case in cases if case.sort not in ("duplicate", "vague")]
    repeated = [case for case in cases if case.sort == "duplicate"]

    assert len(keys) == len(set(keys))
    assert all((case.thing, case.account["id"]) in keys for case in repeated)


@pytest.mark.parametrize("seed", PAIRS[:10])
def test_tickets_that_come_in_later_are_not_there_at_the_start(seed: int) -> None:
    instance = made(seed)
    tickets = {row["id"] for row in instance.rows["ticketdesk"]["tickets"]}
    arrivals = {row["id"]: row["at"] for row in instance.rows["ticketdesk"]["arrivals"]}

    for case in instance.goal["cases"]:
        assert (case.ticket_id in tickets) != (case.ticket_id in arrivals)
        assert arrivals.get(case.ticket_id, case.at) == case.at
    assert 2 <= len(arrivals) <= 4
    assert all(instance.start < at < instance.start + 210 * MINUTE for at in arrivals.values())


@pytest.mark.parametrize("number", range(10))
def test_the_rules_before_differ_in_the_matrix_and_in_every_queue(number: int) -> None:
    rules, before = draw(Draws(SALT, number))

    assert rules.matrix != before.matrix
    assert all(rules.takers[topic] != before.takers[topic] for topic in rules.takers)
    assert {urgency for _, urgency in rules.matrix} == set(URGENCIES)


def test_higher_tiers_and_priorities_are_answered_sooner() -> None:
    levels = answer_s()

    assert levels["premium", "urgent"] < levels["plus", "urgent"] < levels["standard", "urgent"]
    assert (
        levels["plus", "urgent"] < levels["plus", "high"] < levels["plus", "medium"] < levels["plus", "low"]
    )
