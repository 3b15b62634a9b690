"""The agent's role lacks the permission to refresh figures, which is granted to who asks for it."""

from dataclasses import replace
from typing import Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import policy
from companyos.scenario import Trouble

from .befalling import Befalling

#: Steps: a refusal, the request for access, the wait for it.
_COST: Final = 3
#: Who refreshes figures in a company where not everybody does.
_ROLES: Final = ("chief_of_staff", "controller", "finance_director", "operations_lead")


class PermissionGap(Befalling):
    """Keeps a permission that the work needs to roles that the agent does not have."""

    fault = FaultId.PERMISSION_GAP

    def befall(self, case: Case, setting: Setting) -> Case:
        """Leave refreshes to a few roles, and have access granted to who asks for it."""
        permission = setting.company.permission(policy.REFRESH_METRICS)
        permission.update(roles=list(_ROLES), grant_s=int(self.params(setting)["grant_s"]))
        trouble = Trouble(
            fault=self.fault,
            shown_by=(policy.REFRESH_METRICS,),
            repairs=("datahub_request_access",),
            overcome=checks.is_refreshed(case),
            cost=_COST,
            codes=("permission_required",),
        )
        return replace(case, lacks=permission, troubles=(*case.troubles, trouble))


BEFALLING = PermissionGap()
