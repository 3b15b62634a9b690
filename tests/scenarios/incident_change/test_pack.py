"""The background of a platform team: other systems, their runbooks, and past incidents like the one at hand."""

from functools import cache
from typing import Any

import pytest

from companyos.company import Company, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.incident_change import names
from scenarios.incident_change.pack import (
    INCIDENT,
    METRIC,
    PACK,
    PROCEDURES,
    REFRESH_S,
    ROLE,
    TEAM,
    TTL_S,
    add_error_rate,
    add_runbook,
    add_system,
)
from scenarios.incident_change.reading import read_procedures
from scenarios.incident_change.scenario import SCENARIO
from tests.scenarios.conftest import SALT

from .incidents import START

Row = dict[str, Any]
STORIES = 60


def staffed() -> Company:
    """Return a company of people alone."""
    company = Company(Draws(SALT, "pack", 0), START, SCENARIO.packs, "small")
    hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
    return company


@cache
def busy() -> Company:
    """Return a company with many past incidents."""
    company = Company(Draws(SALT, "pack", 1), START, SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
    for number in range(STORIES):
        PACK.stories[0](company, cast, number)
    return company


def table(service: str, name: str) -> list[Row]:
    return busy().rows[service][name]


def system_of(company: Company) -> Row:
    owner = company.people[0]
    return add_system(company, "SYS-7", "Checkout North", owner, area="Payments", tier="core", limit=1.5)


def test_an_error_rate_is_that_of_its_system_and_goes_stale_in_hours() -> None:
    company = staffed()

    metric = add_error_rate(company, system_of(company), "MET-0200", 4.0, age_s=5 * HOUR, past=[])

    assert (metric["name"], metric["subject"], metric["unit"]) == (METRIC, "SYS-7", "%")
    assert (metric["ttl_s"], metric["refresh_s"]) == (TTL_S, REFRESH_S)
    assert metric["as_of"] == company.start - 5 * HOUR


@pytest.mark.parametrize(
    ("truly", "values"), [(None, []), (9.0, [9.0]), (0.0, [0.0])], ids=["the same", "another", "nothing"]
)
def test_a_refresh_brings_the_true_rate_if_it_differs_from_the_one_shown(
    truly: float | None, values: list[float]
) -> None:
    company = staffed()

    add_error_rate(company, system_of(company), "MET-0200", 4.0, age_s=0, past=[], truly=truly)

    assert [value for row in company.rows["datahub"]["sources"] for value in row["values"]] == values


def test_past_rates_come_before_the_current_one() -> None:
    company = staffed()
    past = [(30 * HOUR, 1.0), (20 * HOUR, 2.0)]

    add_error_rate(company, system_of(company), "MET-0200", 4.0, age_s=5 * HOUR, past=past)

    changes = company.rows["datahub"]["changes"]
    assert [row["after"]["value"] for row in changes] == [1.0, 2.0, 4.0]
    assert [company.start - row["at"] for row in changes] == [30 * HOUR, 20 * HOUR, 5 * HOUR]


@pytest.mark.parametrize("procedures", [["restart"], ["failover", "restart"], list(PROCEDURES)])
def test_a_runbook_lists_its_procedures_so_that_they_can_be_read_back(procedures: list[str]) -> None:
    company = staffed()

    runbook = add_runbook(company, system_of(company), company.people[0], procedures, age_s=DAY)

    assert read_procedures(runbook["body"]) == procedures
    assert all(names.STEPS[one] in runbook["body"] for one in procedures)


def test_an_edition_supersedes_the_one_before_and_may_be_out_of_force_itself() -> None:
    company = staffed()
    system, owner = system_of(company), company.people[0]

    before = add_runbook(company, system, owner, ["restart"], age_s=9 * DAY, status="superseded")
    now = add_runbook(company, system, owner, ["failover"], age_s=DAY, supersedes=before["id"])

    assert [row["status"] for row in (before, now)] == ["superseded", "in_force"]
    assert (now["supersedes"], now["version"]) == (before["id"], 2)


def test_each_story_adds_a_system_with_a_rate_a_runbook_and_a_past_incident() -> None:
    systems = [row["id"] for row in table("datahub", "records")]
    rates = [row["subject"] for row in table("datahub", "metrics")]
    runbooks = [row["links"][0] for row in table("datahub", "documents")]
    incidents = [row["subject"] for row in table("ticketdesk", "tickets")]

    assert len(systems) == STORIES
    assert systems == rates == runbooks == incidents


def test_system_names_stay_unique_when_words_run_out() -> None:
    seen = [row["name"] for row in table("datahub", "records")]
    renamed = [name for name in seen if name[-1].isdigit()]

    assert len(set(seen)) == len(seen)
    assert renamed


def test_past_incidents_are_worded_like_the_one_at_hand_and_name_their_system() -> None:
    named = {row["id"]: row["name"] for row in table("datahub", "records")}

    for ticket in table("ticketdesk", "tickets"):
        assert ticket["kind"] == INCIDENT
        assert ticket["title"].startswith(f"{named[ticket['subject']]}: ")
        assert named[ticket["subject"]] in ticket["description"]


def test_past_changes_are_the_first_step_of_their_runbook_and_older_than_a_day() -> None:
    first = {
        row["links"][0]: read_procedures(row["body"])[0]
        for row in table("datahub", "documents")
        if row["kind"] == "runbook"
    }
    changes = table("ticketdesk", "changes")

    assert 0 < len(changes) < STORIES
    for change in changes:
        assert change["procedure"] == first[change["system"]]
        assert change["rolled_out_at"] <= busy().start - 2 * DAY


def test_some_past_changes_are_still_live_and_some_were_taken_back_after_an_hour() -> None:
    lasted = {
        row["rolled_back_at"] and row["rolled_back_at"] - row["rolled_out_at"]
        for row in table("ticketdesk", "changes")
    }

    assert lasted == {None, HOUR}


def test_rates_of_other_systems_are_computed_from_earlier_ones_so_that_lineage_has_no_circle() -> None:
    at = {row["id"]: number for number, row in enumerate(table("datahub", "metrics"))}
    edges = [(row["id"], one) for row in table("datahub", "metrics") for one in row["upstream"]]

    assert edges
    assert all(at[upstream] < at[metric] for metric, upstream in edges)


def test_lineage_of_other_systems_never_leads_to_a_rate_whose_refresh_was_drawn() -> None:
    company = staffed()
    cast = hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
    drawn = add_error_rate(company, system_of(company), "MET-0900", 4.0, age_s=0, past=[], truly=9.0)

    for number in range(8):
        PACK.stories[0](company, cast, number)

    upstream = [one for row in company.rows["datahub"]["metrics"] for one in row["upstream"]]
    assert upstream
    assert drawn["id"] not in upstream
