"""The client's protocol without I/O: the requests it sends, how it reads responses, and the errors it raises.

A conversation is a generator that yields requests and pauses, and is sent their outcomes. The blocking and the
asynchronous client drive the same generators, so they behave identically.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from .model_output import action_of
from .transport import Answer, Lost, Request

PAUSES_S = (0.1, 0.3, 1.0, 3.0)
#: The client numbers its steps, so the next number can be lower than its own only if the server lost steps.
OUT_OF_ORDER = "step_out_of_order"
#: Somebody else, such as an agent with the episode's token, played the step of this number.
CONFLICT = "step_conflict"
#: The most numbers under which one step is tried.
MOST_RENUMBERED = 20
#: The default set of tools that an agent is given.
DEFAULT_TOOLS = "scenario"

T = TypeVar("T")


class CompanyosError(Exception):
    """Base class of the client's errors. The message says what to do."""


class ServerUnreachable(CompanyosError):
    """No response arrived, even after retries."""


class Refused(CompanyosError):
    """The server refused the request.

    Attributes:
        status: The HTTP status.
        code: The stable error code, for example `scenario_unknown`.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.status = status
        self.code = code


class TokenRefused(Refused):
    """The server rejected the trainer token."""


class NoEpisode(Refused):
    """There is no episode to step; call `reset` first."""


class EpisodeOver(Refused):
    """The episode is done and accepts no more steps; call `reset`."""


class StepsLost(Refused):
    """Acknowledged steps are lost: the server's database crashed while running without durable commits.

    The episode continues from the state that `state()` returns. Play the lost steps again, or others.
    """


class InvalidRequest(Refused):
    """The request is invalid. Nothing happened."""


class Unavailable(Refused):
    """The server is temporarily unavailable. Retry the same call; a step is never played twice."""


class Record(dict[str, Any]):
    """A JSON object whose fields are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name!r}; the fields are {', '.join(self)}") from None


class Observation(Record):
    """The agent's view of a step, as a dictionary with attributes.

    Attributes:
        text: The observation as text for a language model.
        tool_name: The tool that was called, or None.
        result: What it returned, or None.
        error: Why the call failed (`error_type`, `code`, `message`, `retryable`), or None.
        step: Steps taken.
        steps_remaining: Steps left.
        sim_now: The simulated time, ISO 8601.
        elapsed_s: Simulated seconds since the episode began.
    """

    text: str
    tool_name: str | None
    result: Any
    error: dict[str, Any] | None
    step: int
    steps_remaining: int
    sim_now: str
    elapsed_s: int


@dataclass(frozen=True)
class Result:
    """The result of a reset or a step.

    Attributes:
        observation: What the agent sees.
        reward: The reward of this step; None after a reset.
        done: Whether the episode is over.
        metadata: For the trainer only: `episode_id`, `episode_return`, `success`, `reward_breakdown`, …
    """

    observation: Observation
    reward: float | None
    done: bool
    metadata: Record = field(default_factory=Record)


@dataclass(frozen=True)
class Pause:
    """A delay before a request is retried."""

    seconds: float


#: A conversation without I/O: yields requests and pauses, and is sent the outcome of each.
Plan = Generator[Request | Pause, Any, T]


