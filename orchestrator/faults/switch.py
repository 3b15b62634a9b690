"""Setting the chaos of a running episode: what its calls and events meet from the next step on."""

from __future__ import annotations

from typing import Any

from companyos.chaos import Chaos, Layer, cost_bound
from companyos.scenario import Instance

from ..flight import step_in_progress, working
from ..problems import Refusal, episode_unknown
from ..records import Episode, Put
from ..replies import summary_of
from ..resets import chaos_of
from ..steps import Parts


class Switch:
    """Puts another chaos in force, between two steps of an episode that goes on."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def put(self, episode_id: str, value: Any) -> dict[str, Any]:
        """Put a chaos in force from the next step on, and return the episode as it is then.

        Args:
            episode_id: The episode.
            value: A level, a preset's or alias' name, or a profile object.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress, 422 invalid_chaos or chaos_on_finished_episode; then
                nothing has changed.
        """
        chaos = chaos_of(value)
        async with working(self._parts.flight, self._parts.metrics, "chaos"):
            episode = await self._found(episode_id)
            beginning = await self._parts.beginnings.of(episode.start)
            refuse_unfit(chaos, episode, beginning.instance)
            if chaos.digest == episode.chaos.digest:
                return summary_of(episode)
            changed = await self._parts.store.set_chaos(episode, Put(episode.step, chaos))
            if changed is None:
                await self._found(episode_id)
                raise step_in_progress()
        return summary_of(changed)

    async def _found(self, episode_id: str) -> Episode:
        episode = await self._parts.store.episode(episode_id)
        if episode is None:
            raise episode_unknown(episode_id)
        if episode.done:
            detail = (
                "This episode is over, so nothing can go wrong in it any more. Send reset to start another."
            )
            raise Refusal(422, "chaos_on_finished_episode", detail)
        return episode


def refuse_unfit(chaos: Chaos, episode: Episode, instance: Instance) -> None:
    """Refuse a chaos that a running episode cannot take.

    Raises:
        Refusal: 422 invalid_chaos, with the reason.
    """
    befallen = chaos.of(Layer.BUSINESS)
    if befallen and befallen != episode.start.chaos.of(Layer.BUSINESS):
        raise _invalid(
            "Business faults befall the company before its episode begins: a running episode keeps those it has. "
            "Leave them out, or send reset with this profile."
        )
    at_start, now = (cost_bound(one, business=False) for one in (episode.start.chaos, chaos))
    longest = instance.oracle_steps - at_start + now
    if now > at_start and longest > episode.start.max_steps:
        raise _invalid(
            f"These faults may cost {now} more steps, so that this episode could take {longest}, and it has "
            f"{episode.start.max_steps}. Lower B, F or limits, or send reset with a larger max_steps."
        )


def _invalid(detail: str) -> Refusal:
    return Refusal(422, "invalid_chaos", detail, field="chaos")
