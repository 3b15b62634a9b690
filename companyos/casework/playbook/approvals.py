"""How an employee gets a decision: asks who may decide, follows the request, and mends what is objected to."""

from collections.abc import Mapping
from typing import Any, Final

from companyos.simtime import from_iso

from . import objections
from .asking import Answer, Play, Refused
from .deciders import Deciders
from .deliveries import Deliveries
from .figures import Figures
from .terms import Terms

_OPEN: Final = ("held", "pending", "escalated")
_REPAIRABLE: Final = ("rejected", "voided")


class Approvals(Deciders, Deliveries, Terms, Figures):
    """What an employee does in ApprovalFlow."""

    def get_approved(
        self, ticket: Answer, policy: Answer, fields: Mapping[str, Any], figure: Answer
    ) -> Play[None]:
        """Ask who may decide, and follow the request until it is approved.

        Args:
            ticket: What it is about, ready and verified.
            policy: The policy of the approval type.
            fields: What is known of what the request has to state.
            figure: The reading of the figure that decides, which is renewed where it does not keep.
        """
        status = yield from self._requested(ticket, policy, fields, figure)
        while status["status"] in _REPAIRABLE:
            if status["status"] == "rejected":
                request = yield from self._again(ticket, policy, status, figure)
                status = yield from self._followed(request, figure)
            else:
                policy = yield from self.ask("approvalflow_get_policy", type_id=policy["id"])
                status = yield from self._requested(ticket, policy, fields, figure)
        yield from self._shown(ticket, status)

    def _requested(
        self, ticket: Answer, policy: Answer, fields: Mapping[str, Any], figure: Answer
    ) -> Play[Answer]:
        """Submit a request under the policy in force, and return how it ended."""
        policy = yield from self.in_force(policy)
        stated = yield from self.stated(policy["id"], ticket, fields)
        while True:
            approver, figure = yield from self._ready(policy, ticket, figure)
            try:
                request = yield from self.ask(
                    "approvalflow_submit_approval",
                    type=policy["id"],
                    ticket_id=ticket["id"],
                    approver=approver,
                    fields=stated,
                    policy_version=policy["policy_version"],
                )
            except Refused as refusal:
                # Until the permission is there, the figure may expire, and who decides be another.
                yield from self.come_by_permission(refusal)
            else:
                return (yield from self._followed(request, figure))

    def _ready(self, policy: Answer, ticket: Answer, figure: Answer) -> Play[tuple[str, Answer]]:
        """Return whom to ask, and the figure as it keeps for long enough to be asked about."""
        while True:
            approver = yield from self.decider(policy, figure["value"], involved=[ticket["reporter"]])
            renewed = yield from self.fresh(figure)
            if renewed is figure:
                return approver, figure
            figure = renewed

    def _followed(self, request: Answer, figure: Answer) -> Play[Answer]:
        status = request
        while status["status"] in _OPEN:
            if status["status"] == "held":
                yield from self._supply(status, figure, request["ticket_id"])
            else:
                yield from self.wait_until(from_iso(status["decision_due_at"]))
            status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        return status

    def _shown(self, ticket: Answer, status: Answer) -> Play[None]:
        """See to it that the ticket shows what has come of its request."""
        shown = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
        while shown["approval"] != status["status"]:
            yield from self.bring_news("ticketdesk", status["id"])
            shown = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])

    def _supply(self, status: Answer, figure: Answer, ticket_id: str) -> Play[None]:
        """Provide what a held request waits for; what is there already only has to get about."""
        if "figure_fresh" in status["waiting_for"]:
            reading = yield from self.ask("datahub_query_metric", metric_id=figure["id"])
            renewed = yield from self.fresh(reading, keeps_s=0)
            if renewed is not reading:
                return
        sources = {"figure_fresh": figure["id"], "ticket_verified": ticket_id}
        missing = [sources[fact] for fact in status["waiting_for"]]
        yield from self.bring_news("approvalflow", *missing)

    def _again(self, ticket: Answer, policy: Answer, status: Answer, figure: Answer) -> Play[Answer]:
        """Make a rejected request again, with what its rejection asks for."""
        said, changes = status["explanation"], dict[str, Any]()
        if objections.wants_evidence(said):
            yield from self.ask(
                "approvalflow_add_evidence", request_id=status["id"], kind="ticket", reference=ticket["id"]
            )
        if (field := objections.field_wanted(said)) is not None:
            verified = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
            changes["fields"] = {field: verified[field]}
        if objections.wants_somebody_else(said):
            self.spare(status["decided_by"])
            policy = yield from self.in_force(policy)
            changes["approver"], figure = yield from self._ready(policy, ticket, figure)
        yield from self.fresh(figure)
        request = yield from self.permitted(
            "approvalflow_resubmit_request", request_id=status["id"], **changes
        )
        return request
