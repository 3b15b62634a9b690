"""Agents that connect by themselves with a token: what each may know about its episode, and its steps."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from companyos.sdk.simtime import to_iso

from ..agent.observations import with_conversation
from ..agent.toolsets import Toolset
from ..protocol.agent_tokens import agent_digest, agent_token_expired, agent_token_invalid, is_agent_token
from ..protocol.problems import Refusal, refusing_outages
from ..protocol.records import Episode
from ..protocol.replies import Reply
from ..runtime.components import Components
from ..runtime.in_flight import STEP_IN_PROGRESS, step_in_progress
from ..services.catalog import Catalog
from ..step.steps import Steps

#: Most tokens whose episodes this process remembers. Each step checks its token again when it is claimed.
MOST_REMEMBERED = 20_000
#: Most calls that one agent may have in progress or waiting.
MOST_WAITING = 32
#: Pauses in seconds before a step is retried after an outage, for which agents are never to blame.
PAUSES_S = (0.1, 0.3, 1.0)
#: No retry begins later than this after the call, so that an agent has an answer before its client gives up.
RETRY_WITHIN_S = 8.0
#: Longest wait of a call for steps of its episode that another replica, or the trainer, plays.
TURN_S = 30.0
#: Pauses in seconds between two looks at such a step: the first, and the longest.
LOOK_S, LONGEST_LOOK_S = 0.005, 0.05


@dataclass(frozen=True)
class AgentView:
    """What an agent may know about its episode, besides the results of its calls.

    Attributes:
        is_over: Whether the episode has ended.
        tools: The agent's tools.
        step: How many steps it has taken.
        steps_remaining: How many it has left.
        now: The simulated time.
    """

    is_over: bool
    tools: Toolset
    step: int
    steps_remaining: int
    now: int


class Agents:
    """The agents of this process' episodes.

    Methods that take a token raise `Refusal` 401 agent_token_invalid if the token belongs to no episode.
    """

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._steps = steps
        self._episodes: OrderedDict[str, str] = OrderedDict()
        self._queues: dict[str, _Queue] = {}

    async def catalog(self) -> Catalog:
        """Return every tool of the company.

        Raises:
            Refusal: 503 service_unavailable.
        """
        with refusing_outages():
            return await self._components.catalogs.complete()

    async def check(self, token: str) -> None:
        """Refuse a token that belongs to no episode.

        Raises:
            Refusal: 401 agent_token_invalid, 503 service_unavailable.
        """
        with refusing_outages():
            await self._episode(token)

    async def view(self, token: str) -> AgentView:
        """Return what an agent may know about its episode, whether or not it has ended.

        Raises:
            Refusal: 401 agent_token_invalid, 503 service_unavailable.
        """
        with refusing_outages():
            episode = await self._episode(token)
            left = episode.start.max_steps - episode.step
            return AgentView(episode.done, await self._tools(episode), episode.step, left, episode.now)

    async def task(self, token: str) -> dict[str, Any]:
        """Return the `text` of the first observation, and where the episode stands.

        Raises:
            Refusal: 401 agent_token_invalid or agent_token_expired, 503 service_unavailable.
        """
        with refusing_outages():
            episode = await self._episode(token)
            if episode.done:
                raise agent_token_expired()
            start = episode.start
            initial_state = await self._components.instances.initial_state(
                start.scenario, start.seed, start.chaos, start.size
            )
            text = initial_state.briefing(start, await self._tools(episode)).text
            before = (episode.origin or {}).get("step", 0)
            records = await self._components.store.records(episode) if before else []
        return {
            "text": with_conversation({"text": text}, records[:before])["text"],
            "step": episode.step,
            "steps_remaining": start.max_steps - episode.step,
            "sim_now": to_iso(episode.now),
        }

    async def step(self, token: str, action: Mapping[str, Any]) -> Reply:
        """Play one action as the next step; calls of one agent are played one after another.

        Raises:
            Refusal: 401 agent_token_invalid or agent_token_expired; otherwise as for `Episodes.step`.
        """
        agent = agent_digest(token)
        episode_id = self._episodes.get(agent) or await self._looked_up(token, agent)
        async with self._in_turn(episode_id):
            try:
                reply = await self._play_with_retries(episode_id, action, agent)
            except Refusal as refusal:
                if refusal.status == 401:
                    self._episodes.pop(agent, None)
                raise
        if reply.done:
            self._episodes.pop(agent, None)
        return reply

    async def _play_with_retries(self, episode_id: str, action: Mapping[str, Any], agent: str) -> Reply:
        ends = monotonic() + RETRY_WITHIN_S
        for pause_s in PAUSES_S:
            try:
                return await self._play_in_turn(episode_id, action, agent)
            except Refusal as refusal:
                if refusal.status != 503 or not refusal.retryable or monotonic() > ends:
                    raise
            await asyncio.sleep(pause_s)
        return await self._play_in_turn(episode_id, action, agent)

    async def _play_in_turn(self, episode_id: str, action: Mapping[str, Any], agent: str) -> Reply:
        """Play a call once no step of its episode is under way at another replica, or of the trainer.

        Replicas share nothing but the database, so the row of the episode is looked at until its step has ended. That
        costs nothing while an agent sends its calls one by one, or all to one replica.
        """
        ends = monotonic() + TURN_S
        while True:
            try:
                return await self._steps.step(episode_id, action, agent=agent)
            except Refusal as refusal:
                if refusal.code != STEP_IN_PROGRESS or monotonic() > ends:
                    raise
            await self._wait_for_claim(episode_id, ends)

    async def _wait_for_claim(self, episode_id: str, ends: float) -> None:
        """Wait until no step of an episode is under way, or the time is up."""
        pause_s = LOOK_S
        with refusing_outages():
            while True:
                await asyncio.sleep(pause_s)
                if not await self._components.store.is_claimed(episode_id) or monotonic() > ends:
                    return
                pause_s = min(2 * pause_s, LONGEST_LOOK_S)

    async def _tools(self, episode: Episode) -> Toolset:
        catalog = await self._components.catalogs.complete()
        return self._components.instances.tools_of(episode.start, catalog, *episode.chaoses)

    async def _looked_up(self, token: str, agent: str) -> str:
        with refusing_outages():
            episode = await self._episode(token)
        if episode.done:
            raise agent_token_expired()
        self._episodes[agent] = episode.id
        if len(self._episodes) > MOST_REMEMBERED:
            self._episodes.popitem(last=False)
        return episode.id

    async def _episode(self, token: str) -> Episode:
        episode = None
        if is_agent_token(token):
            episode = await self._components.store.episode_of_agent(agent_digest(token))
        if episode is None:
            raise agent_token_invalid()
        return episode

    @asynccontextmanager
    async def _in_turn(self, episode_id: str) -> AsyncIterator[None]:
        queue = self._queues.setdefault(episode_id, _Queue(asyncio.Lock()))
        if queue.wanted >= MOST_WAITING:
            raise step_in_progress()
        queue.wanted += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.wanted -= 1
            if not queue.wanted:
                del self._queues[episode_id]


@dataclass
class _Queue:
    """The lock that orders the calls of one episode, and how many calls hold or await it."""

    lock: asyncio.Lock
    wanted: int = 0
