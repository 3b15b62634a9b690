"""The approval's policy changes on an announced day: a field becomes required, or other roles decide."""

from dataclasses import replace
from typing import Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Row, Succession, cost_centre_field
from companyos.sdk.scenario import InjectedFault, Predicate
from companyos.sdk.simtime import to_iso

from .business_fault import BusinessFault

#: Steps: wait for the change, read the policy, the type and the ticket again, and repeat a refused request.
_COST: Final = 5
_REQUIRED_FIELD: Final = "required_field"
_THRESHOLD: Final = "threshold"


class PolicyDrift(BusinessFault):
    """Announces a policy change that takes effect before anything can be decided."""

    fault = FaultId.POLICY_DRIFT

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where the profile allows a change that the approval type supports."""
        return bool(self._rules(facts, builder))

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the change, and the facts under the new policy."""
        params = self.params(builder)
        at = builder.company.start + int(params["after_s"])
        if builder.draws.choice(f"{self.fault}.rule", self._rules(facts, builder)) == _REQUIRED_FIELD:
            facts = _ask_for_more(facts, builder, at)
        else:
            facts = _move_routes(facts, builder, at)
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(facts.type_id,),
            repairs=("approvalflow_get_policy", "approvalflow_get_approval_type"),
            overcome=checks.is_submitted(facts),
            cost=_COST,
            codes=("policy_version_changed", "fields_missing"),
        )
        return replace(facts, settled_at=at, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once a request is right under the new policy."""
        return checks.is_submitted(facts)

    def _rules(self, facts: TaskFacts, builder: TaskBuilder) -> list[str]:
        """Return the possible changes that both the profile and the approval type allow."""
        possible = {
            _REQUIRED_FIELD: "cost_centre" not in facts.fields,
            _THRESHOLD: _successions(facts, builder) != [],
        }
        return [rule for rule in self.params(builder)["rule"] if possible[rule]]


FAULT = PolicyDrift()


def _successions(facts: TaskFacts, builder: TaskBuilder) -> list[Succession]:
    """Return the successor policies that replace every role that may decide now."""
    offered = builder.approval_type(facts.type_id).successions
    return [one for one in offered if set(builder.routes) <= set(one.successors)]


def _ask_for_more(facts: TaskFacts, builder: TaskBuilder, at: int) -> TaskFacts:
    """Require requests to state the cost centre from that time on."""
    asked = cost_centre_field(required=True).row
    fields = [*builder.terms(facts.type_id)["fields"], asked]
    notice = f"From {to_iso(at)} on a request has to state the cost centre of what its ticket is about, in cost_centre."
    builder.company.announce(facts.type_id, at, notice, fields=fields)
    return replace(facts, fields={**facts.fields, "cost_centre": facts.cost_centre})


def _move_routes(facts: TaskFacts, builder: TaskBuilder, at: int) -> TaskFacts:
    """Make other roles decide from that time on, with the same threshold between the tasks of a pair."""
    later = _successions(facts, builder)[0]
    routes = [band.row for band in later.routes]
    builder.company.announce(
        facts.type_id, at, f"From {to_iso(at)} on {_routes_text(routes)}.", routes=routes
    )
    known = dict(builder.routes)
    builder.routes.clear()
    for role, route in known.items():
        successor = later.successors[role]
        if successor in known:
            builder.routes[successor] = known[successor]
        else:
            builder.route(successor, facts.type_id, amount=route.amount)
    return replace(facts, route=builder.routes[later.successors[facts.route.role]])


def _routes_text(routes: list[Row]) -> str:
    return ", ".join(f"the role {route['role']} decides {_band(route['below'])}" for route in routes)


def _band(below: float | None) -> str:
    return "the rest" if below is None else f"below {below:g}"
