"""The automations of a company under construction, and the assets and clearances that many of them use."""

from collections.abc import Mapping, Sequence
from typing import Any

from companyos.sdk.automations import Rule, prove

from ...rows import Row
from ...tables import Tables
from .offers import OFFERS


class Automations(Tables):
    """The rules that a company's services run automatically."""

    def add_automation(
        self,
        service: str,
        trigger: str,
        when: Sequence[Mapping[str, Any]],
        do: Mapping[str, Any],
        *,
        name: str,
        description: str,
        automation_id: str | None = None,
        listed: bool = True,
        paused: bool = False,
        active_from: int | None = None,
        active_until: int | None = None,
    ) -> Row:
        """Add a rule to a service; rules on the same trigger run in the order in which they were added.

        Args:
            trigger: An event, or one of the service's tables.
            when: Its conditions (see `companyos.sdk.automations.rules`).
            do: Its action and arguments.
            listed: Whether the list of automations shows it.
            paused: Whether it is paused until an announced change.
            active_from: The first instant at which it runs; from `active_until` on, it no longer does.
        """
        row = {
            "id": automation_id or self.numbers.next("AUT"),
            "name": name,
            "description": description,
            "number": 1 + self._count_on(service, trigger),
            "trigger": trigger,
            "when": [dict(one) for one in when],
            "do": dict(do),
            "listed": listed,
            "paused": paused,
            "active_from": active_from,
            "active_until": active_until,
            "version": 1,
        }
        return self.add_row(service, "automations", row)

    def announce_automation(self, service: str, automation: Row, at: int, notice: str, **changes: Any) -> Row:
        """Announce that columns of a rule change at a future time."""
        change = {
            "id": self.numbers.next("AC"),
            "automation_id": automation["id"],
            "at": at,
            "changes": changes,
            "notice": notice,
        }
        return self.add_row(service, "automation_changes", change)

    def prove_automations(self) -> None:
        """Prove that the rules terminate, with the same result in every order of delivery.

        Raises:
            AutomationsUnsafe: The proof fails.
        """
        prove(self.automation_rules(), OFFERS)

    def automation_rules(self) -> list[Rule]:
        """Return the rules of all services, by service and in the order in which they were added."""
        return [
            rule_of(service, row)
            for service in sorted(self.rows)
            for row in self.rows[service]["automations"]
        ]

    def add_asset(self, asset_id: str, name: str, asset_class: str, holder: str | None) -> Row:
        """Add an asset, held by a person or in the pool."""
        row = {"id": asset_id, "name": name, "asset_class": asset_class, "holder": holder, "version": 1}
        return self.add_row("datahub", "assets", row)

    def set_clearance(self, person_id: str, level: int) -> Row:
        """Give a person a clearance level, from 0 to 5."""
        return self.add_row("datahub", "clearances", {"id": person_id, "level": level, "version": 1})

    def _count_on(self, service: str, trigger: str) -> int:
        return sum(row["trigger"] == trigger for row in self.rows[service]["automations"])


def rule_of(service: str, row: Mapping[str, Any]) -> Rule:
    """Return the rule described by a row, or by the part of a row that a tool shows."""
    return Rule(
        id=row["id"],
        service=service,
        number=row["number"],
        trigger=row["trigger"],
        when=row["when"],
        do=row["do"],
        paused=row["paused"],
        active_from=row["active_from"],
        active_until=row["active_until"],
    )
