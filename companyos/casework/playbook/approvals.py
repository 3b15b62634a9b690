"""How an employee gets a decision: asks who may decide, follows the request, and mends what is objected to."""

from collections.abc import Mapping
from typing import Any, Final

from companyos.simtime import from_iso

from .asking import Answer, Asker, Play

_OPEN: Final = ("held", "pending", "escalated")


class Approvals(Asker):
    """What an employee does in ApprovalFlow."""

    def get_approved(self, ticket: Answer, policy: Answer, fields: Mapping[str, Any]) -> Play[None]:
        """Ask who may decide, and follow the request until it is approved."""
        amount = fields[policy["route_field"]] if policy["route_field"] else None
        approver = yield from self._approver(policy, amount)
        request = yield from self.ask(
            "approvalflow_submit_approval",
            type=policy["id"],
            ticket_id=ticket["id"],
            approver=approver,
            fields=dict(fields),
        )
        status = yield from self._followed(request)
        while status["status"] == "rejected":
            request = yield from self._again(ticket, status)
            status = yield from self._followed(request)

    def _approver(self, policy: Answer, amount: float | None) -> Play[str]:
        role = _role(policy["routes"], amount)
        holder = yield from self.ask("datahub_get_approver", role=role)
        if holder["available"]:
            return str(holder["id"])
        back_at, delegate = from_iso(holder["away_until"]), holder["delegate"]
        if _covers(delegate, policy["id"], amount) and back_at > self.now + 2 * policy["decision_s"]:
            return str(delegate["id"])
        yield from self.wait_until(back_at)
        return str(holder["id"])

    def _followed(self, request: Answer) -> Play[Answer]:
        status = request
        while status["status"] in _OPEN:
            yield from self.wait_until(from_iso(status["decision_due_at"]))
            status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        return status

    def _again(self, ticket: Answer, status: Answer) -> Play[Answer]:
        if "add_evidence" in status["explanation"]:
            yield from self.ask(
                "approvalflow_add_evidence", request_id=status["id"], kind="ticket", reference=ticket["id"]
            )
        request = yield from self.ask("approvalflow_resubmit_request", request_id=status["id"])
        return request


def _role(routes: list[Answer], amount: float | None) -> str:
    covering = (
        route
        for route in routes
        if route["below"] is None or (amount is not None and amount < route["below"])
    )
    return str(next(covering)["role"])


def _covers(delegate: Answer, type_id: str, amount: float | None) -> bool:
    if delegate is None or not delegate["available"] or type_id not in delegate["delegate_types"]:
        return False
    limit = delegate["delegate_limit"]
    return limit is None or amount is None or bool(amount <= limit)
