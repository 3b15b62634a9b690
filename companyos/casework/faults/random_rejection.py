"""An approver turns the first attempts down for a reason of their own, and says what would help."""

from dataclasses import replace
from typing import Final

from companyos.casework import checks
from companyos.casework.case import Case, Objection
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.scenario import Trouble

from .befalling import Befalling

_OBJECTIONS: Final = (
    ("missing_attachment", "add_evidence"),
    ("budget_code_missing", "add_evidence"),
    ("needs_second_look", "resubmit"),
    ("wording_unclear", "resubmit"),
)
#: Steps: an attachment, the request again, its wait, a look.
_COST_EACH: Final = 4


class RandomRejection(Befalling):
    """Has the approver object to the first attempts, as drawn by object and attempt and not by what is said."""

    fault = FaultId.RANDOM_REJECTION

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the objections down: one at least, and no more than the burst allows."""
        count = setting.draws.integer(f"{self.fault}.count", 1, self.strength(setting).B)
        objections = tuple(
            Objection(attempt, *setting.draws.choice(f"{self.fault}.reason", _OBJECTIONS, attempt))
            for attempt in range(1, count + 1)
        )
        for one in objections:
            setting.company.object(case.type_id, case.record["id"], one.attempt, one.reason_code, one.remedy)
        case = replace(case, objections=objections)
        trouble = Trouble(
            fault=self.fault,
            shown_by=tuple(one.reason_code for one in objections),
            repairs=("approvalflow_resubmit_request",),
            overcome=checks.is_approved(case),
            cost=_COST_EACH * count,
        )
        return replace(case, troubles=(*case.troubles, trouble))


BEFALLING = RandomRejection()
