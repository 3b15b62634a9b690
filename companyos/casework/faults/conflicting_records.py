"""Two records name different cost centres for the same thing; a rule of precedence says which of them counts."""

from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import cost_centre, precedence
from companyos.scenario import Trouble

from .befalling import Befalling


class ConflictingRecords(Befalling):
    """Adds what Finance has booked for the goal's record, which differs; the ticket leaves the question open."""

    fault = FaultId.CONFLICTING_RECORDS

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the second record, and empty the field in question."""
        company, record = setting.company, case.record
        own, other = case.cost_centre, _another(case, setting, self.fault)
        allocation = precedence.allocate(company, record, other)
        record_counts = precedence.authority(company, record["kind"]) == record["kind"]
        case.ticket["cost_centre"] = None
        case = replace(
            case,
            cost_centre=own if record_counts else other,
            wrong_record=allocation if record_counts else record,
        )
        trouble = Trouble(
            fault=self.fault,
            shown_by=(allocation["id"],),
            repairs=("datahub_update_record",),
            overcome=checks.records_agree(case),
            cost=4,
        )
        return replace(case, troubles=(*case.troubles, trouble))


BEFALLING = ConflictingRecords()


def _another(case: Case, setting: Setting, fault: FaultId) -> str:
    """Return a cost centre that is not the record's."""
    drawn = (cost_centre(setting.company, number, f"{fault}.cost_centre") for number in range(100))
    return next(one for one in drawn if one != case.cost_centre)
