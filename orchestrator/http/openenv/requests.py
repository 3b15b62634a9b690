"""Reset and step for every transport: OpenEnv's keyword arguments in, OpenEnv's response out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ...agent.actions import ActionRefused, ListTools, parse_action
from ...agent.observations import INVALID_ACTION
from ...episodes.facade import Episodes, Reply
from ...protocol.options import ResetOptions
from ...protocol.problems import Refusal
from ..messages.answers import Invalid
from ..messages.body import as_object
from ..messages.models import StepHints, StepRequest
from ..messages.slips import refuse_slips
from .injected_state import INJECTED_STATE, call_after_end, injected_calls
from .task_api import NumberedTask, chosen_task


async def reset(
    episodes: Episodes, wanted: Mapping[str, Any], *, player: str | None = None
) -> dict[str, Any]:
    """Start an episode with the options in `wanted`, and play its injected calls.

    Raises:
        Invalid: An option or a call has an invalid value.
        Refusal: As for `Episodes.reset`, and as for `Episodes.step` for the injected calls. No episode remains, so
            that the same reset can be sent again.
    """
    calls = injected_calls(wanted)
    reply = await episodes.reset(reset_options(episodes, wanted), player=player)
    try:
        return step_response(await _play_injected(episodes, reply, calls))
    except (Invalid, Refusal):
        with suppress(Refusal):
            await episodes.close(reply.metadata["episode_id"], uid=reply.metadata["episode_uid"])
        raise


async def _play_injected(episodes: Episodes, reply: Reply, calls: list[dict[str, Any]]) -> Reply:
    """Play calls in the episode that a reply began, and return the reply to the last one."""
    episode_id, uid = reply.metadata["episode_id"], reply.metadata["episode_uid"]
    for place, call in enumerate(calls):
        if reply.done:
            raise call_after_end(place)
        played = await episodes.step(episode_id, call, uid=uid)
        reply = replace(played, metadata={**reply.metadata, **played.metadata})
    return reply


def reset_options(episodes: Episodes, wanted: Mapping[str, Any]) -> ResetOptions:
    """Return the options of a reset; null counts as absent, and so does empty text, except for the scenario.

    Raises:
        Invalid: An option has an invalid value.
        Refusal: 400 if the split has no task with that index.
    """
    refuse_slips(wanted)
    options = {
        name: value
        for name, value in wanted.items()
        if value is not None and name != INJECTED_STATE and (value != "" or name == "scenario")
    }
    task = chosen_task(options, episodes)
    try:
        return ResetOptions.model_validate(options) if task is None else _with_task(options, task)
    except ValidationError as error:
        raise Invalid.of(error) from None


async def step(
    episodes: Episodes,
    episode_id: str | None,
    action: Mapping[str, Any],
    *,
    number: int | None = None,
    timeout_s: float | None = None,
    uid: str | None = None,
) -> dict[str, Any]:
    """Play `action`; its `metadata`, which may contain the step's number, is not part of it.

    Raises:
        Invalid: The metadata is invalid.
        Refusal: There is no episode, or as for `Episodes.step`.
    """
    if "metadata" in action:
        hints = _hints(action["metadata"])
        number, timeout_s = number or hints.step, timeout_s or hints.timeout_s
        uid = hints.episode_uid or uid
        action = {name: value for name, value in action.items() if name != "metadata"}
    if episode_id is None:
        return step_response(await _without_episode(episodes, action))
    return step_response(await episodes.step(episode_id, action, step=number, timeout_s=timeout_s, uid=uid))


async def requested_step(episodes: Episodes, body: Mapping[str, Any]) -> dict[str, Any]:
    """Play the step in the body of a request.

    Raises:
        Invalid: The body is not a valid step.
        Refusal: As for `step`.
    """
    call = step_request(body)
    try:
        return await step(
            episodes,
            call.episode_id,
            call.action,
            number=call.step,
            timeout_s=call.timeout_s,
            uid=call.episode_uid,
        )
    except Invalid as invalid:
        raise invalid.within("action") from None
    except Refusal as refusal:
        if refusal.code == INVALID_ACTION and refusal.field is not None:
            refusal.field = f"action.{refusal.field}"
        raise


async def _without_episode(episodes: Episodes, action: Mapping[str, Any]) -> Reply:
    """List the tools, which needs no episode; refuse every other action."""
    try:
        wanted = parse_action(action)
    except ActionRefused as refused:
        raise Refusal(422, "invalid_action", str(refused), field=refused.field) from None
    if isinstance(wanted, ListTools):
        return await episodes.tools()
    raise no_episode()


def step_request(body: Mapping[str, Any]) -> StepRequest:
    """Return the step in `body`.

    Raises:
        Invalid: The body is not a valid step.
    """
    try:
        return StepRequest.model_validate(body)
    except ValidationError as error:
        raise Invalid.of(error) from None


def step_response(reply: Reply) -> dict[str, Any]:
    """Return a reply in OpenEnv's form.

    Its clients expect `metadata` in the observation too. It is empty there: trainers' data stays out of the agents'
    observations.
    """
    return {
        "observation": {**reply.observation, "metadata": {}},
        "reward": reply.reward,
        "done": reply.done,
        "metadata": reply.metadata,
    }


def no_episode() -> Refusal:
    """Return the refusal of a step without an episode."""
    detail = "no episode: send reset first, then name its episode_id with every step (a socket remembers it)"
    return Refusal(409, "no_episode", detail, field="episode_id")


def _with_task(wanted: dict[str, Any], task: NumberedTask) -> ResetOptions:
    """Return the options of a task's reset: rows of the task list are accepted, with all their columns."""
    if wanted.get("scenario", task.scenario) != task.scenario:
        msg = f"The chosen task belongs to {task.scenario}; leave this out"
        raise Invalid({"type": "task_conflict", "loc": ["scenario"], "msg": msg})
    rest = {name: value for name, value in wanted.items() if name not in ("split", "index")}
    options = ResetOptions.model_validate({**rest, "scenario": task.scenario, "seed": task.seed})
    has_no_effect = "index" in wanted and wanted.get("seed", task.seed) != task.seed
    return options.ignoring("seed") if has_no_effect else options


def _hints(metadata: Any) -> StepHints:
    try:
        return StepHints.model_validate(as_object(metadata))
    except ValidationError as error:
        raise Invalid.of(error).within("metadata") from None
    except Invalid as invalid:
        raise invalid.within("metadata") from None
