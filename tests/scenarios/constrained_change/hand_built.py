"""Companies of a few rows and rules, built by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from companyos.sdk.automations import Rule
from companyos.sdk.grading.state import Row
from scenarios.constrained_change.pack import AssetClass
from scenarios.constrained_change.search import Aim
from scenarios.constrained_change.simulation import Act, Place, Simulation, State

KEY, BADGE = AssetClass("Signing key"), AssetClass("Vault badge")
TABLES = {"AST": ("datahub", "assets"), "TD": ("ticketdesk", "tickets")}


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


def place(row_id: str) -> Place:
    """Return where a row is stored; what is neither an asset nor a ticket is a clearance."""
    return *TABLES.get(row_id.partition("-")[0], ("datahub", "clearances")), row_id


def state(*rows: Row, now: int = 0) -> State:
    """Return the company of these rows."""
    return State(now, {place(row["id"]): row for row in rows}, {})


def rule(trigger: str, action: str, *when: Mapping[str, Any], **arguments: Any) -> Rule:
    """Return a rule of DataHub in the language of automations."""
    return Rule("AUT-1", "datahub", 1, trigger, when, {"action": action, "with": arguments})


def effects(start: State, act: Act, *rules: Rule) -> list[tuple[str, str]]:
    """Return what rules do in answer to an act."""
    alone, found = (Simulation(each).after(start, act) for each in ((), rules))
    return [*found.history[len(alone.history) :]]


def aim(acts: Sequence[Act], wanted: Mapping[str, str | None]) -> Aim:
    """Return the aim that assets have these holders and tickets these priorities, and that nobody is harmed."""
    columns = {"AST": "holder", "TD": "priority"}
    rows = {place(key): {columns[key.partition("-")[0]]: value} for key, value in wanted.items()}
    return Aim(rows, frozenset({("lowered", ""), ("assignee:oncall", "")}), acts)
