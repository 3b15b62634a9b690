"""Queues, changes, periods, records and rules of a company under construction, each as its service stores it."""

from typing import Any

import pytest

from companyos.evaluation.conformance.rows import tables_of
from companyos.sdk.automations import AutomationsUnsafe
from companyos.sdk.company import Company, Person, Row, precedence
from companyos.sdk.company.areas.automations import rule_of
from companyos.sdk.company.areas.changes import add_change, add_remedy
from companyos.sdk.company.areas.periods import recompute_from
from companyos.sdk.company.areas.support import (
    add_service_levels,
    filed_at,
    place,
    start_clock,
)
from companyos.sdk.simtime import DAY, HOUR
from scenarios.packs import finance, office

from .building import START, company


def staffed() -> tuple[Company, Person, Row]:
    """Return a company, a person, and a ticket of theirs."""
    built = company()
    ada = built.hire("Ada Moss", "engineer", "Engineering")
    return built, ada, built.add_ticket("TD-1005", "task", "Look", "Look.", ada)


def system(built: Company) -> Row:
    return built.add_record("SVC-1", "service", "search worker", {"cost_centre": "CC-1"}, "active")


def columns(service: str, table: str) -> set[str]:
    return set(tables_of(service)[table].columns)


def test_service_levels_share_one_calendar_of_ten_hours_on_every_day() -> None:
    built, *_ = staffed()

    add_service_levels(built, {("gold", "high"): HOUR, ("basic", "low"): 2 * DAY})

    [calendar] = built.rows["ticketdesk"]["calendars"]
    assert calendar["closes_s"] - calendar["opens_s"] == 10 * HOUR
    assert calendar["weekdays"] == [0, 1, 2, 3, 4, 5, 6]
    levels = {row["id"]: row for row in built.rows["ticketdesk"]["service_levels"]}
    assert {key: row["answer_s"] for key, row in levels.items()} == {"gold:high": HOUR, "basic:low": 2 * DAY}
    assert {row["calendar"] for row in levels.values()} == {calendar["id"]}


def test_a_ticket_is_placed_and_its_clock_started_when_it_was_filed() -> None:
    built, _, ticket = staffed()
    filed_at(built, ticket, START - 2 * HOUR)

    placed, clock = place(built, ticket, "Q-1"), start_clock(built, ticket, "gold")

    assert (placed["placed_by"], placed["placed_at"]) == ("ada.moss", START - 2 * HOUR)
    assert (clock["started_at"], clock["answered_at"], clock["breached_at"]) == (START - 2 * HOUR, None, None)


def test_filing_a_ticket_at_another_time_moves_its_history_and_no_other() -> None:
    built, ada, ticket = staffed()
    other = built.add_ticket("TD-1006", "task", "Look", "Look.", ada)

    filed_at(built, ticket, START - 60)

    at = {line["ticket_id"]: line["at"] for line in built.rows["ticketdesk"]["history"]}
    assert at == {"TD-1005": START - 60, "TD-1006": other["created_at"]}
    assert ticket["created_at"] == ticket["updated_at"] == START - 60


@pytest.mark.parametrize(
    ("undone_after_s", "status", "rolled_back_at", "version"),
    [
        (None, "rolled_out", None, 2),
        (0, "rolled_back", START - DAY, 3),
        (HOUR, "rolled_back", START - DAY + HOUR, 3),
    ],
    ids=["live", "undone at once", "undone later"],
)
def test_a_change_of_the_past_is_live_unless_it_was_undone(
    undone_after_s: int | None, status: str, rolled_back_at: int | None, version: int
) -> None:
    built, ada, ticket = staffed()

    change = add_change(
        built, "CH-1", ticket, system(built), "restart", ada, age_s=DAY, undone_after_s=undone_after_s
    )

    assert (change["status"], change["rolled_back_at"], change["version"]) == (
        status,
        rolled_back_at,
        version,
    )
    assert change["rolled_out_at"] == START - DAY
    assert set(change) == columns("ticketdesk", "changes")


