"""A short conversation of an agent with tools of no real scenario."""

from typing import Any

from companyos.training.pointer.calls import enumerated
from companyos.training.pointer.occurrences import History
from companyos.training.rollouts import Rollout, RolloutTurn

TOOLS = [
    {
        "name": "desk_get",
        "description": "Read a case.",
        "signature": "desk_get(case_id, limit?) - Read a case",
        "input_schema": {
            "type": "object",
            "properties": {"limit": {"type": "integer"}, "case_id": {"type": "string"}},
            "required": ["case_id"],
        },
    },
    {
        "name": "desk_file",
        "description": "File a case.",
        "signature": "desk_file(case_id, level?, references?, fields?, title?, note?) - File a case",
        "input_schema": {
            "type": "object",
            "properties": {
                "case_id": {"type": "string"},
                "level": {"type": "string", "enum": ["low", "high"]},
                "references": {"type": "array", "items": {"type": "string"}},
                "fields": {"type": "object"},
                "title": {"type": "string"},
                "note": {"type": "string", "maxLength": 4000},
                "idempotency_key": {"type": "string"},
            },
            "required": ["case_id"],
        },
    },
]
RESULT = {
    "id": "C-7",
    "owner": "ana.lopez",
    "score": 81.5,
    "is_open": True,
    "parts": [{"id": "P-1"}, {"id": "P-2"}],
}


def observation(result: Any = None, text: str = "") -> dict[str, Any]:
    """What an agent sees."""
    return {"text": text, "tools": TOOLS, "result": result, "error": None, "sim_now": "2030-03-04T09:00:00Z"}


def call(tool_name: str, **arguments: Any) -> dict[str, Any]:
    """An action."""
    return {"type": "call_tool", "tool_name": tool_name, "arguments": arguments}


def conversation(brief: str = "File case C-7 of Blue Harbor Foods.", known: Any = ()) -> History:
    """The history after one call."""
    history = History(observation(text=brief), (*enumerated({tool["name"]: tool for tool in TOOLS}), *known))
    history.add(call("desk_get", case_id="C-7"), observation(RESULT))
    return history


def episode(seed: int, *turns: tuple[dict[str, Any], float], brief: str = "File case C-7.") -> Rollout:
    """An episode whose calls returned nothing, with the reward of each."""
    played = [RolloutTurn(action, observation({}), reward, "done") for action, reward in turns]
    return Rollout({"scenario": "cases", "seed": seed}, 0, observation(text=brief), played, success=True)