class Conversation:
    """The state of an episode and the requests about it, shared by both clients."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.id: str | None = None
        #: Tells the episode from others of its id; None if the server is too old to say.
        self.uid: str | None = None
        self.agent_access = Record()
        self._steps = 0
        self._done = False
        #: The action that was sent last, if it is unknown whether it was played.
        self._unanswered: Mapping[str, Any] | None = None

    def reset(self, options: Mapping[str, Any]) -> Plan[Result]:
        # The client chooses the id, so a retry replaces the episode of a reset whose response was lost.
        own = options.get("episode_id") in (None, self.id)
        replace = {"replace": True} if own else {}
        wanted = {"episode_id": secrets.token_hex(16), **replace, **_with_tools(options)}
        answer = yield from self._exchange(Request("POST", "/reset", wanted))
        result = _result(self._body_of(answer))
        if self.id != result.metadata.episode_id:
            yield from self.leave()
        self.id, self._done = result.metadata["episode_id"], result.done
        self.uid = result.metadata.get("episode_uid")
        self._steps, self._unanswered = result.observation["step"], None
        self.agent_access = _agent_access(result.metadata)
        return result

    def prefetch(self, seeds: Iterable[int], options: Mapping[str, Any]) -> Plan[Record]:
        wanted = {**_with_tools(options), "seeds": list(seeds)}
        return Record((yield from self.ask(Request("POST", "/prefetch", wanted))))

    def attach(self, episode_id: str) -> Plan[Record]:
        state = Record((yield from self.get("/state", {"episode_id": episode_id})))
        if (episode_id, state.get("episode_uid")) != (self.id, self.uid):
            yield from self.leave()
            self.agent_access = Record()
        self.id, self.uid, self._done = episode_id, state.get("episode_uid"), state["done"]
        self._steps, self._unanswered = state["step_count"], None
        return state

    def step(self, chosen: Any, timeout_s: float | None) -> Plan[Result]:
        action = action_of(chosen)
        limit = {} if timeout_s is None else {"timeout_s": timeout_s}
        earlier, self._unanswered = self._unanswered, action
        for _ in range(MOST_RENUMBERED):
            body = {**self.where(), "action": action, "step": self._steps + 1, **limit}
            answer = yield from self._exchange(Request("POST", "/step", body))
            code = _code_of(answer)
            if code in (OUT_OF_ORDER, CONFLICT):
                self._steps = (yield from self.get("/state", self.where()))["step_count"]
            # The number may be that of the caller's earlier action, whose outcome the caller must not miss.
            if code != CONFLICT or earlier not in (None, action):
                break
        if isinstance(answer, Answer) and not _is_worth_repeating(answer):
            self._unanswered = None
        result = _result(self._body_of(answer))
        self._steps, self._done = result.observation["step"], result.done
        return result

    def snapshot(self, name: str | None, *, pinned: bool) -> Plan[str]:
        wanted = {"pinned": pinned, **({} if name is None else {"name": name})}
        taken = yield from self.ask(Request("POST", self.path("/snapshots"), wanted))
        return str(taken["snapshot_id"])

    def restore(self, snapshot_id: str) -> Plan[Record]:
        wanted = {"snapshot_id": snapshot_id}
        restored = Record((yield from self.ask(Request("POST", self.path("/restore"), wanted))))
        self._steps, self._done = restored["step_count"], restored["done"]
        self._unanswered = None
        return restored

    def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Plan[Record]:
        return Record((yield from self.ask(Request("PUT", self.path("/chaos"), chaos))))

    def fork(self, count: int) -> Plan[list[Conversation]]:
        # Sent once: a retry could open the branches twice.
        answer: Answer | Lost = yield Request("POST", self.path("/fork"), {"count": count})
        return [self._branch(each) for each in self._body_of(answer)["episodes"]]

    def drop(self, snapshot_id: str) -> Plan[None]:
        yield from self.ask(Request("DELETE", f"/snapshots/{quote(snapshot_id, safe='')}"))

    def export_snapshot(self, snapshot_id: str) -> Plan[bytes]:
        path = f"/snapshots/{quote(snapshot_id, safe='')}/export"
        archive: bytes = yield from self.ask(Request("GET", path))
        return archive

    def import_snapshot(self, archive: bytes, name: str | None, *, pinned: bool) -> Plan[str]:
        query = {"pinned": str(pinned).lower(), **({} if name is None else {"name": name})}
        # Sent once: a retry could take the snapshot twice.
        answer: Answer | Lost = yield Request("POST", "/snapshots/import", query=query, file=archive)
        imported: str = self._body_of(answer)["snapshot_id"]
        return imported

    def _branch(self, opened: Mapping[str, Any]) -> Conversation:
        branch = Conversation(self._url)
        branch.id, branch.uid, branch._steps = opened["episode_id"], opened.get("episode_uid"), self._steps
        branch.agent_access = _agent_access(opened)
        return branch

    def get(self, path: str, query: Mapping[str, str]) -> Plan[Any]:
        return (yield from self.ask(Request("GET", path, query=query)))

    def ask(self, request: Request) -> Plan[Any]:
        """Send a request that is safe to repeat, and return its answer."""
        answer = yield from self._exchange(request)
        return self._body_of(answer)

    def leave(self) -> Plan[None]:
        """Close the episode unless it is done. A finished episode stays on the server for inspection."""
        if self.id is not None and not self._done:
            query = {} if self.uid is None else {"episode_uid": self.uid}
            yield Request("DELETE", self.path(), query=query)
        self.id = self.uid = None

    def here(self) -> str:
        """Return the id of the current episode.

        Raises:
            NoEpisode: There is no current episode.
        """
        if self.id is None:
            raise NoEpisode(409, "no_episode", "no episode: call reset first")
        return self.id

    def path(self, suffix: str = "", episode_id: str | None = None) -> str:
        """Return the path of an episode, the current one by default, whatever characters its id has."""
        return f"/episodes/{quote(episode_id or self.here(), safe='')}{suffix}"

    def where(self) -> dict[str, str]:
        """Return how requests name the current episode, so that none concerns another that took its id."""
        return {"episode_id": self.here(), **({} if self.uid is None else {"episode_uid": self.uid})}

    def _exchange(self, request: Request) -> Plan[Answer | Lost]:
        """Send a request that is safe to repeat, retrying a few times."""
        for pause_s in PAUSES_S:
            answer: Answer | Lost = yield request
            if not _is_worth_repeating(answer):
                return answer
            yield Pause(pause_s)
        last: Answer | Lost = yield request
        return last

    def _body_of(self, answer: Answer | Lost) -> Any:
        if isinstance(answer, Lost):
            raise ServerUnreachable(
                f"No response from {self._url}: {answer.why}. Is a server running there? "
                "`companyos up` starts one; base_url names another."
            )
        if answer.status >= 400:
            raise _refusal(answer)
        return answer.body


def _agent_access(opened: Mapping[str, Any]) -> Record:
    return Record({name: opened[name] for name in ("agent_token", "agent_urls") if name in opened})


def _with_tools(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a reset with the default tools filled in, unless a snapshot decides."""
    return options if options.get("snapshot") is not None else {"tools": DEFAULT_TOOLS, **options}


