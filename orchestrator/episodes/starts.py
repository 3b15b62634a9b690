"""Starts within an oracle's solution, each a reset from a snapshot of a play of the oracle.

The oracle of an instance is played once, through ordinary steps, with a snapshot before each of its calls: a ladder,
whose rungs are the places at which episodes can start. Rungs are kept and forgotten like other snapshots, and a ladder
is noted in the database, so that no replica plays what another has played, or what it played before it was killed.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from companyos.sdk.scenario import Action, Observation, Scenario
from companyos.sdk.scripts.scripted import Scripted

from ..branching.branches import Branches
from ..protocol.options import ObservationFormat, ResetOptions, StartPoint, requested_chaos
from ..protocol.problems import Refusal, ScenarioFailed, refusing_outages
from ..protocol.replies import Reply
from ..runtime.components import Components
from ..step.steps import Steps
from ..storage.ladder_rows import LadderRows
from ..worlds.instances import Coordinates
from ..worlds.shared_work import SharedWork
from .resets import Resets

#: Ladders that this process remembers, so as not to ask the database; each is a few dozen names.
MOST_LADDERS = 4_096
MILESTONE = "milestone:"

#: What decides a ladder: the instance, the oracle's tools, and the form in which its observations are told later.
Place = tuple[Coordinates, Literal["scenario", "all"], ObservationFormat]
T = TypeVar("T")


@dataclass
class Ladder:
    """The rungs of one play of an oracle.

    Attributes:
        rungs: The snapshot before each call.
        milestones: The milestones that held at each rung, in the order in which they were reached.
    """

    rungs: list[str] = field(default_factory=list)
    milestones: list[tuple[str, ...]] = field(default_factory=list)

    def rung(self, start: StartPoint) -> int:
        """Return the number of calls before a start.

        Raises:
            Refusal: 422 invalid_start; the solution has no such place.
        """
        calls = len(self.rungs)
        if start.until is not None:
            return self._reaching(start.until.removeprefix(MILESTONE))
        rung = start.calls if start.calls is not None else calls - (start.calls_left or 0)
        if 0 <= rung < calls:
            return rung
        name = "calls" if start.calls is not None else "calls_left"
        detail = f"The oracle solves this instance in {calls} calls, so there is no such start."
        raise Refusal(422, "invalid_start", detail, field=f"start.{name}")

    def summary(self, rung: int) -> dict[str, Any]:
        """Return a rung as the metadata of a reset shows it."""
        return {
            "by": "oracle",
            "calls": rung,
            "calls_left": len(self.rungs) - rung,
            "milestones": list(self.milestones[rung]),
        }

    def _reaching(self, milestone: str) -> int:
        for rung, reached in enumerate(self.milestones):
            if milestone in reached:
                return rung
        known = dict.fromkeys(name for reached in self.milestones for name in reached)
        reaches = ", ".join(known) or "none"
        detail = f"The oracle does not reach {milestone!r} before its last call; it reaches {reaches}."
        raise Refusal(422, "invalid_start", detail, field="start.until")


class Starts:
    """Starts episodes within the solutions of oracles."""

    def __init__(self, components: Components, resets: Resets, steps: Steps, branches: Branches) -> None:
        self._components = components
        self._resets = resets
        self._steps = steps
        self._branches = branches
        self._rows = LadderRows(components.store)
        self._ladders: OrderedDict[Place, Ladder] = OrderedDict()
        self._shared = SharedWork()

    async def reset(self, options: ResetOptions, start: StartPoint, player: str | None = None) -> Reply:
        """Start an episode; see `Episodes.reset`."""
        if options.snapshot is not None:
            detail = "The snapshot decides start; leave it out, or start without a snapshot."
            raise Refusal(422, "snapshot_decides", detail, field="start")
        with refusing_outages():
            try:
                return await self._start_episode(options, start, player)
            except Refusal as refusal:
                if refusal.code != "snapshot_unknown":
                    raise
            # Unused snapshots are dropped in time.
            await self._forget_ladder(options)
            return await self._start_episode(options, start, player)

    async def _start_episode(self, options: ResetOptions, start: StartPoint, player: str | None) -> Reply:
        ladder = await self._ladder(options)
        rung = ladder.rung(start)
        reply = await self._branches.go_on(options, ladder.rungs[rung], player, by="oracle")
        return replace(reply, metadata={**reply.metadata, "start": ladder.summary(rung)})

    async def _ladder(self, options: ResetOptions) -> Ladder:
        where = self._where(options)
        if where not in self._ladders:
            self._ladders[where] = await self._shared.once(where, lambda: self._find_ladder(options))
            if len(self._ladders) > MOST_LADDERS:
                self._ladders.popitem(last=False)
        self._ladders.move_to_end(where)
        return self._ladders[where]

    def _where(self, options: ResetOptions) -> Place:
        chaos = requested_chaos(options.chaos)
        where = self._components.instances.coordinates(
            options.scenario, options.seed, chaos, options.company_size
        )
        return where, _toolset(options), options.observation_format

    async def _find_ladder(self, options: ResetOptions) -> Ladder:
        """Return the ladder that is noted for these options, or play it."""
        place = await self._place(options)
        noted = await self._rows.find(place)
        if noted is not None:
            return Ladder(*noted)
        ladder = await self._play_ladder(options)
        await self._rows.keep(place, ladder.rungs, ladder.milestones)
        return ladder

    async def _forget_ladder(self, options: ResetOptions) -> None:
        ladder = self._ladders.pop(self._where(options), None)
        if ladder is not None:
            await self._rows.forget(await self._place(options), ladder.rungs)

    async def _place(self, options: ResetOptions) -> str:
        """Return the name of the ladder in the database, which outlives salts and versions of scenarios."""
        where, toolset, observation_format = self._where(options)
        chaos = requested_chaos(options.chaos)
        state = await self._components.instances.initial_state(*where[:2], chaos, options.company_size)
        return json.dumps([*where, toolset, observation_format, state.version, state.base])

    async def _play_ladder(self, options: ResetOptions) -> Ladder:
        chosen = ("scenario", "seed", "chaos", "size", "observation_format")
        given = {name: getattr(options, name) for name in chosen}
        reply = await self._resets.reset(ResetOptions(**given, tools=_toolset(options)))
        episode = reply.metadata["episode_id"]
        try:
            return await self._climb_ladder(options, episode, reply)
        finally:
            if await self._components.store.close_episode(episode):
                await self._components.garbage.added()

    async def _climb_ladder(self, options: ResetOptions, episode: str, reply: Reply) -> Ladder:
        """Play the oracle to its end and return the ladder of its calls.

        Raises:
            ScenarioFailed: The oracle failed.
        """
        ladder, reached = Ladder(), dict[str, None]()
        script = await self._run(options, _oracle_of)
        await self._run(options, partial(_begin, script, reply.observation))
        while not reply.done:
            name = f"{options.scenario} {options.seed}, {len(ladder.rungs)} calls"
            ladder.rungs.append((await self._branches.snapshot(episode, name=name))["snapshot_id"])
            ladder.milestones.append(tuple(reached))
            action = await self._run(options, partial(_act, script, reply.observation))
            reply = await self._steps.step(episode, action)
            _note_milestones(reached, reply)
        if not reply.metadata["success"]:
            raise ScenarioFailed("scenario", f"{options.scenario}, seed {options.seed}: its oracle failed")
        return ladder

    async def _run(self, options: ResetOptions, work: Callable[[Scenario], T]) -> T:
        return await self._components.instances.run(options.scenario, options.seed, work)


def _toolset(options: ResetOptions) -> Literal["scenario", "all"]:
    """Return the oracle's tools: those of the agent, unless it has chosen ones, which need not solve the task."""
    return "scenario" if options.tools == "scenario" else "all"


def _oracle_of(scenario: Scenario) -> Scripted:
    return Scripted(scenario.oracle)


def _begin(script: Scripted, seen: Observation, scenario: Scenario) -> None:
    script.start(seen)


def _act(script: Scripted, seen: Observation, scenario: Scenario) -> Action:
    return script.act(seen)


def _note_milestones(reached: dict[str, None], reply: Reply) -> None:
    for line in reply.metadata["reward_breakdown"]:
        name = line["name"].removeprefix(MILESTONE)
        if name == line["name"]:
            continue
        if line["amount"] > 0:
            reached[name] = None
        else:
            reached.pop(name, None)
