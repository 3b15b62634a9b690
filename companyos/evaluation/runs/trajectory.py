"""Trajectories in ATIF, the Agent Trajectory Interchange Format of Harbor (version 1.8)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from companyos.client import Result
from companyos.version import __version__

from ..agents.turn import AgentTurn, AsyncAgent, Usage
from .records import EpisodeRecord
from .request import AgentSpec

SCHEMA_VERSION: Final = "ATIF-v1.8"


class TrajectoryWriter:
    """Collects the steps of one episode.

    Args:
        spec: The agent of the run.
        agent: The agent of the episode, started.
        first: The result of the reset.
    """

    def __init__(self, spec: AgentSpec, agent: AsyncAgent, first: Result) -> None:
        self._spec = spec
        self._tools = list(agent.tools)
        self._steps: list[dict[str, Any]] = []
        if agent.system_prompt:
            self._add("system", agent.system_prompt)
        self._add("user", first.observation["text"], extra={"sim_now": first.observation["sim_now"]})

    def add(self, turn: AgentTurn, action: Mapping[str, Any], result: Result | None) -> None:
        """Add a turn of the agent with its result, or None if the episode ended first."""
        call = call_of(action, f"call_{len(self._steps) + 1}")
        message = turn.text if call else str(action.get("raw", turn.text))
        parts: dict[str, Any] = {"reasoning_content": turn.reasoning} if turn.reasoning else {}
        parts |= {"tool_calls": [call]} if call else {}
        if turn.usage != Usage():
            parts |= {"metrics": _metrics(turn.usage), "llm_call_count": 1}
        if result is not None:
            source = {"source_call_id": call["tool_call_id"]} if call else {}
            parts["observation"] = {"results": [{**source, "content": result.observation["text"]}]}
        extra = _extra(turn, result)
        self._add("agent", message, **parts, **({"extra": extra} if extra else {}))

    def document(self, record: EpisodeRecord, run: str) -> dict[str, Any]:
        """Return the trajectory."""
        agent = {"name": self._spec.name, "version": __version__, "extra": {"kind": self._spec.kind}}
        model = self._spec.settings.get("model")
        return {
            "schema_version": SCHEMA_VERSION,
            "session_id": run,
            "trajectory_id": record.key,
            "agent": {
                **agent,
                **({"model_name": model} if model else {}),
                **({"tool_definitions": self._tools} if self._tools else {}),
            },
            "steps": self._steps,
            "final_metrics": {
                **_totals(record.usage),
                "total_steps": len(self._steps),
                "extra": _outcome(record),
            },
            "extra": {"environment": "companyos", "environment_version": __version__},
        }

    def _add(self, source: str, message: str, **parts: Any) -> None:
        self._steps.append({"step_id": len(self._steps) + 1, "source": source, "message": message, **parts})


def call_of(action: Mapping[str, Any], call_id: str) -> dict[str, Any] | None:
    """Return an action as an ATIF tool call; None if it calls no tool."""
    name = action.get("tool_name") or "_".join(filter(None, (action.get("app"), action.get("method"))))
    if not name and action.get("type") == "list_tools":
        name = "list_tools"
    if not name:
        return None
    arguments = action.get("arguments") if action.get("tool_name") else action.get("params")
    return {"tool_call_id": call_id, "function_name": name, "arguments": _arguments(arguments)}


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return {"raw": arguments}
    if arguments is None:
        return {}
    return dict(arguments) if isinstance(arguments, Mapping) else {"raw": arguments}


def _extra(turn: AgentTurn, result: Result | None) -> dict[str, Any]:
    extra: dict[str, Any] = {"omitted_results": turn.omitted_results} if turn.omitted_results else {}
    extra |= {"same_message": True} if turn.same_message else {}
    extra |= {"hint": turn.hint} if turn.hint else {}
    if result is None:
        return extra
    observation = result.observation
    shown = {"reward": result.reward, "sim_now": observation["sim_now"]}
    if picture := observation.get("screen"):
        shown["screen_sha256"] = picture["sha256"]
    return {**extra, **shown, **({"error": observation["error"]} if observation["error"] else {})}


def _metrics(usage: Usage) -> dict[str, Any]:
    cost = {} if usage.cost_usd is None else {"cost_usd": usage.cost_usd}
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        **cost,
    }


def _totals(usage: Usage) -> dict[str, Any]:
    return {f"total_{name}": value for name, value in _metrics(usage).items()}


def _outcome(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "ended": str(record.ended),
        "success": record.success,
        "return": record.episode_return,
        "trace_hash": record.trace_hash,
    }


def agent_steps(trajectory: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the turns of the agent."""
    return [step for step in trajectory["steps"] if step["source"] == "agent"]
