"""Reset and step as every transport asks for them: OpenEnv's keyword arguments in, OpenEnv's answer out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..episodes import Episodes, Reply
from ..options import ResetOptions
from ..problems import Refusal
from .answers import Invalid
from .body import as_object
from .models import StepHints, StepRequest
from .tasks import Task, chosen_task


async def reset(episodes: Episodes, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Start an episode as `wanted` says; what is null counts as not said.

    Raises:
        Invalid: An option has no such value.
        Refusal: As `Episodes.reset`.
    """
    said = {name: value for name, value in wanted.items() if value is not None}
    if task := chosen_task(said, episodes):
        said = _with_task(said, task)
    try:
        options = ResetOptions.model_validate(said)
    except ValidationError as error:
        raise Invalid.of(error) from None
    return turn(await episodes.reset(options))


async def step(
    episodes: Episodes,
    episode_id: str | None,
    action: Mapping[str, Any],
    *,
    number: int | None = None,
    timeout_s: float | None = None,
) -> dict[str, Any]:
    """Play `action`; its `metadata` may say which step it is to be, and is no part of it.

    Raises:
        Invalid: The metadata says something impossible.
        Refusal: No episode, or as `Episodes.step`.
    """
    if episode_id is None:
        raise no_episode()
    if "metadata" in action:
        hints = _hints(action["metadata"])
        number, timeout_s = number or hints.step, timeout_s or hints.timeout_s
        action = {name: value for name, value in action.items() if name != "metadata"}
    return turn(await episodes.step(episode_id, action, step=number, timeout_s=timeout_s))


def step_request(body: Mapping[str, Any]) -> StepRequest:
    """Return the step that `body` asks for.

    Raises:
        Invalid: It is no such request.
    """
    try:
        return StepRequest.model_validate(body)
    except ValidationError as error:
        raise Invalid.of(error) from None


def turn(reply: Reply) -> dict[str, Any]:
    """Return a reply as OpenEnv spells it.

    Its clients look for `metadata` in the observation too. There it is empty: what trainers know stays out
    of what agents are shown.
    """
    return {
        "observation": {**reply.observation, "metadata": {}},
        "reward": reply.reward,
        "done": reply.done,
        "metadata": reply.metadata,
    }


def no_episode() -> Refusal:
    """Return the refusal of a step that belongs to no episode."""
    detail = "no episode: send reset first, then name its episode_id with every step (a socket remembers it)"
    return Refusal(409, "no_episode", detail, field="episode_id")


def _with_task(said: dict[str, Any], task: Task) -> dict[str, Any]:
    if clash := {"scenario", "seed"} & said.keys():
        msg = "split and index choose the scenario and the seed; leave this out"
        raise Invalid({"type": "task_conflict", "loc": [min(clash)], "msg": msg})
    rest = {name: value for name, value in said.items() if name not in ("split", "index")}
    return {**rest, "scenario": task.scenario, "seed": task.seed}


def _hints(metadata: Any) -> StepHints:
    try:
        return StepHints.model_validate(as_object(metadata))
    except ValidationError as error:
        raise Invalid.of(error) from None
