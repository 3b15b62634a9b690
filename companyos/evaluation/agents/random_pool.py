"""A random agent over a fixed pool: plausible moves on the ticket that the brief names, without learning."""

import re
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, Observation, call

from .visible import Visible

#: The pool, one tool per entry, drawn with equal probability. Arguments are drawn from what the agent has
#: seen.
POOL: Final = (
    "ticketdesk_list_tickets",
    "ticketdesk_search_tickets",
    "ticketdesk_get_ticket",
    "ticketdesk_update_ticket",
    "ticketdesk_assign_ticket",
    "ticketdesk_verify_ticket",
    "datahub_list_metrics",
    "datahub_query_metric",
    "datahub_refresh_data",
    "datahub_get_approver",
    "approvalflow_list_approval_types",
    "approvalflow_submit_approval",
    "approvalflow_check_status",
    "approvalflow_escalate",
    "approvalflow_list_approvals",
    "finish",
)
_PRIORITIES: Final = ("low", "medium", "high", "urgent")
_GUESSES: Final = (72, 76, 80, 85, 90, 100)


class RandomPool:
    """Draws each action from `POOL`; equal seeds and observations give equal actions."""

    def __init__(self, seed: int) -> None:
        self._draws = Draws("agents", "random_pool", seed)
        self._visible = Visible()
        self._ticket_id, self._type = "", ""

    def start(self, observation: Observation) -> None:
        """Read the task's ticket and approval type from the brief."""
        self._visible = Visible()
        self._ticket_id = _first(r"\bTD-\d+\b", observation["text"])
        self._type = _first(r"\b[a-z]+_approval\b", observation["text"])

    def act(self, observation: Observation) -> Action:
        """Return a drawn action of the pool."""
        self._visible.see(observation)
        step = observation["step"]
        tool = self._draws.choice("tool", POOL, step)
        return call(tool, **self._arguments(tool, step))

    def _arguments(self, tool: str, step: int) -> dict[str, Any]:
        ticket = {"ticket_id": self._ticket_id}
        match tool.partition("_")[2]:
            case "search_tickets":
                return {"q": self._ticket_id}
            case "get_ticket":
                return ticket
            case "update_ticket":
                return {**ticket, "priority": self._one("priority", _PRIORITIES, step)}
            case "assign_ticket":
                return {**ticket, "assignee": self._one("person", self._visible.people, step)}
            case "verify_ticket":
                return {**ticket, "evidence": "Looks fine.", "references": [self._ticket_id]}
        return self._elsewhere(tool, step)

    def _elsewhere(self, tool: str, step: int) -> dict[str, Any]:
        match tool.partition("_")[2]:
            case "query_metric" | "refresh_data":
                return {"metric_id": self._one("metric", self._seen("MET-", "MET-0101"), step)}
            case "get_approver":
                return {"role": self._one("role", self._visible.names("role") or ["lead"], step)}
            case "submit_approval":
                return self._request(step)
            case "check_status":
                return {"request_id": self._one("request", self._seen("APR-", "APR-0001"), step)}
            case "escalate":
                request_id = self._one("request", self._seen("APR-", "APR-0001"), step)
                return {"request_id": request_id, "reason": "It takes long."}
        return {}

    def _request(self, step: int) -> dict[str, Any]:
        return {
            "type": self._type,
            "ticket_id": self._ticket_id,
            "approver": self._one("person", self._visible.people, step),
            "fields": {
                self._one(
                    "field", self._visible.names("metric_field") or ["amount"], step
                ): self._draws.choice("guess", _GUESSES, step)
            },
        }

    def _seen(self, prefix: str, otherwise: str) -> list[str]:
        return list(self._visible.objects(prefix)) or [otherwise]

    def _one(self, draw_name: str, options: Any, step: int) -> str:
        return str(self._draws.choice(draw_name, options, step))


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[0] if found else ""
