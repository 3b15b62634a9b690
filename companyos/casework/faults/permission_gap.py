"""The agent's role lacks a permission that the work takes, which is granted to who asks for it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import policy
from companyos.scenario import Predicate, Trouble

from .befalling import Befalling

#: Steps: a refusal, the request for access, the wait for it.
_COST: Final = 3
#: Who has the permission in a company where not everybody does.
_ROLES: Final = ("chief_of_staff", "controller", "finance_director", "operations_lead")
#: What has been done once a permission is there and was put to use.
_DONE: Final[Mapping[str, Callable[[Case], Predicate]]] = {
    policy.REFRESH_METRICS: checks.is_refreshed,
    policy.VERIFY_TICKETS: checks.is_verified,
    policy.SUBMIT_REQUESTS: checks.is_submitted,
}


class PermissionGap(Befalling):
    """Keeps a permission that the work takes to roles that the agent does not have."""

    fault = FaultId.PERMISSION_GAP

    def befall(self, case: Case, setting: Setting) -> Case:
        """Leave one of the permissions to a few roles, and have access granted to who asks for it."""
        params = self.params(setting)
        name = setting.draws.choice(f"{self.fault}.permission", params["permissions"])
        permission = setting.company.restrict(name, _ROLES, grant_s=int(params["grant_s"]))
        trouble = Trouble(
            fault=self.fault,
            shown_by=(name,),
            repairs=("datahub_request_access",),
            overcome=_DONE[name](case),
            cost=_COST,
            codes=("permission_required",),
        )
        return replace(case, lacks=permission, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """It is overcome once what takes the permission is done."""
        assert case.lacks is not None
        return _DONE[case.lacks["id"]](case)


BEFALLING = PermissionGap()
