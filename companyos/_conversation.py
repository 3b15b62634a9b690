"""What the client says to a server and makes of its answers, without any I/O, and what it can come to.

A conversation is a generator: it yields requests and pauses, and is sent what came of each. The client drives it,
blocking or on an event loop, so both behave the same to the letter.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._transport import Answer, Lost, Request

PAUSES_S = (0.1, 0.3, 1.0, 3.0)
#: The client counts, so only a server that forgot can find its number out of order.
OUT_OF_ORDER = "step_out_of_order"

T = TypeVar("T")


class CompanyosError(Exception):
    """Something the client could not do; the message says what would help."""


class ServerUnreachable(CompanyosError):
    """No answer came, however often it was asked."""


class Refused(CompanyosError):
    """The server said no.

    Attributes:
        status: The HTTP status.
        code: The stable name of the refusal, for example `scenario_unknown`.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.status = status
        self.code = code


class TokenRefused(Refused):
    """The server wants another trainer token."""


class NoEpisode(Refused):
    """There is no episode to step: call `reset` first."""


class EpisodeOver(Refused):
    """The episode is done and takes no further step: call `reset`."""


class StepsLost(Refused):
    """Steps that were answered are gone: the server's database crashed, and does not wait for its disk.

    The episode goes on from where it truly stands, which `state()` tells: play what was lost again, or something else.
    """


class InvalidRequest(Refused):
    """The request is not one the server knows; nothing happened."""


class Unavailable(Refused):
    """The server cannot do it now; the same call may work later, and never doubles a step."""


class Record(dict[str, Any]):
    """A JSON object whose fields can be read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name!r}; there are {', '.join(self)}") from None


class Observation(Record):
    """What the agent sees; a plain dictionary besides.

    Attributes:
        text: For a language model to read.
        tool_name: The tool that was called, or None.
        result: What it returned, or None.
        error: Why it came to nothing (`error_type`, `code`, `message`, `retryable`), or None.
        step: Steps taken.
        steps_remaining: Steps left.
        sim_now: The simulated clock, ISO 8601.
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
    """What a reset or a step brought.

    Attributes:
        observation: For the agent.
        reward: Of this step; None after a reset.
        done: Whether the episode is over.
        metadata: For the trainer only: `episode_id`, `episode_return`, `success`, `reward_breakdown`, …
    """

    observation: Observation
    reward: float | None
    done: bool
    metadata: Record = field(default_factory=Record)


@dataclass(frozen=True)
class Pause:
    """A wait before the same request is sent again."""

    seconds: float


#: A conversation without I/O: yields what to send or how long to wait, is sent what came of it.
Plan = Generator[Request | Pause, Any, T]