def _is_worth_repeating(answer: Answer | Lost) -> bool:
    if isinstance(answer, Lost):
        return True
    if isinstance(answer.body, Mapping) and "retryable" in answer.body:
        return bool(answer.body["retryable"])
    return answer.status in (502, 503, 504)  # sent by a proxy


def _result(body: Mapping[str, Any]) -> Result:
    return Result(Observation(body["observation"]), body["reward"], body["done"], Record(body["metadata"]))


def _code_of(answer: Answer | Lost) -> str | None:
    body = answer.body if isinstance(answer, Answer) else None
    return body.get("type") if isinstance(body, Mapping) else None


def _refusal(answer: Answer) -> Refused:
    body = answer.body if isinstance(answer.body, Mapping) else {"detail": str(answer.body)[:200]}
    detail, code = body.get("detail", ""), str(body.get("type", f"http_{answer.status}"))
    if isinstance(detail, list):
        flaws = (f"{'.'.join(map(str, flaw.get('loc', ())))}: {flaw.get('msg', '')}" for flaw in detail)
        return InvalidRequest(answer.status, "invalid_request", "; ".join(flaws))
    return _KINDS.get(code, _BY_STATUS.get(answer.status, Refused))(answer.status, code, str(detail))


_KINDS: Mapping[str, type[Refused]] = {
    "no_episode": NoEpisode,
    "episode_unknown": NoEpisode,
    "episode_replaced": NoEpisode,
    "episode_done": EpisodeOver,
    "episode_expired": EpisodeOver,
    "trainer_token_required": TokenRefused,
    "agent_token_refused": TokenRefused,
    OUT_OF_ORDER: StepsLost,
}
_BY_STATUS: Mapping[int, type[Refused]] = {
    401: TokenRefused,
    422: InvalidRequest,
    429: Unavailable,
    503: Unavailable,
}
