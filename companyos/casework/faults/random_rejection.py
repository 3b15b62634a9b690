"""An approver turns the first attempts down for a reason of their own, and says what would help."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from companyos.casework import checks
from companyos.casework.case import Case, Objection
from companyos.casework.seconds import provide_seconds
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import policy
from companyos.scenario import Trouble

from .befalling import Befalling


@dataclass(frozen=True)
class _Reason:
    """Why an approver objects, and what settles it; `field` is what the request is to state for one that asks that."""

    code: str
    remedy: str
    field: str | None = None


_REASONS: Final = (
    _Reason("missing_attachment", "add_evidence"),
    _Reason("quote_missing", "add_evidence"),
    _Reason("needs_second_look", "resubmit"),
    _Reason("wording_unclear", "resubmit"),
    _Reason("budget_code_missing", "fix_field", "cost_centre"),
    _Reason("reporter_not_named", "fix_field", "reporter"),
    _Reason("second_opinion_wanted", "second_approver"),
    _Reason("four_eyes_wanted", "second_approver"),
)
#: Steps: what the reason asks for, the request again, its wait, a look.
_COST_EACH: Final = 4
#: Steps besides the people on the route: the policy and the holder of the role are read again, another holder is looked
#: up before the first request and after its rejection, somebody is waited for; the request again, its wait, a look.
_COST_OF_SECOND: Final = 8


class RandomRejection(Befalling):
    """Has the approver object to the first attempts, as drawn by object and attempt and not by what is said."""

    fault = FaultId.RANDOM_REJECTION

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the objections down: one at least, and no more than the burst allows."""
        if "fix_field" in self.params(setting)["remedies"]:
            case = _offer_fields(case, setting)
        objections = self._objections(case, setting)
        if any(one.remedy == "second_approver" for one in objections):
            case = provide_seconds(case, setting)
        for one in objections:
            setting.company.object(
                case.type_id, case.record["id"], one.attempt, one.reason_code, one.remedy, one.states
            )
        case = replace(case, objections=objections)
        trouble = Trouble(
            fault=self.fault,
            shown_by=tuple(one.reason_code for one in objections),
            repairs=("approvalflow_resubmit_request",),
            overcome=checks.is_approved(case),
            cost=sum(_cost(one, setting) for one in objections),
            codes=("second_approver_required",),
        )
        return replace(case, troubles=(*case.troubles, trouble))

    def _objections(self, case: Case, setting: Setting) -> tuple[Objection, ...]:
        asked, drawn = self.params(setting)["remedies"], list[Objection]()
        for attempt in range(
            1, setting.draws.integer(f"{self.fault}.count", 1, self.strength(setting).B) + 1
        ):
            possible = [
                one for one in _REASONS if one.remedy in asked and not _is_settled_already(one, case, drawn)
            ]
            if possible:
                reason = setting.draws.choice(f"{self.fault}.reason", possible, attempt)
                states = {reason.field: case.further[reason.field]} if reason.field else {}
                drawn.append(Objection(attempt, reason.code, reason.remedy, states))
        return tuple(drawn)


BEFALLING = RandomRejection()


def _offer_fields(case: Case, setting: Setting) -> Case:
    """Let requests state what an approver may come to miss, where they do not have to state it anyway."""
    offered = (policy.cost_centre_field(required=False), policy.reporter_field(required=False))
    right: Mapping[str, Any] = {"cost_centre": case.cost_centre, "reporter": case.ticket["reporter"]}
    fields = [field for field in offered if field["name"] not in case.fields]
    setting.company.offer(case.type_id, fields)
    return replace(case, further={field["name"]: right[field["name"]] for field in fields})


def _is_settled_already(reason: _Reason, case: Case, drawn: Sequence[Objection]) -> bool:
    """Say whether a right request, made again for what has been drawn, settles this before it is raised."""
    match reason.remedy:
        case "fix_field":
            return reason.field not in case.further or any(reason.field in one.states for one in drawn)
        case "second_approver":
            return any(one.remedy == "second_approver" for one in drawn)
        case _:
            return False


def _cost(objection: Objection, setting: Setting) -> int:
    if objection.remedy != "second_approver":
        return _COST_EACH
    # The same for both twins, whoever decides.
    return _COST_OF_SECOND + max(len(route.links) for route in setting.routes.values())
