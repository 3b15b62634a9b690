"""Asks the oracle what it would have done in place of a step: the episode is played again on a stack, up to there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companyos.client import CompanyosEnv, Refused

from ..replay import UNPLAYABLE, first_difference


@dataclass(frozen=True)
class OracleAdvice:
    """What the oracle would have done in place of a step.

    Attributes:
        tool: The tool that it would have called; empty if it did not solve the task from there, or was not asked.
        arguments: Its arguments.
        is_same: Whether the agent made the same call.
        then: The tools that it would have called afterwards.
        problem: Why there is no call.
    """

    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    is_same: bool = False
    then: Sequence[str] = ()
    problem: str = ""


def ask_oracle(url: str, token: str | None, trace: Sequence[Mapping[str, Any]], step: int) -> OracleAdvice:
    """Return what the oracle would have done in place of a step of a trace.

    Args:
        url: The trainer API of the stack.
        token: Its token.
        trace: The head and the records.
        step: The number of the step, from 1.

    Raises:
        CompanyosError: The stack does not answer, or refuses for a reason other than the trace.
    """
    if any(part.get("by") == "oracle" and step <= part["until"] for part in trace[0].get("earlier", ())):
        return OracleAdvice(problem="The oracle itself made this step.")
    try:
        with CompanyosEnv(url, token=token) as env:
            difference = first_difference(env, trace[:step])
            if difference:
                return OracleAdvice(problem=f"The stack plays this episode differently: {difference.text}.")
            return _advice(env.advise(), trace[step]["action"])
    except Refused as refusal:
        if refusal.status not in UNPLAYABLE:
            raise
        return OracleAdvice(problem=f"The stack cannot play this episode again: {refusal}")


def _advice(answer: Mapping[str, Any], done: Mapping[str, Any]) -> OracleAdvice:
    if answer["action"] is None:
        return OracleAdvice(problem=answer["why"])
    action = answer["action"]
    return OracleAdvice(
        tool=action["tool_name"],
        arguments=action["arguments"],
        is_same=_without_key(action) == _without_key(done),
        then=[call["tool_name"] for call in answer["then"]],
    )


def _without_key(action: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Return a call without its idempotency key, which is free."""
    arguments = action.get("arguments") or {}
    kept = {name: value for name, value in arguments.items() if name != "idempotency_key"}
    return action.get("tool_name"), kept
