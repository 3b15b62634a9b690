"""A field of the approval type changes its name or unit, while older requests still show the old one."""

from dataclasses import replace
from typing import Any, Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import FormField, Row
from companyos.sdk.scenario import InjectedFault, Predicate

from .business_fault import BusinessFault

#: Steps: meet a refusal, read the type again, make the new request.
_COST: Final = 3
_RENAME: Final = "rename"
_UNIT: Final = "unit"


class SchemaDrift(BusinessFault):
    """Renames a field of the goal's approval type, or changes the unit of its metric."""

    fault = FaultId.SCHEMA_DRIFT

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where an allowed change fits a field of the type: a synonym, or another unit."""
        return bool(self._changes(facts, builder))

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Change the type, and the facts about a correct request."""
        row, form = builder.terms(facts.type_id), builder.approval_type(facts.type_id)
        row["policy_version"] += 1
        if builder.draws.choice(f"{self.fault}.change", self._changes(facts, builder)) == _UNIT:
            fields = _restate(facts, row, form.field(row["metric_field"]))
        else:
            renamed = [field for field in form.fields if field.synonym is not None]
            fields = _rename(facts, row, builder.draws.choice(f"{self.fault}.field", renamed))
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(facts.type_id,),
            repairs=("approvalflow_get_approval_type",),
            overcome=checks.is_submitted(facts),
            cost=_COST,
            codes=("field_unknown",),
        )
        return replace(facts, fields=fields, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once a request is correct under the type's current names and units."""
        return checks.is_submitted(facts)

    def _changes(self, facts: TaskFacts, builder: TaskBuilder) -> list[str]:
        form = builder.approval_type(facts.type_id)
        stated = form.field(form.metric_field) if form.metric_field else None
        possible = {
            _RENAME: any(field.synonym for field in form.fields),
            _UNIT: stated is not None and stated.other_unit is not None,
        }
        return [change for change in self.params(builder)["change"] if possible[change]]


FAULT = SchemaDrift()


def _rename(facts: TaskFacts, row: Row, renamed: FormField) -> dict[str, Any]:
    old, new = renamed.name, renamed.synonym
    assert new is not None
    field = next(field for field in row["fields"] if field["name"] == old)
    field.update(
        name=new, renamed_from=old, description=f"{field['description']} It was called {old} before."
    )
    for column in ("metric_field", "route_field"):
        if row[column] == old:
            row[column] = new
    return {new if name == old else name: value for name, value in facts.fields.items()}


def _restate(facts: TaskFacts, row: Row, restated: FormField | None) -> dict[str, Any]:
    assert restated is not None
    assert restated.other_unit is not None
    (unit, scale), name = restated.other_unit, restated.name
    field = next(field for field in row["fields"] if field["name"] == name)
    description = f"{field['description']} It is stated in {unit} now: DataHub's value times {scale:g}."
    field.update(unit=unit, scale=scale, description=description)
    return {**facts.fields, name: round(facts.fields[name] * scale, 6)}
