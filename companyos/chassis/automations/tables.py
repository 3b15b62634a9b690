"""The tables of a service's automations: the rules, their announced changes, and a journal of what they did."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from ..world.tables import world_table


@dataclass(frozen=True)
class AutomationTables:
    """The row classes of one service's automations."""

    rule: Any
    change: Any
    run: Any


def declare_tables(metadata: sa.MetaData) -> AutomationTables:
    """Add the tables of automations to a service's metadata."""
    return AutomationTables(_rules(metadata), _changes(metadata), _runs(metadata))


def _rules(metadata: sa.MetaData) -> type:
    @world_table(metadata, "automations", indexes=[("trigger",)], maintained=("version",))
    class Automation:
        """A rule of the company (see `companyos.sdk.automations`).

        Attributes:
            id: `AUT-` and a number.
            number: Its position among the rules on its trigger.
            listed: Whether the list of automations shows it.
        """

        id: str
        name: str
        description: str
        number: int
        trigger: str
        when: list[dict[str, Any]]
        do: dict[str, Any]
        listed: bool = True
        paused: bool = False
        active_from: int | None = None
        active_until: int | None = None
        version: int = 1

    return Automation


def _changes(metadata: sa.MetaData) -> type:
    @world_table(metadata, "automation_changes", indexes=[("automation_id",)], maintained=("at",))
    class AutomationChange:
        """An announced change of a rule: columns, with the values that they have from `at` on."""

        id: str
        automation_id: str
        at: int
        changes: dict[str, Any] = field(default_factory=dict)
        notice: str = ""

    return AutomationChange


def _runs(metadata: sa.MetaData) -> type:
    @world_table(metadata, "automation_runs", journal=True, hidden=True)
    class AutomationRun:
        """One occasion on which a rule's conditions held; the id is `<automation>:<event>`."""

        id: str
        automation_id: str
        at: int
        arguments: dict[str, Any] = field(default_factory=dict)

    return AutomationRun
