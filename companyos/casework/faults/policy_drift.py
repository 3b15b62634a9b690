"""The approval's policy changes on an announced day: a field becomes required, or other roles decide."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Row, policy
from companyos.scenario import Predicate, Trouble
from companyos.simtime import to_iso

from .befalling import Befalling

#: Steps: the change is waited for, policy, type and ticket are read again, and a refused request is made again.
_COST: Final = 5

#: Who decides at an edge after the change who decided before it; the edge itself stays.
_SUCCESSORS: Final[Mapping[str, Mapping[str, str]]] = {
    policy.VENDOR_APPROVAL: {"cfo": "finance_director"},
    policy.ESCALATION_APPROVAL: {"cto": "operations_lead"},
    policy.LICENSE_APPROVAL: {"procurement": "finance_director", "finance_director": "cfo"},
    policy.HANDBOOK_APPROVAL: {"hr_lead": "legal_counsel", "legal_counsel": "cfo"},
}


class PolicyDrift(Befalling):
    """Announces a change of the policy that comes before anything can be decided."""

    fault = FaultId.POLICY_DRIFT

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the change down, and what is right under the new policy."""
        params = self.params(setting)
        at = setting.company.start + int(params["after_s"])
        if setting.draws.choice(f"{self.fault}.rule", params["rule"]) == "required_field":
            case = _ask_for_more(case, setting, at)
        else:
            case = _move_routes(case, setting, at)
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.type_id,),
            repairs=("approvalflow_get_policy", "approvalflow_get_approval_type"),
            overcome=checks.is_submitted(case),
            cost=_COST,
            codes=("policy_version_changed", "fields_missing"),
        )
        return replace(case, settled_at=at, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """It is overcome once a request is right under the new policy."""
        return checks.is_submitted(case)


BEFALLING = PolicyDrift()


def _ask_for_more(case: Case, setting: Setting, at: int) -> Case:
    """Have requests state the cost centre from then on."""
    asked = policy.cost_centre_field(required=True)
    fields = [*setting.approval_type(case.type_id)["fields"], asked]
    notice = f"From {to_iso(at)} on a request has to state the cost centre of what its ticket is about, in cost_centre."
    setting.company.announce(case.type_id, at, notice, fields=fields)
    return replace(case, fields={**case.fields, "cost_centre": case.cost_centre})


def _move_routes(case: Case, setting: Setting, at: int) -> Case:
    """Have other roles decide from then on, at the same edge between the twins."""
    routes, successors = _moved(case, setting)
    setting.company.announce(case.type_id, at, f"From {to_iso(at)} on {_told(routes)}.", routes=routes)
    known = dict(setting.routes)
    setting.routes.clear()
    for role, route in known.items():
        successor = successors[role]
        if successor in known:
            setting.routes[successor] = known[successor]
        else:
            setting.route(successor, case.type_id, amount=route.amount)
    return replace(case, route=setting.routes[successors[case.route.role]])


def _moved(case: Case, setting: Setting) -> tuple[list[Row], Mapping[str, str]]:
    """Return the new routes, and who decides after the change where a role decided before."""
    type_ = setting.approval_type(case.type_id)
    if case.type_id == policy.EXPENSE_APPROVAL:
        return _moved_expenses(setting)
    successors = _SUCCESSORS[case.type_id]
    if type_["minimum"] is not None:
        # What is accepted at all is above the least that is by one at least.
        [(before, after)] = successors.items()
        return [_route(before, type_["minimum"] + 1), _route(after)], successors
    (low, middle), (_, high) = successors.items()
    edge = next(route["below"] for route in type_["routes"] if route["below"] is not None)
    return [_route(low, edge / 2), _route(middle, edge), _route(high)], successors


def _moved_expenses(setting: Setting) -> tuple[list[Row], Mapping[str, str]]:
    """Return the new routes of expenses: ten times stricter at the lower edge, ten times laxer at the upper."""
    roles, low = ("manager", "finance_director", "cfo"), "manager" in setting.routes
    edges = (100.0, 1000.0) if low else (10_000.0, 100_000.0)
    routes = [_route(role, below) for role, below in zip(roles, (*edges, None), strict=True)]
    shift = (roles[:2], roles[1:]) if low else (roles[1:], roles[:2])
    return routes, dict(zip(*shift, strict=True))


def _route(role: str, below: float | None = None) -> Row:
    return {"role": role, "below": below}


def _told(routes: list[Row]) -> str:
    return ", ".join(f"the role {route['role']} decides {_band(route['below'])}" for route in routes)


def _band(below: float | None) -> str:
    return "the rest" if below is None else f"below {below:g}"