class Episode:
    """What the client knows of its episode, and what it says to the server: the same for both classes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.id: str | None = None
        self._steps = 0
        self._done = False

    def reset(self, options: Mapping[str, Any]) -> Plan[Result]:
        # Named here, so that a repeat replaces what an unheard reset may have begun.
        wanted = {"episode_id": secrets.token_hex(16), **options}
        answer = yield from self._exchange(Request("POST", "/reset", wanted))
        result = _result(self._said(answer))
        if self.id != result.metadata.episode_id:
            yield from self.leave()
        self.id, self._done = result.metadata["episode_id"], result.done
        self._steps = result.observation["step"]
        return result

    def step(self, action: Mapping[str, Any], timeout_s: float | None) -> Plan[Result]:
        body: dict[str, Any] = {"episode_id": self.here(), "action": dict(action), "step": self._steps + 1}
        if timeout_s is not None:
            body["timeout_s"] = timeout_s
        answer = yield from self._exchange(Request("POST", "/step", body))
        if isinstance(answer, Answer) and _code_of(answer) == OUT_OF_ORDER:
            self._steps = (yield from self.get("/state", {"episode_id": self.here()}))["step_count"]
        result = _result(self._said(answer))
        self._steps, self._done = result.observation["step"], result.done
        return result

    def snapshot(self, name: str | None, *, pinned: bool) -> Plan[str]:
        wanted = {"pinned": pinned, **({} if name is None else {"name": name})}
        answer = yield from self._exchange(Request("POST", f"/episodes/{self.here()}/snapshots", wanted))
        taken: str = self._said(answer)["snapshot_id"]
        return taken

    def restore(self, snapshot_id: str) -> Plan[Record]:
        wanted = {"snapshot_id": snapshot_id}
        answer = yield from self._exchange(Request("POST", f"/episodes/{self.here()}/restore", wanted))
        restored = Record(self._said(answer))
        self._steps, self._done = restored["step_count"], restored["done"]
        return restored

    def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Plan[Record]:
        answer = yield from self._exchange(Request("PUT", f"/episodes/{self.here()}/chaos", chaos))
        return Record(self._said(answer))

    def fork(self, count: int) -> Plan[list[Episode]]:
        # Asked once: a repeat of what got lost would open the branches twice.
        answer: Answer | Lost = yield Request("POST", f"/episodes/{self.here()}/fork", {"count": count})
        return [self._branch(each["episode_id"]) for each in self._said(answer)["episodes"]]

    def drop(self, snapshot_id: str) -> Plan[None]:
        self._said((yield from self._exchange(Request("DELETE", f"/snapshots/{snapshot_id}"))))

    def export_snapshot(self, snapshot_id: str) -> Plan[bytes]:
        answer = yield from self._exchange(Request("GET", f"/snapshots/{snapshot_id}/export"))
        archive: bytes = self._said(answer)
        return archive

    def import_snapshot(self, archive: bytes, name: str | None, *, pinned: bool) -> Plan[str]:
        query = {"pinned": str(pinned).lower(), **({} if name is None else {"name": name})}
        # Asked once: a repeat of what got lost would keep the world twice.
        answer: Answer | Lost = yield Request("POST", "/snapshots/import", query=query, file=archive)
        imported: str = self._said(answer)["snapshot_id"]
        return imported

    def _branch(self, episode_id: str) -> Episode:
        branch = Episode(self._url)
        branch.id, branch._steps = episode_id, self._steps
        return branch

    def get(self, path: str, query: Mapping[str, str]) -> Plan[Any]:
        answer = yield from self._exchange(Request("GET", path, query=query))
        return self._said(answer)

    def leave(self) -> Plan[None]:
        """Close the episode unless it is done; a finished one stays on the server to be looked at."""
        if self.id is not None and not self._done:
            yield Request("DELETE", f"/episodes/{self.id}")
        self.id = None

    def here(self) -> str:
        """Return the id of the current episode.

        Raises:
            NoEpisode: There is none.
        """
        if self.id is None:
            raise NoEpisode(409, "no_episode", "no episode: call reset first")
        return self.id

    def _exchange(self, request: Request) -> Plan[Answer | Lost]:
        """Send a request that may be repeated, until it is answered or a few tries have failed."""
        for pause_s in PAUSES_S:
            answer: Answer | Lost = yield request
            if not _is_worth_repeating(answer):
                return answer
            yield Pause(pause_s)
        last: Answer | Lost = yield request
        return last

    def _said(self, answer: Answer | Lost) -> Any:
        if isinstance(answer, Lost):
            raise ServerUnreachable(
                f"No answer from {self._url}: {answer.why}. Is a server running there? "
                "`companyos up` starts one; base_url names another."
            )
        if answer.status >= 400:
            raise _refusal(answer)
        return answer.body


def _is_worth_repeating(answer: Answer | Lost) -> bool:
    if isinstance(answer, Lost):
        return True
    if isinstance(answer.body, Mapping) and "retryable" in answer.body:
        return bool(answer.body["retryable"])
    return answer.status in (502, 503, 504)  # of a proxy on the way


def _result(body: Mapping[str, Any]) -> Result:
    return Result(Observation(body["observation"]), body["reward"], body["done"], Record(body["metadata"]))


def _code_of(answer: Answer) -> str | None:
    return answer.body.get("type") if isinstance(answer.body, Mapping) else None


def _refusal(answer: Answer) -> Refused:
    body = answer.body if isinstance(answer.body, Mapping) else {"detail": str(answer.body)[:200]}
    detail, code = body.get("detail", ""), str(body.get("type", f"http_{answer.status}"))
    if isinstance(detail, list):
        told = (f"{'.'.join(map(str, flaw.get('loc', ())))}: {flaw.get('msg', '')}" for flaw in detail)
        return InvalidRequest(answer.status, "invalid_request", "; ".join(told))
    return _KINDS.get(code, _BY_STATUS.get(answer.status, Refused))(answer.status, code, str(detail))


_KINDS: Mapping[str, type[Refused]] = {
    "no_episode": NoEpisode,
    "episode_unknown": NoEpisode,
    "episode_done": EpisodeOver,
    "episode_expired": EpisodeOver,
    "trainer_token_required": TokenRefused,
    OUT_OF_ORDER: StepsLost,
}
_BY_STATUS: Mapping[int, type[Refused]] = {
    401: TokenRefused,
    422: InvalidRequest,
    429: Unavailable,
    503: Unavailable,
}
