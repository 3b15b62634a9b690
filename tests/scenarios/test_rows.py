"""The rows of every scenario fit the tables of the services to the column, and agree with one another."""

from importlib import import_module
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from companyos.chassis.tables import WorldTable, world_tables

from .conftest import EVERY_LEVEL, instance_of

SERVICES = ("approvalflow", "datahub", "ticketdesk")


def tables_of(service: str) -> dict[str, WorldTable]:
    metadata = import_module(f"services.{service}.models").metadata
    return {table.name: table for table in world_tables(metadata) if not table.internal}


def options(hint: Any) -> list[Any]:
    return list(get_args(hint)) if isinstance(hint, UnionType) else [hint]


def fits(value: Any, hint: Any) -> bool:
    """Say whether a value is what a column's annotation asks for; members of closed sets by value."""
    if value is None:
        return NoneType in options(hint)
    return any(fits_one(value, option) for option in options(hint))


def fits_one(value: Any, kind: Any) -> bool:
    plain = get_origin(kind) or kind
    if plain is list:
        return isinstance(value, list) and all(fits(item, (*get_args(kind), Any)[0]) for item in value)
    if plain is dict:
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if plain is Any:
        return True
    if plain is float:
        return type(value) is float
    if isinstance(plain, type) and issubclass(plain, str) and plain is not str:
        return value in set(plain)
    return type(value) is plain


@pytest.mark.parametrize("level", EVERY_LEVEL)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 77])
def test_every_row_fits_its_table_exactly(scenario, seed, level):
    rows = instance_of(scenario, seed, level).rows

    assert set(rows) == set(SERVICES)
    for service in SERVICES:
        tables = tables_of(service)
        assert set(rows[service]) <= set(tables)
        for name, listed in rows[service].items():
            hints = get_type_hints(tables[name].row)
            for row in listed:
                assert set(row) == set(tables[name].columns), (name, row)
                wrong = {column: value for column, value in row.items() if not fits(value, hints[column])}
                assert not wrong, (service, name, row["id"], wrong)


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_ids_are_unique_and_refer_to_what_there_is(scenario, level):
    for seed in range(4):
        rows = instance_of(scenario, seed, level).rows
        ids = {
            (service, table): [row["id"] for row in listed]
            for service, tables in rows.items()
            for table, listed in tables.items()
        }
        assert all(len(set(listed)) == len(listed) for listed in ids.values())

        people, tickets = set(ids["datahub", "people"]), set(ids["ticketdesk", "tickets"])
        things = set(ids["datahub", "records"]) | set(ids["datahub", "metrics"])
        for ticket in rows["ticketdesk"]["tickets"]:
            assert {ticket["reporter"], ticket["assignee"] or ticket["reporter"]} <= people
            assert ticket["subject"] is None or ticket["subject"] in things
            assert set(ticket["blocked_by"]) <= tickets | set(ids["ticketdesk", "awaited"])
            assert bool(ticket["blocked_by"]) == (ticket["status"] == "blocked")
        for request in rows["approvalflow"]["requests"]:
            assert {request["requester"], request["approver"]} <= people
            assert request["ticket_id"] in tickets
        assert set(ids["datahub", "sources"]) <= set(ids["datahub", "metrics"])


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_a_projection_is_what_the_events_would_have_left(scenario, level):
    for seed in range(4):
        instance = instance_of(scenario, seed, level)
        rows, start = instance.rows, instance.start
        away = {
            absence["person_id"]: absence["ends_at"]
            for absence in rows["datahub"]["absences"]
            if absence["starts_at"] <= start < absence["ends_at"]
        }
        for person in rows["approvalflow"]["people"]:
            assert person["away"] == (person["id"] in away)
            assert person["away_until"] == away.get(person["id"])
        metrics = {metric["id"]: metric for metric in rows["datahub"]["metrics"]}
        for figure in rows["approvalflow"]["figures"]:
            metric = metrics.pop(figure["id"])
            assert figure["expires_at"] == metric["as_of"] + metric["ttl_s"]
            assert figure["value"] == metric["value"]
        assert not metrics
        announced = {metric["id"]: metric["version"] for metric in rows["datahub"]["metrics"]}
        announced |= {one["id"]: 0 for one in rows["approvalflow"]["requests"] if one["status"] == "pending"}
        for awaited in rows["ticketdesk"]["awaited"]:
            assert (awaited["prospect"], awaited["since"]) == ("open", announced[awaited["id"]])


def test_the_goal_is_surrounded_by_what_is_easily_taken_for_it(scenario):
    for seed in range(8):
        instance = instance_of(scenario, seed)
        goal, rows = instance.goal, instance.rows
        metric = next(row for row in rows["datahub"]["metrics"] if row["id"] == goal["metric_id"])
        ticket = next(row for row in rows["ticketdesk"]["tickets"] if row["id"] == goal["ticket_id"])
        record = next(row for row in rows["datahub"]["records"] if row["id"] == goal["subject"])

        namesakes = [
            row["id"]
            for row in rows["datahub"]["records"]
            if row["kind"] == record["kind"] and row["id"] != record["id"]
        ]
        alike = [row for row in rows["datahub"]["metrics"] if row["name"] == metric["name"]]
        assert len(alike) >= 2
        assert any(row["subject"] in namesakes for row in alike) or goal["type_id"] == "handbook_approval"
        assert [
            row
            for row in rows["ticketdesk"]["tickets"]
            if row["kind"] == ticket["kind"] and row["subject"] in namesakes and row["status"] == "new"
        ]
