"""The rules of ATIF 1.8, as Harbor 0.25 publishes them for text-only trajectories of one agent."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

_EXTRA: Final = {"type": "object"}
_COUNT: Final = {"type": "integer", "minimum": 0}


def _closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_TEXT: Final = {"type": "string"}
_METRICS: Final = _closed(
    [],
    prompt_tokens=_COUNT,
    completion_tokens=_COUNT,
    cached_tokens=_COUNT,
    cost_usd={"type": "number"},
    extra=_EXTRA,
)
_TOTALS: Final = _closed(
    [],
    total_prompt_tokens=_COUNT,
    total_completion_tokens=_COUNT,
    total_cached_tokens=_COUNT,
    total_cost_usd={"type": "number"},
    total_steps=_COUNT,
    extra=_EXTRA,
)
_CALL: Final = _closed(
    ["tool_call_id", "function_name", "arguments"],
    tool_call_id=_TEXT,
    function_name=_TEXT,
    arguments={"type": "object"},
    extra=_EXTRA,
)
_RESULT: Final = _closed([], source_call_id=_TEXT, content=_TEXT, extra=_EXTRA)
_STEP: Final = _closed(
    ["step_id", "source", "message"],
    step_id={"type": "integer", "minimum": 1},
    source={"enum": ["system", "user", "agent"]},
    message=_TEXT,
    timestamp=_TEXT,
    tool_calls={"type": "array", "items": _CALL},
    observation=_closed(["results"], results={"type": "array", "items": _RESULT}),
    metrics=_METRICS,
    llm_call_count=_COUNT,
    extra=_EXTRA,
)
SCHEMA: Final = _closed(
    ["schema_version", "agent", "steps"],
    schema_version={"const": "ATIF-v1.8"},
    session_id=_TEXT,
    trajectory_id=_TEXT,
    agent=_closed(
        ["name", "version"],
        name=_TEXT,
        version=_TEXT,
        model_name=_TEXT,
        tool_definitions={"type": "array", "items": {"type": "object"}},
        extra=_EXTRA,
    ),
    steps={"type": "array", "items": _STEP, "minItems": 1},
    final_metrics=_TOTALS,
    notes=_TEXT,
    extra=_EXTRA,
)
#: What a step may say only if it is the agent's.
_AGENTS: Final = ("tool_calls", "metrics")


def flaws(trajectory: Mapping[str, Any]) -> list[str]:
    """Return what ATIF does not allow in a trajectory."""
    validator = jsonschema_rs.validator_for(SCHEMA)
    return [str(error) for error in validator.iter_errors(trajectory)] or list(_broken_rules(trajectory))


def _broken_rules(trajectory: Mapping[str, Any]) -> Iterator[str]:
    for number, step in enumerate(trajectory["steps"], start=1):
        if step["step_id"] != number:
            yield f"step {number} has the id {step['step_id']}"
        if step["source"] != "agent" and any(name in step for name in _AGENTS):
            yield f"step {number} is not the agent's and has what is"
        if step.get("llm_call_count") == 0 and "metrics" in step:
            yield f"step {number} called no model and has metrics"
        calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        for result in step.get("observation", {}).get("results", ()):
            if result.get("source_call_id", next(iter(calls), None)) not in {*calls, None}:
                yield f"step {number} has the result of a call of another step"
    if trajectory.get("final_metrics", {}).get("total_steps") not in (None, len(trajectory["steps"])):
        yield "total_steps is not the number of steps"
