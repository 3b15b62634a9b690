"""What the oracle would do at any state of an episode, and whether the task can still be solved from there.

An oracle is a script that begins at the brief. Where the agent has made some of its calls, among others, it goes on
after the last of them; another one begins anew. Whether a call that is worded otherwise is the oracle's own, nobody can
say beforehand, so both readings are tried. Whichever oracle solves a copy of the world is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from companyos.sdk.scenario import Action, Observation, Scenario
from companyos.sdk.scripts.scripted import Scripted

from ..agent.tools import Tool
from ..branching.branches import Branches
from ..protocol.options import MOST_STEPS, ResetOptions
from ..protocol.problems import ScenarioFailed, refusing_outages
from ..protocol.records import Episode
from ..runtime.components import Components
from ..step.steps import Steps

#: An argument that may be a text of this length, such as a title or a comment, is prose; ids and codes are shorter.
PROSE_LENGTH: Final = 200
_UNSOLVED = "The oracle does not solve the task from here."

#: Whether a call of the agent counts as the oracle's next one.
_Alike = Callable[[Action, Action], bool]


@dataclass
class _Candidate:
    """An oracle under way, its next call, and the numbers of the recorded calls that it made."""

    script: Scripted
    action: Action
    followed: tuple[int, ...]


class Advice:
    """Lets oracles play copies of episodes."""

    def __init__(self, components: Components, steps: Steps, branches: Branches) -> None:
        self._components = components
        self._steps = steps
        self._branches = branches

    async def advise(self, episode_id: str) -> dict[str, Any]:
        """Return the oracle's next call as `action`, those `then`, and `calls_left` in all; or `why` it has none.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress or episode_done, 429 too_many_episodes, 503
                service_unavailable.
        """
        solution = await self._solution(episode_id)
        if not solution:
            return {"action": None, "then": [], "calls_left": None, "why": _UNSOLVED}
        return {"action": solution[0], "then": solution[1:], "calls_left": len(solution), "why": None}

    async def value(self, episode_id: str) -> dict[str, Any]:
        """Return whether the task is `solvable` from here, and the `calls_left` that it takes the oracle.

        Raises:
            Refusal: As for `advise`.
        """
        solution = await self._solution(episode_id)
        return {"solvable": bool(solution), "calls_left": len(solution) if solution else None}

    async def _solution(self, episode_id: str) -> list[Action]:
        """Return calls that solve the task from here, whatever the tools and the limit of the episode; or none."""
        with refusing_outages():
            snapshot = (await self._branches.snapshot(episode_id, name="advice"))["snapshot_id"]
            try:
                episode = await self._components.store.episode(episode_id)
                return [] if episode is None else await self._solve_copy(episode, snapshot)
            finally:
                await self._branches.drop(snapshot)

    async def _solve_copy(self, episode: Episode, snapshot: str) -> list[Action]:
        records, tried = await self._components.store.records(episode), set[tuple[int, ...]]()
        tools = (await self._components.catalogs.complete()).tools
        for alike in (partial(concern_the_same, tools), _are_equal, _never):
            candidate = await self._following(episode, records, alike)
            if candidate is None or candidate.followed in tried:
                continue
            tried.add(candidate.followed)
            if solution := await self._play_candidate(episode, snapshot, candidate):
                return solution
        return []

    async def _following(
        self, episode: Episode, records: Sequence[Mapping[str, Any]], alike: _Alike
    ) -> _Candidate | None:
        """Return an oracle that has made, in their order, those of the recorded calls that are its own."""
        start, instances = episode.start, self._components.instances
        catalog = await self._components.catalogs.complete()
        prepared = await instances.of(start)
        seen, _ = prepared.initial_state.first(start, instances.tools_of(start, catalog))
        try:
            return await instances.run(
                start.scenario, start.seed, partial(_follow_records, seen, records, alike)
            )
        except ScenarioFailed:
            return None

    async def _play_candidate(self, episode: Episode, snapshot: str, candidate: _Candidate) -> list[Action]:
        """Let an oracle play a copy of the world; return its calls if it solves the task, and otherwise none."""
        start, instances = episode.start, self._components.instances
        longest = (await instances.of(start)).instance.oracle_steps
        options = ResetOptions(tools="all", max_steps=min(MOST_STEPS, episode.step + longest))
        reply = await self._branches.go_on(options, snapshot, None)
        copy, solution = reply.metadata["episode_id"], [candidate.action]
        try:
            while not (reply := await self._steps.step(copy, solution[-1])).done:
                act = partial(_act, candidate.script, reply.observation)
                solution.append(await instances.run(start.scenario, start.seed, act))
            return solution if reply.metadata["success"] else []
        except ScenarioFailed:
            return []
        finally:
            if await self._components.store.close_episode(copy):
                await self._components.garbage.added()


def _follow_records(
    seen: Observation, records: Sequence[Mapping[str, Any]], alike: _Alike, scenario: Scenario
) -> _Candidate:
    script = Scripted(scenario.oracle)
    script.start(seen)
    action, followed = script.act(seen), list[int]()
    for number, record in enumerate(records):
        if alike(record["action"], action):
            action = script.act(record["observation"])
            followed.append(number)
    return _Candidate(script, action, tuple(followed))


def concern_the_same(tools: Mapping[str, Tool], call: Action, own: Action) -> bool:
    """Return whether calls differ in no more than keys, lists, objects and prose, which can be put in many ways."""
    if call.get("tool_name") != own["tool_name"]:
        return False
    here, there, tool = call.get("arguments", {}), own["arguments"], tools.get(own["tool_name"])
    fields = tool.parameters.get("properties", {}) if tool else {}
    free = {name for name in {**here, **there} if name == "idempotency_key" or _is_free(fields.get(name, {}))}
    return _without(free, here) == _without(free, there)


def _is_free(schema: Mapping[str, Any]) -> bool:
    """Return whether an argument takes a list, an object or prose."""
    if "anyOf" in schema:
        return any(map(_is_free, schema["anyOf"]))
    return schema.get("type") in ("array", "object") or schema.get("maxLength", 0) >= PROSE_LENGTH


def _without(names: Set[str], arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in names}


def _are_equal(call: Action, own: Action) -> bool:
    return all(call.get(name) == own[name] for name in ("tool_name", "arguments"))


def _never(call: Action, own: Action) -> bool:
    return False


def _act(script: Scripted, seen: Observation, scenario: Scenario) -> Action:
    return script.act(seen)
