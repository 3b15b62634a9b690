"""Companies of a few rows and rules, built by hand."""

from collections.abc import Mapping
from typing import Any

from companyos.sdk.automations import Rule
from scenarios.constrained_change.house_rules import AssetClass
from scenarios.constrained_change.simulation import Act, Aim, Place, Row, State
from scenarios.constrained_change.statements import Statement

KEY = AssetClass("signing_key", "Signing key")
BADGE = AssetClass("vault_badge", "Vault badge")
TABLES = {"AST": ("datahub", "assets"), "TD": ("ticketdesk", "tickets")}


def asset(number: int, holder: str | None = None, class_: AssetClass = KEY) -> Row:
    """Return an asset, in the pool unless somebody holds it."""
    row_id = f"AST-{number}"
    return {"id": row_id, "name": f"{class_.name} {number}", "asset_class": class_.id, "holder": holder}


def ticket(number: int, subject: str | None = None, **columns: Any) -> Row:
    """Return a ticket in progress about an asset, or about nothing."""
    usual = {"status": "in_progress", "priority": "medium", "assignee": None}
    return {"id": f"TD-{number}", "subject": subject, **usual, **columns}


def clearance(person: str, level: int = 3) -> Row:
    """Return a person's clearance."""
    return {"id": person, "level": level}


def place(row: Row) -> Place:
    """Return where a row of these is stored; what is neither an asset nor a ticket is a clearance."""
    return *TABLES.get(row["id"].partition("-")[0], ("datahub", "clearances")), row["id"]


def state(*rows: Row, now: int = 0, values: Mapping[str, float] | None = None) -> State:
    """Return the company of these rows."""
    return State(now, {place(row): row for row in rows}, values or {})


def stated(
    statement: Statement, fields: Mapping[str, str], *, until: int | None = None, number: int = 1
) -> Rule:
    """Return a rule that one of the task's sentences states, active before `until`."""
    return Rule(
        f"AUT-{number}",
        statement.service,
        number,
        statement.trigger,
        statement.when(fields),
        statement.do(fields),
        active_until=until,
    )


def rule(service: str, trigger: str, action: str, *when: Mapping[str, Any], **arguments: Any) -> Rule:
    """Return a rule in the language of automations."""
    return Rule("AUT-1", service, 1, trigger, when, {"action": action, "with": arguments})


def hand_over(number: int, to: str) -> Act:
    """Return the act that gives an asset to a person."""
    return Act("assign", f"AST-{number}", to)


def take_back(number: int) -> Act:
    """Return the act that returns an asset to the pool."""
    return Act("return", f"AST-{number}")


def begin(number: int) -> Act:
    """Return the act that starts work on a ticket."""
    return Act("begin", f"TD-{number}")


def raise_to(number: int, priority: str) -> Act:
    """Return the act that sets a ticket's priority."""
    return Act("priority", f"TD-{number}", priority)


def wait(until: int) -> Act:
    """Return the act that lets time pass."""
    return Act("wait", "", until=until)


def aim(
    acts: list[Act],
    holders: Mapping[int, str | None],
    *,
    high: int | None = None,
    never: frozenset[tuple[str, str]] = frozenset({("lowered", ""), ("assignee:oncall", "")}),
) -> Aim:
    """Return the aim that assets have these holders, and that a ticket, if one is named, has high priority."""
    wanted: dict[Place, Mapping[str, Any]] = {
        ("datahub", "assets", f"AST-{number}"): {"holder": holder} for number, holder in holders.items()
    }
    if high is not None:
        wanted["ticketdesk", "tickets", f"TD-{high}"] = {"priority": "high"}
    return Aim(wanted, never, acts)
