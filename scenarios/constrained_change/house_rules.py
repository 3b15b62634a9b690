"""Adds the rules that decide a task to its company, some to the registers and some to documents only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.company import Company, Person, Row
from companyos.sdk.automations import given
from companyos.sdk.simtime import to_iso

from . import statements
from .statements import Statement

#: How likely a rule is to stand in no register, but in the arrangements of the team concerned.
_UNREGISTERED: Final = 0.6


@dataclass(frozen=True)
class AssetClass:
    """A class of assets: its id, and the name of one asset."""

    id: str
    name: str

    @property
    def one(self) -> str:
        """The name of one asset, for use in a sentence."""
        return self.name.lower()

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a statement about the class."""
        return {"name": self.name, "one": self.one, "class_": self.id}


@dataclass(frozen=True)
class HouseRules:
    """Adds the rules of a task to its company.

    Attributes:
        arranged: Sentences that state the rules of the field teams that stand in no register.
        on_call: Those about the on-call.
    """

    company: Company
    oncall: Person
    arranged: list[str] = field(default_factory=list)
    on_call: list[str] = field(default_factory=list)

    def ceiling(self, class_: AssetClass, metric: Row) -> Row:
        """A person who holds more assets of a class than the metric allows loses a level."""
        held = {"count": "assets", "where": {"holder": "$holder", "asset_class": class_.id}}
        return self._add(
            "datahub",
            "asset.assigned",
            [
                given("$asset_class", "eq", class_.id),
                given(held, "gt", {"value": "live_metric", "of": metric["id"]}),
            ],
            {"action": "change_clearance", "with": {"person": "$holder", "by": -1}},
            f"{class_.name}: ceiling",
            f"A person who is given a {class_.one} and then holds more of them than {metric['id']} ({metric['name']}) "
            "allows loses one level of clearance. The value at the metric's source counts, not the last one read.",
        )

    def last(self, class_: AssetClass) -> Row:
        """A person who gives away their last asset of a class loses a level; the policy alone says so."""
        row, _ = self._state(statements.LAST, listed=False, **class_.fields)
        return row

    def page(self) -> Row:
        """A ticket that becomes urgent is assigned to the on-call."""
        return self._drawn(statements.PAGE, self.on_call, oncall=self.oncall.id)

    def unstarted(self, class_: AssetClass, statement: Statement = statements.UNSTARTED) -> Row:
        """An asset that moves before work on its ticket has started makes the ticket urgent."""
        return self._drawn(statement, self.arranged, **class_.fields)

    def freeze(self, class_: AssetClass, until: int) -> Row:
        """During the freeze, an asset that moves makes its ticket urgent."""
        row = self._drawn(statements.FREEZE, self.arranged, until=to_iso(until), **class_.fields)
        row["active_until"] = until
        return row

    def paused(self, class_: AssetClass, resumes: int) -> Row:
        """From tomorrow on, a person who receives an asset of a class loses a level."""
        row = self._add(
            "datahub",
            "asset.assigned",
            [given("$asset_class", "eq", class_.id)],
            {"action": "change_clearance", "with": {"person": "$holder", "by": -1}},
            f"{class_.name}: review",
            f"A person who is given a {class_.one} loses one level of clearance until their review.",
            paused=True,
        )
        notice = f"{row['id']} is paused and resumes at {to_iso(resumes)}."
        self.company.announce_automation("datahub", row, resumes, notice, paused=False)
        return row

    def follows(self, class_: AssetClass, ticket: Row, to: str) -> Row:
        """A move of an asset of a class sets the project's priority."""
        return self._drawn(statements.FOLLOWS, self.arranged, ticket=ticket["id"], to=to, **class_.fields)

    def twin(self, class_: AssetClass, one: Row, other: Row) -> Row:
        """When one of a pair of assets moves, the other goes back unless it has the same holder."""
        return self._drawn(
            statements.TWIN, self.arranged, name=class_.name, asset=one["id"], other=other["id"]
        )

    def _drawn(self, statement: Statement, arranged: list[str], **fields: str) -> Row:
        """Add a rule to a register, or else its sentence to a team's arrangements."""
        key = (statement.name, *sorted(fields.values()))
        listed = not self.company.draws.chance("unregistered", _UNREGISTERED, *key)
        row, text = self._state(statement, listed=listed, **fields)
        if not listed:
            arranged.append(text)
        return row

    def _state(self, statement: Statement, *, listed: bool, **fields: str) -> tuple[Row, str]:
        text = statement.text.format(**fields)
        row = self._add(
            statement.service,
            statement.trigger,
            statement.when(fields),
            statement.do(fields),
            statement.name.format(**fields),
            text,
            listed=listed,
        )
        return row, text

    def _add(
        self,
        service: str,
        trigger: str,
        when: Sequence[Mapping[str, Any]],
        do: Mapping[str, Any],
        name: str,
        description: str,
        **columns: Any,
    ) -> Row:
        automation_id = self.company.numbers.reserve("AUT")
        return self.company.add_automation(
            service,
            trigger,
            when,
            do,
            name=name,
            description=description,
            automation_id=automation_id,
            **columns,
        )
