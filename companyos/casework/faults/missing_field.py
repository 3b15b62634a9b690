"""Fields of the goal's ticket are empty; the rules of its kind and the record say what belongs there."""

from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.scenario import Predicate, Trouble, View

from .befalling import Befalling


class MissingField(Befalling):
    """Empties one or more of the fields that the case allows to be empty."""

    fault = FaultId.MISSING_FIELD

    def fits(self, case: Case, setting: Setting) -> bool:
        """Fit where a field that may be empty is not."""
        return bool(self._full(case, setting))

    def befall(self, case: Case, setting: Setting) -> Case:
        """Empty the fields, and take any value the rules allow for right."""
        full = self._full(case, setting)
        count = setting.draws.integer(f"{self.fault}.n", 1, min(self.params(setting)["n"], len(full)))
        emptied = setting.draws.sample(f"{self.fault}.fields", full, count)
        case.ticket.update(dict.fromkeys(emptied))
        if "priority" in emptied:
            case = replace(case, priorities=setting.priorities(case.ticket))
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.ticket["id"],),
            repairs=("ticketdesk_update_ticket",),
            overcome=_are_filled(case),
            cost=2,
            codes=("ticket_incomplete",),
        )
        return replace(case, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """Hold once every field that was empty is filled rightly."""
        return _are_filled(case)

    def _full(self, case: Case, setting: Setting) -> list[str]:
        wanted = self.params(setting)["fields"]
        return [name for name in case.fillable if name in wanted and case.ticket[name] is not None]


BEFALLING = MissingField()


def _are_filled(case: Case) -> checks.Fact:
    names = [name for name in case.fillable if case.ticket[name] is None]
    right = {
        "priority": checks.priority_is_right(case),
        "cost_centre": checks.cost_centre_is_right(case),
    }

    def holds(view: View) -> bool:
        return all(right[name](view) for name in names)

    return holds
