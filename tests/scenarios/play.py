"""Plays episodes over the trainer API with an agent or a list of actions."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from companyos.client.server import Server
from companyos.evaluation.agents import Agent, OpenLoopPlan, Oracle, Recorded
from companyos.sdk.scenario import Action, CompanyState, Instance, Observation, Scenario, Script, call
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.scripted import Scripted
from companyos.sdk.scripts.skills import Skills
from orchestrator.agent.observation_text import compact

T = TypeVar("T")


@dataclass(frozen=True)
class Episode:
    """A finished episode: how it went, its grade card and its trace."""

    first: dict[str, Any]
    last: dict[str, Any]
    grade: dict[str, Any]
    trace: list[dict[str, Any]]

    @property
    def success(self) -> bool:
        """Whether the task was solved."""
        return bool(self.grade["success"])

    def state_of(self, instance: Instance) -> CompanyState:
        """Return the committed state in which the episode ended."""
        state = CompanyState(instance.rows)
        for record in self.trace[1:]:
            for change in record["changes"]:
                state.apply(change["service"], [change])
        return state


def play(url: str, scenario: Scenario, seed: int, agent: Agent, *, chaos: Any = 0, **options: Any) -> Episode:
    """Play an episode to its end; `options` are those of the reset."""
    asked = {"scenario": scenario.name, "seed": seed, "chaos": chaos, **options}
    with httpx.Client(**Server(url).http_options) as client:
        first = answer = _posted(client, "/reset", asked)
        episode_id = first["metadata"]["episode_id"]
        agent.start(first["observation"])
        while not answer["done"]:
            action = agent.act(answer["observation"])
            answer = _posted(client, "/step", {"episode_id": episode_id, "action": action})
            assert unsaid(answer["observation"]) == []
        grade = client.get(f"/episodes/{episode_id}/grade").raise_for_status().json()
        trace = client.get(f"/episodes/{episode_id}/trace").raise_for_status().json()
    return Episode(first, answer, grade, trace)


def unsaid(observation: dict[str, Any]) -> list[Any]:
    """Return what the result of a service's tool holds and the observation's text does not say."""
    if observation["result"] is None or observation["tool_name"] in ("wait", "finish", "refuse"):
        return []
    return [value for value in _values(observation["result"]) if compact(value) not in observation["text"]]


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _values(inner)
    elif isinstance(value, str) and "\n" in value:
        yield from (line.strip() for line in value.split("\n") if line.strip())
    else:
        yield value


def solve(url: str, scenario: Scenario, seed: int, *, chaos: Any = 0) -> Episode:
    """Play an episode with the oracle."""
    return play(url, scenario, seed, Oracle(scenario), chaos=chaos)


def solution(url: str, scenario: Scenario, seed: int, chaos: Any = 0, **options: Any) -> Sequence[Action]:
    """Return the calls with which the oracle solves an instance; `options` are those of the reset.

    They have no idempotency keys, so that a call that is made again is another call.
    """
    key = (url, scenario.name, seed, json.dumps([chaos, options], sort_keys=True))
    if key not in _SOLUTIONS:
        oracle = Recorded(Oracle(scenario))
        episode = play(url, scenario, seed, oracle, chaos=chaos, **options)
        assert episode.success, episode.grade
        _SOLUTIONS[key] = [_without_key(action) for action in oracle.calls]
    return tuple(_SOLUTIONS[key])


def _without_key(action: Action) -> Action:
    arguments = {name: value for name, value in action["arguments"].items() if name != "idempotency_key"}
    return call(action["tool_name"], **arguments)


_SOLUTIONS: dict[tuple[str, str, int, str], Sequence[Action]] = {}


def broken(episode: Episode) -> set[str]:
    """Return the names of what the grade card says is missing, forbidden or out of order."""
    card = episode.grade
    missing = {one["name"] for one in card["musts"] if not one["holds"]}
    return missing | {
        one["name"] for kind in ("forbidden", "orders") for one in card[kind] if not one["kept"]
    }


def carry_out(
    url: str, scenario: Scenario, seed: int, actions: Sequence[Action], *, chaos: Any = 0, **options: Any
) -> Episode:
    """Play an episode with a fixed list of actions and finish; `options` are those of the reset."""
    return play(url, scenario, seed, OpenLoopPlan(actions), chaos=chaos, **options)


def find_out(
    url: str, scenario: Scenario, seed: int, script: Callable[[Skills], Play[T]], *, chaos: Any = 0
) -> T:
    """Return what a script finds out when an episode begins."""
    found: list[T] = []

    def whole(observation: Observation) -> Script:
        found.append((yield from script(Skills(observation))))

    play(url, scenario, seed, Scripted(whole), chaos=chaos)
    return found[0]


def next_id(instance: Instance, service: str, table: str) -> str:
    """Return the id of the row that is added to a table next."""
    prefix, _, number = max(str(row["id"]) for row in instance.rows[service][table]).partition("-")
    return f"{prefix}-{int(number) + 1:0{len(number)}}"


def inserted(plan: Sequence[Action], *acts: Action, before: str | None = None) -> list[Action]:
    """Return a plan with acts before the first call of a tool, or before its last call."""
    at = len(plan) - 1 if before is None else [one["tool_name"] for one in plan].index(before)
    return [*plan[:at], *acts, *plan[at:]]


def without_finish(plan: Sequence[Action]) -> list[Action]:
    """Return a plan but for its last word."""
    return [action for action in plan if action["tool_name"] != "finish"]


def changed(plan: Sequence[Action], tool: str, **arguments: Any) -> list[Action]:
    """Return the plan with other arguments in the calls of a tool."""
    return [
        call(action["tool_name"], **{**action["arguments"], **arguments})
        if action["tool_name"] == tool
        else action
        for action in plan
    ]


def without(plan: Sequence[Action], tool: str, **arguments: Any) -> list[Action]:
    """Return the plan without the calls of a tool that have these arguments."""
    return [
        action
        for action in plan
        if action["tool_name"] != tool or not arguments.items() <= action["arguments"].items()
    ]


def _posted(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(path, json=body).raise_for_status().json()
