"""The area's refusals, each with its reason and its remedy."""

from collections.abc import Sequence

from companyos.chassis import ServiceError


class NotWithApprover(ServiceError):
    """The request is not with an approver, so nobody can hand it over."""

    code = "not_with_approver"

    def __init__(self, request_id: str, status: str) -> None:
        super().__init__(
            f"{request_id} is {status}; only requests that are pending or escalated can be reassigned.",
            field="request_id",
            remedy="approvalflow_check_status",
        )


class MayNotDecide(ServiceError):
    """The person named may not decide the request now."""

    code = "may_not_decide"

    def __init__(self, request_id: str, to: str, deciders: Sequence[str]) -> None:
        super().__init__(
            f"{to} may not decide {request_id} now, by its policy's route, the absences and the delegations. If their "
            "delegation is missing, set it with datahub_set_delegate; one that was just set may take a moment to be "
            "known here, so wait and call again.",
            field="to",
            remedy="datahub_set_delegate",
            allowed_values=list(deciders),
        )
