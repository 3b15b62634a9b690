"""Companies of a few rows and rules, built by hand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companyos.sdk.automations import Rule
from companyos.sdk.grading.state import Row
from scenarios.constrained_change.pack import AssetClass
from scenarios.constrained_change.simulation import CHANGING, Act, State

KEY, BADGE = AssetClass("Signing key"), AssetClass("Vault badge")
TABLES = {"AST": "assets", "TD": "tickets"}


def asset(number: int, holder: str | None = None, class_: AssetClass = KEY) -> Row:
    """Return an asset, in the pool unless somebody holds it."""
    return {"id": f"AST-{number}", "name": class_.name, "asset_class": class_.id, "holder": holder}


def ticket(number: int, subject: str | None = None, **columns: Any) -> Row:
    """Return a ticket in progress about an asset, or about nothing."""
    usual = {"status": "in_progress", "priority": "medium", "assignee": None}
    return {"id": f"TD-{number}", "subject": subject, **usual, **columns}


def clearance(person: str, level: int = 3) -> Row:
    """Return a person's clearance."""
    return {"id": person, "level": level}


def state(*rows: Row, rules: tuple[Rule, ...] = ()) -> State:
    """Return the company of these rows, in which `oncall` must not be paged; the rest are clearances."""
    tables = (TABLES.get(row["id"].partition("-")[0], "clearances") for row in rows)
    return State(
        0, {(table, row["id"]): row for table, row in zip(tables, rows, strict=True)}, rules, {}, "oncall"
    )


def rule(trigger: str, action: str, *when: Mapping[str, Any], **arguments: Any) -> Rule:
    """Return a rule of DataHub in the language of automations."""
    return Rule("AUT-1", "datahub", 1, trigger, when, {"action": action, "with": arguments})


def hand_over(asset_id: str, person: str | None) -> Act:
    """Return the act that gives an asset to a person, or back to the pool."""
    return Act(asset_id, "holder", person)


def raise_to(ticket_id: str, priority: str) -> Act:
    """Return the act that sets a ticket's priority."""
    return Act(ticket_id, "priority", priority)


def wait(until: int) -> Act:
    """Return the act that lets time pass."""
    return Act("", "now", until)


def effects(start: State, act: Act) -> dict[tuple[str, str], Any]:
    """Return the values that rules give columns in answer to an act, by row and column."""
    alone, found = replace(start, rules=()).after(act), start.after(act)
    return {
        (place[1], column): row[column]
        for place, row in found.rows.items()
        for column in CHANGING
        if row.get(column) != alone.rows[place].get(column)
    }
