"""An approver rejects the first attempts for a reason of their own, and names the remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import Objection, TaskFacts
from companyos.sdk.approval_task.second_approver import provide_second_approvers
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import cost_centre_field, reporter_field
from companyos.sdk.scenario import InjectedFault

from .business_fault import BusinessFault


@dataclass(frozen=True)
class _Reason:
    """A reason for an approver's objection, and what settles it.

    Attributes:
        field: The field that the request must state, if that settles it.
        evidence: The evidence to attach, if that settles it: the request's record or metric.
    """

    code: str
    remedy: str
    field: str | None = None
    evidence: str | None = None


_REASONS: Final = (
    _Reason("record_not_attached", "add_evidence", evidence="record"),
    _Reason("metric_not_attached", "add_evidence", evidence="metric"),
    _Reason("needs_second_look", "resubmit"),
    _Reason("wording_unclear", "resubmit"),
    _Reason("budget_code_missing", "fix_field", "cost_centre"),
    _Reason("reporter_not_named", "fix_field", "reporter"),
    _Reason("second_opinion_wanted", "second_approver"),
    _Reason("four_eyes_wanted", "second_approver"),
)
#: Steps: apply the remedy, make the new request, wait for it, and look.
_COST_EACH: Final = 4
#: Steps in addition to one for each person on the route: read the policy and the role's holder again; look up
#: another holder before the first request and after its rejection; wait for a person; make the request, wait
#: for it, and look.
_COST_OF_SECOND: Final = 8


class RandomRejection(BusinessFault):
    """Makes the approver object to the first attempts, whatever the request states."""

    fault = FaultId.RANDOM_REJECTION

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the objections: at least one, and no more than the longest burst."""
        if "fix_field" in self.params(builder)["remedies"]:
            facts = _offer_fields(facts, builder)
        objections = self._objections(facts, builder)
        if any(one.remedy == "second_approver" for one in objections):
            facts = provide_second_approvers(facts, builder)
        for one in objections:
            builder.company.add_objection(
                facts.type_id,
                facts.record["id"],
                one.attempt,
                one.reason_code,
                one.remedy,
                one.states,
                one.evidence,
            )
        facts = replace(facts, objections=objections)
        injected = InjectedFault(
            fault=self.fault,
            shown_by=tuple(one.reason_code for one in objections),
            repairs=("approvalflow_resubmit_request",),
            overcome=checks.is_approved(facts),
            cost=sum(_cost(one, builder) for one in objections),
            codes=("second_approver_required",),
        )
        return replace(facts, faults=(*facts.faults, injected))

    def _objections(self, facts: TaskFacts, builder: TaskBuilder) -> tuple[Objection, ...]:
        asked, drawn = self.params(builder)["remedies"], list[Objection]()
        for attempt in range(
            1, builder.draws.integer(f"{self.fault}.count", 1, self.strength(builder).B) + 1
        ):
            possible = [
                one for one in _REASONS if one.remedy in asked and not _is_settled_already(one, facts, drawn)
            ]
            if possible:
                reason = builder.draws.choice(f"{self.fault}.reason", possible, attempt)
                states = {reason.field: facts.further[reason.field]} if reason.field else {}
                drawn.append(Objection(attempt, reason.code, reason.remedy, states, reason.evidence))
        return tuple(drawn)


FAULT = RandomRejection()


def _offer_fields(facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
    """Add the fields that an approver may ask for as optional fields, unless they are already required."""
    offered = (cost_centre_field(required=False).row, reporter_field(required=False).row)
    right: Mapping[str, Any] = {"cost_centre": facts.cost_centre, "reporter": facts.ticket["reporter"]}
    fields = [field for field in offered if field["name"] not in facts.fields]
    builder.company.offer(facts.type_id, fields)
    return replace(facts, further={field["name"]: right[field["name"]] for field in fields})


def _is_settled_already(reason: _Reason, facts: TaskFacts, drawn: Sequence[Objection]) -> bool:
    """Say whether a right request that answers the objections so far settles this one before it is raised."""
    match reason.remedy:
        case "fix_field":
            return reason.field not in facts.further or any(reason.field in one.states for one in drawn)
        case "second_approver":
            return any(one.remedy == "second_approver" for one in drawn)
        case "add_evidence":
            return any(one.evidence == reason.evidence for one in drawn)
        case _:
            return False


def _cost(objection: Objection, builder: TaskBuilder) -> int:
    if objection.remedy != "second_approver":
        return _COST_EACH
    # The longest route, so that both tasks of a pair have the same cost, whoever decides.
    return _COST_OF_SECOND + max(len(route.links) for route in builder.routes.values())
