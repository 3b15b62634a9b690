"""Records of a trace, as the orchestrator writes them, to make pages from."""

from typing import Any


def step(number: int = 1, **parts: Any) -> dict[str, Any]:
    """A step that read a ticket, unless the parts say otherwise."""
    blank: dict[str, Any] = {
        "step": number,
        "action": {
            "type": "call_tool",
            "tool_name": "ticketdesk_get_ticket",
            "arguments": {"ticket_id": "TD-1"},
        },
        "observation": {
            "text": "id: TD-1",
            "error": None,
            "sim_now": "2030-03-04T09:01:00Z",
            "elapsed_s": 60,
        },
        "outcome": "done",
        "reward": -0.1,
        "return": -0.1,
        "ledger": [{"name": "step", "amount": -0.1, "evidence": []}],
        "events": [],
        "changes": [],
        "faults": [],
        "violation": None,
    }
    return blank | parts


def wrote(service: str, table: str, row_id: str, row: dict[str, Any] | None, *causes: str) -> dict[str, Any]:
    """A row that a step wrote."""
    return {"service": service, "table": table, "id": row_id, "row": row, "causes": list(causes)}


def event(event_id: str, name: str, cause: str) -> dict[str, Any]:
    """An event that a step caused."""
    return {"id": event_id, "name": name, "service": event_id.split(".")[-2], "cause": cause}
