"""How a careful employee works a case, as generators: yield an action, get its observation.

They know what an agent knows: the brief, and what tools answer.
"""

import re
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

from companyos.scenario import Action, Observation, call
from companyos.simtime import from_iso, to_iso

T = TypeVar("T")
Play = Generator[Action, Observation, T]
Answer = Any

_OPEN = ("held", "pending", "escalated")


class Refused(Exception):
    """A tool said no; the employee did not expect it."""

    def __init__(self, action: Action, error: Mapping[str, Any]) -> None:
        super().__init__(f"{action['tool_name']}: {error['code']}: {error['message']}")
        self.code = error["code"]


class Employee:
    """Who works the case: reads the brief once, and the clock at every answer."""

    def __init__(self, observation: Observation) -> None:
        self.now = from_iso(observation["sim_now"])
        brief = observation["text"]
        self.id = _found(r"\(([a-z.]+)\)", brief)
        self.ticket_id = _found(r"\b(TD-\d+)\b", brief)

    def ask(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool, again for as long as the failure is one that passes.

        Raises:
            Refused: The tool refused.
        """
        action = call(tool_name, **arguments)
        while True:
            observation = yield action
            self.now = from_iso(observation["sim_now"])
            if (error := observation["error"]) is None:
                return observation["result"]
            if not error["retryable"]:
                raise Refused(action, error)

    def wait_until(self, instant: int) -> Play[None]:
        """Let time pass until this instant; not at all if it is over."""
        if instant > self.now:
            yield from self.ask("wait", until=to_iso(instant))

    def figure(self, name: str, subject: str | None) -> Play[Answer]:
        """Return the fresh reading of the one figure of this name about exactly this subject."""
        about = {} if subject is None else {"subject": subject}
        page = yield from self.ask("datahub_list_metrics", name=name, **about)
        metric = next(item for item in page["items"] if item["subject"] == subject)
        while metric["is_stale"]:
            job = yield from self.ask("datahub_refresh_data", metric_id=metric["id"])
            yield from self.wait_until(from_iso(job["due_at"]))
            metric = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
        if "value" not in metric:
            metric = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
        return metric

    def prepare(self, ticket: Answer, record: Answer) -> Play[None]:
        """Fill what the ticket's kind requires, take it and verify it."""
        rules = yield from self.ask("ticketdesk_get_rules", kind=ticket["kind"])
        right = {"priority": rules["allowed_priorities"][0], "cost_centre": record["fields"]["cost_centre"]}
        missing = {name: value for name, value in right.items() if ticket[name] is None}
        if missing:
            yield from self.ask("ticketdesk_update_ticket", ticket_id=ticket["id"], **missing)
        yield from self.ask("ticketdesk_assign_ticket", ticket_id=ticket["id"], assignee=self.id)
        evidence = f"Checked against {record['id']}, {record['name']}."
        yield from self.ask("ticketdesk_verify_ticket", ticket_id=ticket["id"], evidence=evidence)

    def unblock(self, ticket: Answer) -> Play[None]:
        """Verify what blocks the ticket and is done, and free the ticket of it."""
        for blocker_id in ticket["blocked_by"]:
            evidence = f"The work on {blocker_id} is done."
            yield from self.ask("ticketdesk_verify_ticket", ticket_id=blocker_id, evidence=evidence)
            yield from self.ask("ticketdesk_resolve_blocker", ticket_id=ticket["id"], blocker_id=blocker_id)

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

    def finish(self, answer: str) -> Play[None]:
        """Say that the task is done."""
        yield from self.ask("finish", answer=answer)

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


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"the brief says nothing like {pattern}")
    return match[1]
