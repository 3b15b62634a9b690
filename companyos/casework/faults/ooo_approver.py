"""Who decides is away: for days with a delegate, for minutes, or for hours with nobody to stand in."""

from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.route import Absence, lay_route
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.scenario import Trouble

from .befalling import Befalling


class OooApprover(Befalling):
    """Sends away who holds the roles that may come to decide."""

    fault = FaultId.OOO_APPROVER

    def fits(self, case: Case, setting: Setting) -> bool:
        """Fit all but the original, where it is told who is away."""
        return not setting.original

    def befall(self, case: Case, setting: Setting) -> Case:
        """Lay the route of each of these roles again, its holder away in a drawn way."""
        company, cast = setting.company, setting.cast
        for role, route in setting.routes.items():
            company.recall(cast.offices[role])
            absence = setting.draws.choice(
                f"{self.fault}.kind", (Absence.COVERED, Absence.BRIEF, Absence.UNCOVERED), role
            )
            setting.routes[role] = lay_route(company, cast, role, case.type_id, absence, amount=route.amount)
        case = replace(case, route=setting.routes[case.route.role])
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.route.holder,),
            repairs=("datahub_get_approver", "datahub_get_person", "wait"),
            overcome=checks.is_approved(case),
            cost=3,
            codes=("approver_away",),
        )
        return replace(case, troubles=(*case.troubles, trouble))


BEFALLING = OooApprover()
