"""OpenEnv's `injected_state` of a reset: the calls that lead to the state in which the trainer takes over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from ...agent.actions import ActionRefused, ListTools, parse_action
from ..messages.answers import Invalid
from ..messages.models import Strict

INJECTED_STATE: Final = "injected_state"
MOST_CALLS: Final = 1000


class InjectedState(Strict):
    """A state, as the calls that lead to it from the start; they are steps of the episode."""

    calls: Annotated[list[dict[str, Any]], Field(max_length=MOST_CALLS)] = Field(
        description="Actions, as a step takes them."
    )


def injected_calls(wanted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls that a reset plays before it answers.

    Raises:
        Invalid: The state is invalid; `loc` leads to the call.
    """
    if wanted.get(INJECTED_STATE) in (None, ""):
        return []
    try:
        calls = InjectedState.model_validate(wanted[INJECTED_STATE]).calls
    except ValidationError as error:
        raise Invalid.of(error).within(INJECTED_STATE) from None
    for place, call in enumerate(calls):
        _refuse_other_than_step(call, place)
    return calls


def call_after_end(place: int) -> Invalid:
    """Return the refusal of a call behind the one that ends the episode."""
    msg = "The episode is over after the calls before this one"
    return Invalid({"type": "invalid_action", "loc": [INJECTED_STATE, "calls", place], "msg": msg})


def _refuse_other_than_step(call: dict[str, Any], place: int) -> None:
    try:
        why = "A list of tools is no step" if isinstance(parse_action(call), ListTools) else None
    except ActionRefused as refused:
        why = str(refused)
    if why is not None:
        raise Invalid({"type": "invalid_action", "loc": [INJECTED_STATE, "calls", place], "msg": why})
