"""A trainer API over HTTP that plays a tiny task, and fails where a test tells it to."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson
from aiohttp import web

from companyos.sdk.scenario import Instance, Observation, Scenario, Script, call, folder_of, source_digest
from companyos.sdk.simtime import to_iso

MOST_STEPS = 12
TOOLS = [
    {
        "name": name,
        "description": f"{name}.",
        "input_schema": {"type": "object", "properties": {each: {"type": "string"} for each in takes}},
    }
    for name, takes in {
        "desk_look": (),
        "desk_open": ("door",),
        "wait": ("seconds",),
        "finish": ("answer",),
        "refuse": ("reason_code",),
    }.items()
]


class Doors(Scenario):
    """Open the door that is right on this seed, which only looking tells."""

    name = "doors"
    version = 3
    title = "Doors"
    summary = "Open the right door."

    def generate(self, seed: int, chaos: object, salt: str, size: str | int = "default") -> Instance:
        raise NotImplementedError

    def oracle(self, observation: Observation) -> Script:
        shown = yield call("desk_look")
        yield call("desk_open", door=shown["result"]["door"])
        yield call("finish")


class OtherDoors(Doors):
    """The same task under another name."""

    name = "other_doors"


@dataclass
class Episode:
    """Where an episode stands."""

    scenario: str
    seed: int
    max_steps: int
    steps: int = 0
    earned: float = 0.0
    opened: str = ""
    ended_with: str = ""
    closed: bool = False
    actions: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def door(self) -> str:
        return f"door {self.seed % 2}"

    @property
    def success(self) -> bool:
        return self.ended_with == "finish" and self.opened == self.door

    @property
    def truncated(self) -> bool:
        return not self.ended_with and self.steps == self.max_steps

    @property
    def done(self) -> bool:
        return bool(self.ended_with) or self.truncated


#: Makes the answer to a request instead of the trainer; None lets the trainer answer.
Interference = Callable[[str, str, Any], web.Response | None]


@dataclass
class ScriptedTrainer:
    """The server: its URL, its episodes by id, and what it was asked.

    Attributes:
        offered: The scenarios it offers, as `/scenarios` lists them.
        faults: The fault account of every grade card.
        card: Other parts of every grade card.
        interferes: Answers instead of the trainer where it wants to.
        seen: How often each method and path was asked for, with ids left out.
    """

    offered: list[dict[str, Any]]
    url: str = ""
    faults: list[dict[str, Any]] = field(default_factory=list)
    card: dict[str, Any] = field(default_factory=dict)
    interferes: Interference = lambda method, path, body: None
    episodes: dict[str, Episode] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    bodies: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        content = await request.read()
        body: Any = orjson.loads(content) if content else None
        parts = request.path.strip("/").split("/")
        named = f"{request.method} /{'/'.join(part for part in parts if part not in self.episodes)}"
        self.seen[named] += 1
        self.bodies.append((named, body))
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if (instead := self.interferes(request.method, request.path, body)) is not None:
            return instead
        match request.method, parts:
            case "GET", ["scenarios"]:
                return web.json_response(self.offered)
            case "POST", ["reset"]:
                return web.json_response(self._reset(body))
            case "POST", ["step"]:
                return web.json_response(self._step(body))
            case "GET", ["state"]:
                return web.json_response(self._state(request.query["episode_id"]))
            case "GET", ["episodes", episode_id, "grade"]:
                return web.json_response(self._state(episode_id) | self._card(self.episodes[episode_id]))
            case "GET", ["episodes", episode_id, "trace"]:
                observation = {"text": "One\u2028or two?", "step": self.episodes[episode_id].steps}
                last = {"episode": episode_id, "observation": observation}
                return web.Response(text=f"{orjson.dumps(last).decode()}\n")
            case "DELETE", ["episodes", episode_id]:
                self.episodes[episode_id].closed = True
                return web.json_response({})
        return problem(404, "not_found")

    def _reset(self, body: Mapping[str, Any]) -> dict[str, Any]:
        episode_id = body.get("episode_id") or f"{len(self.episodes):032x}"
        episode = Episode(body["scenario"], body["seed"], body.get("max_steps", MOST_STEPS))
        self.episodes[episode_id] = episode
        return _told(episode_id, episode, None, None, {"tools": TOOLS})

    def _step(self, body: Mapping[str, Any]) -> dict[str, Any]:
        episode, action = self.episodes[body["episode_id"]], body["action"]
        assert body["step"] == episode.steps + 1
        episode.steps += 1
        episode.actions.append(action)
        result, error, reward = _played(episode, action)
        episode.earned = round(episode.earned + reward, 2)
        parts = {"tool_name": action.get("tool_name"), "error": error}
        return _told(body["episode_id"], episode, reward, result, parts)

    def _state(self, episode_id: str) -> dict[str, Any]:
        episode = self.episodes[episode_id]
        return {"step_count": episode.steps, "done": episode.done}

    def _card(self, episode: Episode) -> dict[str, Any]:
        opened = {"name": "door_opened", "holds": episode.opened == episode.door, "why": "The door is open."}
        return {
            "version": 3,
            "success": episode.success,
            "invalid": False,
            "invalid_reason": None,
            "episode_return": episode.earned,
            "terminated": bool(episode.ended_with),
            "truncated": episode.truncated,
            "feasible": True,
            "musts": [opened],
            "forbidden": [],
            "orders": [],
            "milestones": [opened],
            "violations": [],
            "collateral": [],
            "duplicates": [],
            "fault_account": self.faults,
            "trace_hash": _hash(episode),
            **self.card,
        }


def _played(episode: Episode, action: Mapping[str, Any]) -> tuple[Any, dict[str, Any] | None, float]:
    """Carry out an action: its result, its error and its reward."""
    match action.get("tool_name"):
        case "desk_look":
            return {"door": episode.door}, None, -0.1
        case "desk_open":
            episode.opened = action["arguments"]["door"]
            return {}, None, 0.9 if episode.opened == episode.door else -0.1
        case "wait":
            return {}, None, -0.1
        case "finish" | "refuse" as ending:
            episode.ended_with = ending
            return {"ended": True}, None, 9.9 if episode.success else -2.1
    return None, {"code": "no_call", "message": "That is no call.", "retryable": False}, -0.3


def _told(
    episode_id: str, episode: Episode, reward: float | None, result: Any, parts: Mapping[str, Any]
) -> dict[str, Any]:
    observation = {
        "text": f"You are Ann Lee (ann.lee). Open the right door. Step {episode.steps}.",
        "tool_name": None,
        "result": result,
        "error": None,
        "step": episode.steps,
        "steps_remaining": episode.max_steps - episode.steps,
        "sim_now": to_iso(60 * episode.steps),
        "elapsed_s": 60,
        **parts,
    }
    metadata = {
        "episode_id": episode_id,
        "episode_return": episode.earned,
        "success": episode.success,
        "invalid": False,
        "truncated": episode.truncated,
        "trace_hash": _hash(episode),
    }
    return {"observation": observation, "reward": reward, "done": episode.done, "metadata": metadata}


def _hash(episode: Episode) -> str:
    return f"{episode.scenario}-{episode.seed}-{episode.steps}-{episode.opened}"


def problem(status: int, code: str, *, retryable: bool = False) -> web.Response:
    """A refusal in the form of the trainer API."""
    body = {"type": code, "detail": f"Refused: {code}.", "retryable": retryable}
    return web.json_response(body, status=status, content_type="application/problem+json")


def times(most: int, path: str, make: Callable[[], web.Response]) -> Interference:
    """Interfere with the first requests for a path."""
    asked = count(1)
    return lambda method, asked_path, body: make() if asked_path == path and next(asked) <= most else None


def listing(*scenarios: Scenario) -> list[dict[str, Any]]:
    """What a server that has loaded these scenarios lists."""
    return [
        {"name": one.name, "version": one.version, "source": source_digest(folder_of(one))}
        for one in scenarios
    ]


@asynccontextmanager
async def scripted_trainer(*scenarios: Scenario, port: int = 0) -> AsyncIterator[ScriptedTrainer]:
    """A trainer API on a port of this machine, a free one by default, that offers these scenarios."""
    trainer = ScriptedTrainer(listing(*scenarios))
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", trainer.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    trainer.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield trainer
    finally:
        await runner.cleanup()
