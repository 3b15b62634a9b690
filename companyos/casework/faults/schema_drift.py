"""A field of the approval type has another name or unit than it used to have, and older requests still show the old."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Row
from companyos.scenario import Predicate, Trouble

from .befalling import Befalling

#: What fields are called after a change.
_NAMES: Final[Mapping[str, str]] = {
    "vendor_name": "supplier_name",
    "compliance_score": "compliance_rating",
    "report_id": "expense_id",
    "amount": "total",
    "error_rate": "failure_rate",
    "seats": "seat_count",
    "days_to_expiry": "days_left",
    "headcount": "staff_count",
}
#: Another unit of a figure, with how many of them one of DataHub's is; counts have no other unit.
_UNITS: Final[Mapping[str, tuple[str, float]]] = {
    "compliance_score": ("tenths of a point", 10.0),
    "expense_amount": ("cents", 100.0),
    "error_rate": ("per mille", 10.0),
}
#: Steps: a refusal, the type read again, the request made again.
_COST: Final = 3


class SchemaDrift(Befalling):
    """Renames a field of the goal's approval type, or has its figure stated in another unit."""

    fault = FaultId.SCHEMA_DRIFT

    def fits(self, case: Case, setting: Setting) -> bool:
        """Fit where a change is allowed that the type's fields can have: counts have one unit."""
        return bool(self._changes(case, setting))

    def befall(self, case: Case, setting: Setting) -> Case:
        """Change the type, and what a right request states."""
        type_ = setting.approval_type(case.type_id)
        type_["policy_version"] += 1
        if setting.draws.choice(f"{self.fault}.change", self._changes(case, setting)) == "unit":
            fields = _restate(case, type_)
        else:
            old = setting.draws.choice(f"{self.fault}.field", [field["name"] for field in type_["fields"]])
            fields = _rename(case, type_, old)
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.type_id,),
            repairs=("approvalflow_get_approval_type",),
            overcome=checks.is_submitted(case),
            cost=_COST,
            codes=("field_unknown",),
        )
        return replace(case, fields=fields, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """It is overcome once a request states what is right, as the type asks for it."""
        return checks.is_submitted(case)

    def _changes(self, case: Case, setting: Setting) -> list[str]:
        asked = self.params(setting)["change"] if self.fault in setting.plan.chaos.settings else ()
        known = {"rename": True, "unit": case.metric["name"] in _UNITS}
        return [change for change in asked if known[change]]


BEFALLING = SchemaDrift()


def _rename(case: Case, type_: Row, old: str) -> dict[str, Any]:
    new = _NAMES[old]
    field = next(field for field in type_["fields"] if field["name"] == old)
    field.update(
        name=new, renamed_from=old, description=f"{field['description']} It was called {old} before."
    )
    for column in ("metric_field", "route_field"):
        if type_[column] == old:
            type_[column] = new
    return {new if name == old else name: value for name, value in case.fields.items()}


def _restate(case: Case, type_: Row) -> dict[str, Any]:
    unit, scale = _UNITS[type_["metric_name"]]
    name = type_["metric_field"]
    field = next(field for field in type_["fields"] if field["name"] == name)
    description = f"{field['description']} It is stated in {unit} now: DataHub's figure times {scale:g}."
    field.update(unit=unit, scale=scale, description=description)
    return {**case.fields, name: round(case.fields[name] * scale, 6)}
