"""Overrides of the chaos of a running episode, from its next step on."""

from __future__ import annotations

from typing import Any

from companyos.sdk.chaos import Chaos, Layer, cost_bound
from companyos.sdk.scenario import Instance

from ..protocol.options import requested_chaos
from ..protocol.problems import Refusal, episode_unknown
from ..protocol.records import Episode, Put
from ..protocol.replies import summary_of
from ..runtime.components import Components
from ..runtime.in_flight import step_in_progress, working


class ChaosOverride:
    """Overrides the chaos of an episode between two of its steps."""

    def __init__(self, components: Components) -> None:
        self._components = components

    async def put(self, episode_id: str, value: Any) -> dict[str, Any]:
        """Put a chaos in force from the next step on, and return the episode.

        Args:
            episode_id: The episode.
            value: A level, the name of a preset or alias, or a profile object.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress, 422 invalid_chaos or
                chaos_on_finished_episode; nothing is changed.
        """
        chaos = requested_chaos(value)
        async with working(self._components.in_flight, self._components.metrics, "chaos"):
            episode = await self._find_episode(episode_id)
            prepared = await self._components.instances.of(episode.start)
            refuse_unfit(chaos, episode, prepared.instance)
            if chaos.digest == episode.chaos.digest:
                return summary_of(episode)
            changed = await self._components.store.set_chaos(episode, Put(episode.step, chaos))
            if changed is None:
                await self._find_episode(episode_id)
                raise step_in_progress()
        return summary_of(changed)

    async def _find_episode(self, episode_id: str) -> Episode:
        episode = await self._components.store.episode(episode_id)
        if episode is None:
            raise episode_unknown(episode_id)
        if episode.done:
            detail = (
                "This episode is over, so nothing can go wrong in it any more. Send reset to start another."
            )
            raise Refusal(422, "chaos_on_finished_episode", detail)
        return episode


def refuse_unfit(chaos: Chaos, episode: Episode, instance: Instance) -> None:
    """Refuse a chaos that cannot be put in force in a running episode.

    Raises:
        Refusal: 422 invalid_chaos, with the reason.
    """
    business = chaos.of(Layer.BUSINESS)
    if business and business != episode.start.chaos.of(Layer.BUSINESS):
        raise _invalid(
            "Business faults are injected before an episode begins: a running episode keeps those it has. "
            "Leave them out, or send reset with this profile."
        )
    at_start, now = (cost_bound(one, business=()) for one in (episode.start.chaos, chaos))
    longest = instance.oracle_steps - at_start + now
    if now > at_start and longest > episode.start.max_steps:
        raise _invalid(
            f"These faults may cost {now} more steps, so that this episode could take {longest}, and it has "
            f"{episode.start.max_steps}. Lower B, F or limits, or send reset with a larger max_steps."
        )


def _invalid(detail: str) -> Refusal:
    return Refusal(422, "invalid_chaos", detail, field="chaos")