def test_a_remedy_belongs_to_one_metric_and_is_hidden_from_the_size() -> None:
    built, *_ = staffed()
    metric = built.add_metric("error_rate", "SVC-1", 9.0, "%", age_s=60, ttl_s=DAY, values=[9.0])
    before = built.count()

    remedy = add_remedy(built, metric, system(built), "restart", before=[9.0], after=[1.0])

    assert (remedy["id"], remedy["before"], remedy["after"]) == (metric["id"], [9.0], [1.0])
    assert built.count() == before + 1, "the record counts, the remedy does not"


def test_a_recomputed_metric_names_its_parts_and_keeps_their_weights_hidden() -> None:
    built, *_ = staffed()
    first, second, whole = (
        built.add_metric(name, None, 1.0, "EUR", age_s=60, ttl_s=DAY) for name in ("one", "two", "all")
    )

    recompute_from(built, whole, 5.0, {second["id"]: -1.0, first["id"]: 2.0})

    assert whole["upstream"] == sorted([first["id"], second["id"]])
    source = built.source(whole["id"])
    assert (source["values"], source["weights"]) == ([5.0], {second["id"]: -1.0, first["id"]: 2.0})


def rule(
    built: Company, service: str = "ticketdesk", trigger: str = "ticket.verified", **columns: Any
) -> Row:
    return built.add_automation(
        service,
        trigger,
        [{"left": "$kind", "is": "eq", "right": "task"}],
        {"action": "comment", "with": {"ticket": "$ticket_id", "body": "Seen."}},
        name="A rule",
        description="Says that it was seen.",
        **columns,
    )


def test_a_rule_is_read_back_as_it_was_added() -> None:
    built, *_ = staffed()

    row = rule(built, paused=True, active_from=START, active_until=START + DAY)
    read = rule_of("ticketdesk", row)

    assert (read.id, read.service, read.trigger, read.number) == (
        row["id"],
        "ticketdesk",
        "ticket.verified",
        1,
    )
    assert (read.paused, read.active_from, read.active_until) == (True, START, START + DAY)
    assert built.automation_rules() == [read]


def test_an_announced_change_of_a_rule_leaves_the_rule_alone() -> None:
    built, *_ = staffed()
    row = rule(built, paused=True)

    change = built.announce_automation("ticketdesk", row, START + DAY, "It starts.", paused=False)

    assert row["paused"] is True
    assert (change["automation_id"], change["changes"]) == (row["id"], {"paused": False})


def test_rules_that_would_never_come_to_an_end_are_refused() -> None:
    built, *_ = staffed()
    built.add_automation(
        "ticketdesk",
        "ticket.reopened",
        [],
        {"action": "reopen", "with": {"ticket": "$ticket_id"}},
        name="Again",
        description="Reopens what was reopened.",
    )

    with pytest.raises(AutomationsUnsafe, match="cycle"):
        built.prove_automations()


def test_a_company_without_a_ledger_has_no_rule_of_precedence() -> None:
    built = company(packs=(office.PACK,))

    precedence.lay_down(built)

    assert built.rows["datahub"]["records"] == []


def test_the_kind_that_prevails_is_drawn_per_kind_of_record() -> None:
    drawn = set()
    for seed in range(30):
        built = company(seed)
        precedence.lay_down(built)
        drawn.add(tuple(precedence.authority(built, kind) for kind in built.content.record_kinds))

    assert len(drawn) > 10
    assert {one for pair in drawn for one in pair} == {*company().content.record_kinds, "cost_allocation"}


def test_a_ledger_entry_points_to_its_record_and_the_record_back() -> None:
    built = company()
    record = system(built)
    assert finance.PACK.ledger is not None

    entry = precedence.allocate(built, finance.PACK.ledger, record, "CC-9")

    assert entry["name"] == "Cost allocation of search worker"
    assert entry["fields"] == {"about": "SVC-1", "cost_centre": "CC-9"}
    assert record["fields"] == {"cost_centre": "CC-1", "see_also": entry["id"]}
