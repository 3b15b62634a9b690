"""The part of the playbook that gets a decision: asks the approver and settles objections."""

from collections.abc import Mapping
from typing import Any, Final

from companyos.sdk.scripts.asking import Answer, Play, Refused
from companyos.sdk.simtime import from_iso

from .deciders import Deciders
from .deliveries import Deliveries
from .metrics import Metrics
from .terms import Terms

_OPEN: Final = ("held", "pending", "escalated")
_REPAIRABLE: Final = ("rejected", "voided")


class Approvals(Deciders, Deliveries, Terms, Metrics):
    """An employee's work in ApprovalFlow."""

    def get_approved(
        self, ticket: Answer, policy: Answer, fields: Mapping[str, Any], metric: Answer
    ) -> Play[None]:
        """Ask the approver, and follow the request until it is approved.

        Args:
            ticket: The ticket of the request, ready and verified.
            policy: The policy of the approval type.
            fields: Known values of the fields that the request must state.
            metric: The reading of the metric that the decision is based on; it is renewed if it expires.
        """
        status = yield from self._requested(ticket, policy, fields, metric)
        while status["status"] in _REPAIRABLE:
            if status["status"] == "rejected":
                request = yield from self._again(ticket, policy, status, metric)
                status = yield from self._followed(request, metric)
            else:
                policy = yield from self.ask("approvalflow_get_policy", type_id=policy["id"])
                status = yield from self._requested(ticket, policy, fields, metric)
        yield from self._shown(ticket, status)

    def _requested(
        self, ticket: Answer, policy: Answer, fields: Mapping[str, Any], metric: Answer
    ) -> Play[Answer]:
        """Submit a request under the policy in force, and return how it ended."""
        policy = yield from self.in_force(policy)
        stated = yield from self.stated(policy["id"], ticket, fields)
        while True:
            approver, metric = yield from self._ready(policy, ticket, metric)
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
                # While the permission is pending, the metric may expire and the approver may change.
                yield from self.come_by_permission(refusal)
            else:
                return (yield from self._followed(request, metric))

    def _ready(self, policy: Answer, ticket: Answer, metric: Answer) -> Play[tuple[str, Answer]]:
        """Return the approver, and a reading of the metric that stays fresh until the request is made."""
        while True:
            approver = yield from self.decider(policy, metric["value"], involved=[ticket["reporter"]])
            renewed = yield from self.fresh(metric)
            if renewed is metric:
                return approver, metric
            metric = renewed

    def _followed(self, request: Answer, metric: Answer) -> Play[Answer]:
        status = request
        while status["status"] in _OPEN:
            if status["status"] == "held":
                yield from self._supply(status, metric, request["ticket_id"])
            else:
                yield from self.wait_until(from_iso(status["decision_due_at"]))
            status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        return status

    def _shown(self, ticket: Answer, status: Answer) -> Play[None]:
        """Make sure that the ticket shows its request's outcome."""
        shown = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
        while shown["approval"] != status["status"]:
            yield from self.bring_news("ticketdesk", status["id"])
            shown = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])

    def _supply(self, status: Answer, metric: Answer, ticket_id: str) -> Play[None]:
        """Provide what a held request lacks; if it already exists, make sure that its event arrives."""
        if "metric_fresh" in status["waiting_for"]:
            reading = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
            renewed = yield from self.fresh(reading, keeps_s=0)
            if renewed is not reading:
                return
        sources = {"metric_fresh": metric["id"], "ticket_verified": ticket_id}
        missing = [sources[fact] for fact in status["waiting_for"]]
        yield from self.bring_news("approvalflow", *missing)

    def _again(self, ticket: Answer, policy: Answer, status: Answer, metric: Answer) -> Play[Answer]:
        """Repeat a rejected request with the remedy that its rejection names."""
        changes = dict[str, Any]()
        if status["remedy"] == "add_evidence":
            yield from self.attach(status, ticket, metric)
        if status["remedy"] == "fix_field":
            verified = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
            changes["fields"] = _stated(status["required_field"], verified)
        if status["remedy"] == "second_approver":
            self.spare(status["decided_by"])
            policy = yield from self.in_force(policy)
            changes["approver"], metric = yield from self._ready(policy, ticket, metric)
        yield from self.fresh(metric)
        request = yield from self.permitted(
            "approvalflow_resubmit_request", request_id=status["id"], **changes
        )
        return request


def _stated(field: str, ticket: Answer) -> Answer:
    """Return the ticket's value of the field that an approver asks for, if the ticket has the field."""
    return {field: ticket[field]} if field in ticket else {}
