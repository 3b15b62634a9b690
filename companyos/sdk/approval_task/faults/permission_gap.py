"""The agent's role lacks a permission that the work needs; it is granted on request."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import REFRESH_METRICS, SUBMIT_REQUESTS, VERIFY_TICKETS
from companyos.sdk.faults.operations import trusted_roles
from companyos.sdk.scenario import InjectedFault, Predicate

from .business_fault import BusinessFault

#: Steps: a refusal, the access request, the wait for the grant.
_COST: Final = 3
#: The checks that a permission was granted and used.
_DONE: Final[Mapping[str, Callable[[TaskFacts], Predicate]]] = {
    REFRESH_METRICS: checks.is_refreshed,
    VERIFY_TICKETS: checks.is_verified,
    SUBMIT_REQUESTS: checks.is_submitted,
}


class PermissionGap(BusinessFault):
    """Restricts a permission that the work needs to roles other than the agent's."""

    fault = FaultId.PERMISSION_GAP

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where some role keeps every permission, and it is not the agent's."""
        trusted = trusted_roles(builder.company.content)
        return bool(trusted) and facts.persona.role not in trusted

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Restrict one of the permissions to a few roles, and grant it to everybody who requests access."""
        params = self.params(builder)
        name = builder.draws.choice(f"{self.fault}.permission", params["permissions"])
        company = builder.company
        permission = company.restrict(name, trusted_roles(company.content), grant_s=int(params["grant_s"]))
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(name,),
            repairs=("datahub_request_access",),
            overcome=_DONE[name](facts),
            cost=_COST,
            codes=("permission_required",),
        )
        return replace(facts, lacks=permission, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once the work that needs the permission is done."""
        assert facts.lacks is not None
        return _DONE[facts.lacks["id"]](facts)


FAULT = PermissionGap()
