"""Companies: as large as asked, the same everywhere, and the same in every service that keeps a fact."""

import json
from fractions import Fraction

import pytest

from companyos.sdk.company import SIZES, Company, fill, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso
from scenarios.packs.procurement import VENDOR_APPROVAL

from .packs import PACKS

START = from_iso("2030-03-04T09:00:00Z")


def company_of(size: str | int = "default", seed: int = 0, *, original: bool = False) -> Company:
    company = Company(Draws("s", "test", seed), START, PACKS, size)
    fill(company, hire_cast(company, persona_role="analyst", team="Purchasing", original=original))
    return company


def small() -> Company:
    return Company(Draws("s", "test", 0), START, PACKS, "small")


def by_id(rows):
    return {row["id"]: row for row in rows}


@pytest.mark.parametrize("size", ["small", "default", "large", 137, 2000])
def test_a_company_has_about_as_many_rows_as_asked(size):
    asked = SIZES.get(size, size)

    assert asked <= company_of(size).count() <= asked + 20


@pytest.mark.parametrize("size", ["tiny", 0, -1, 200_001, True, None])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="small, default, large, huge or a number"):
        Company(Draws("s"), START, PACKS, size)


def test_equal_draws_give_an_equal_company():
    assert json.dumps(company_of().rows) == json.dumps(company_of().rows)


def test_another_seed_gives_another_company():
    first, second = ({person.id for person in company_of(seed=seed).people} for seed in (1, 2))

    assert len(first & second) <= 2


def test_ids_are_unique_in_every_table():
    for tables in company_of("large").rows.values():
        for rows in tables.values():
            assert len(by_id(rows)) == len(rows)


def test_every_service_knows_the_same_people():
    rows = company_of("large").rows
    directory = by_id(rows["datahub"]["people"])

    for copy in rows["ticketdesk"]["people"]:
        assert copy == {
            **{key: directory[copy["id"]][key] for key in ("id", "name", "role", "team")},
            "active": True,
        }
    for copy in rows["approvalflow"]["people"]:
        known = {key: copy[key] for key in ("name", "role", "delegate", "delegate_types", "delegate_limit")}
        assert known == {key: directory[copy["id"]][key] for key in known}
    assert (
        set(directory)
        == set(by_id(rows["ticketdesk"]["people"]))
        == set(by_id(rows["approvalflow"]["people"]))
    )


def test_approvals_know_every_ticket_and_whether_it_stands_verified():
    rows = company_of("large").rows
    tickets = by_id(rows["ticketdesk"]["tickets"])

    assert set(tickets) == set(by_id(rows["approvalflow"]["tickets"]))
    for copy in rows["approvalflow"]["tickets"]:
        ticket = tickets[copy["id"]]
        assert (copy["kind"], copy["subject"], copy["version"]) == (
            ticket["kind"],
            ticket["subject"],
            ticket["version"],
        )
        assert copy["verified"] == (ticket["verified_by"] is not None)


def test_approvals_know_every_metric():
    rows = company_of("large").rows
    metrics = by_id(rows["datahub"]["metrics"])

    for known in rows["approvalflow"]["metrics"]:
        metric = metrics.pop(known["id"])
        assert known["expires_at"] == metric["as_of"] + metric["ttl_s"]
        assert all(known[key] == metric[key] for key in ("name", "subject", "value", "as_of", "version"))
    assert not metrics


def test_past_rows_lie_between_the_epoch_and_the_start():
    rows = company_of("large").rows

    for ticket in rows["ticketdesk"]["tickets"]:
        assert 0 < ticket["created_at"] <= ticket["updated_at"] < START
        assert ticket["verified_at"] is None or ticket["created_at"] < ticket["verified_at"] < START
    for comment in rows["ticketdesk"]["comments"]:
        assert comment["created_at"] <= START
    for request in rows["approvalflow"]["requests"]:
        assert request["submitted_at"] < request["decided_at"] < START


def test_background_rows_do_not_come_due_during_the_episode():
    rows = company_of("large").rows

    assert not [m for m in rows["datahub"]["metrics"] if START < m["as_of"] + m["ttl_s"] < START + 400 * DAY]
    assert not [a for a in rows["datahub"]["absences"] if a["ends_at"] > START]
    assert not [r for r in rows["approvalflow"]["requests"] if r["decision_due"] is not None]


def test_every_subject_is_a_record():
    rows = company_of("large").rows
    records = by_id(rows["datahub"]["records"])

    assert all(ticket["subject"] in records for ticket in rows["ticketdesk"]["tickets"] if ticket["subject"])
    assert all(metric["subject"] in records for metric in rows["datahub"]["metrics"] if metric["subject"])


def test_the_deputy_of_finance_is_easily_taken_for_that_of_its_chief():
    directory = by_id(company_of().rows["datahub"]["people"])
    deputy = {person["role"]: person["delegate"] for person in directory.values()}

    chief, director = deputy["cfo"], deputy["finance_director"]
    assert chief != director
    assert chief.split(".")[1] == director.split(".")[1]
    finance = next(person for person in directory.values() if person["role"] == "finance_director")
    assert VENDOR_APPROVAL not in finance["delegate_types"]


def test_a_decision_comes_after_its_ticket_even_if_that_is_new():
    company = small()
    clerk, chief = company.hire("Ann Lee", "analyst", "Purchasing"), company.hire("Bob Ray", "cfo", "Finance")
    ticket = company.add_ticket("TD-9000", "task", "Look", "Look.", clerk)

    request = company.decided(ticket, VENDOR_APPROVAL, {}, clerk, chief, "approved")

    assert ticket["created_at"] == START - 3 * HOUR
    assert ticket["created_at"] <= request["submitted_at"] < request["decided_at"] <= START


def test_averages_are_rounded_alike_by_every_version_of_python():
    drawn = company_of("large")
    metrics = {row["id"]: row for row in drawn.rows["datahub"]["metrics"]}
    averages = [row for row in metrics.values() if row["name"].startswith("average_")]

    assert averages
    for average in averages:
        values = [Fraction(metrics[upstream]["value"]) for upstream in average["upstream"]]
        assert average["value"] == round(float(sum(values)) / len(values), 2)
