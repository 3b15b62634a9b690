"""The client's protocol without I/O: the requests it sends, how it reads responses, and the errors it raises.

A conversation is a generator that yields requests and pauses, and is sent their outcomes. The blocking and the
asynchronous client drive the same generators, so they behave identically.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from companyos.cells.names import named_in

from .cells.directory import Cells
from .errors import CellGone, NoEpisode, ServerUnreachable, StepsLost
from .model_output import action_of
from .plain_values import is_missing, plain, plain_options
from .records import Observation, Record, Result
from .refusals import body_of, code_of, is_worth_repeating, reading
from .transport import Answer, Lost, Request

PAUSES_S = (0.1, 0.3, 1.0, 3.0)
#: The longest pause before a retry, whatever the server asks for.
MOST_PAUSE_S = 10.0
#: The client numbers its steps, so the next number can be lower than its own only if the server lost steps.
OUT_OF_ORDER = "step_out_of_order"
#: Somebody else, such as an agent with the episode's token, played the step of this number.
CONFLICT = "step_conflict"
#: A cell that takes no resets refuses them so.
DRAINING = "cell_draining"
#: The most numbers under which one step is tried.
MOST_RENUMBERED = 20
#: The default set of tools that an agent is given.
DEFAULT_TOOLS = "scenario"
_CHOICE_OF_TASK = frozenset({"scenario", "seed"})
#: Why there is no episode to step.
NOT_RESET = "no episode: call reset first"
FORKED = (
    "this process was forked from the one that began the episode, and has none of its own: call reset, or attach to "
    "take an episode over"
)

T = TypeVar("T")


@dataclass(frozen=True)
class Pause:
    """A delay before a request is retried."""

    seconds: float


#: A conversation without I/O: yields requests and pauses, and is sent the outcome of each.
Plan = Generator[Request | Pause, Any, T]


class Conversation:
    """The state of an episode and the requests about it, shared by both clients.

    Args:
        url: The server, as messages name it.
        missing: Why there is no episode yet.
        cells: The cells at that address; None for a stack alone.
    """

    def __init__(self, url: str, *, missing: str = NOT_RESET, cells: Cells | None = None) -> None:
        self._url = url
        #: How long to wait before each retry.
        self.pauses_s: Sequence[float] = PAUSES_S
        self._missing = missing
        self._cells = cells
        self.id: str | None = None
        #: Tells the episode from others of its id; None if the server is too old to say.
        self.uid: str | None = None
        self.agent_access = Record()
        self._steps = 0
        self._done = False
        #: The action that was sent last, if it is unknown whether it was played.
        self._unanswered: Mapping[str, Any] | None = None

    def reset(self, options: Mapping[str, Any]) -> Plan[Result]:
        given = _without_blanks(options)
        own = given.get("episode_id") in (None, self.id)
        repeated = {"idempotency_key": secrets.token_hex(16), **({"replace": True} if own else {})}
        answer = yield from self._begin({**repeated, **plain_options(given)})
        result = self._result(answer)
        with reading(result.metadata, self._url):
            opened = result.metadata["episode_id"]
        if self.id != opened:
            yield from self.leave()
        self.id, self._done = opened, result.done
        self.uid = result.metadata.get("episode_uid")
        self._steps, self._unanswered = result.observation["step"], None
        self.agent_access = _agent_access(result.metadata)
        return result

    def _begin(self, wanted: Mapping[str, Any]) -> Plan[Answer | Lost]:
        """Send a reset, to another cell if the one chosen for it is gone or drains."""
        is_bound = self._cells is None or "episode_id" in wanted
        while True:
            # By the id and the key, a retry begins the episode again that a reset began whose response was lost.
            named = {"episode_id": (yield from self._new_id(wanted)), **wanted}
            try:
                answer = yield from self._exchange(Request("POST", "/reset", named))
            except CellGone:
                if is_bound or "snapshot" in wanted:
                    raise
                continue
            if self._cells is None or code_of(answer) != DRAINING:
                return answer
            self._cells.note_draining(named["episode_id"])
            if is_bound or "snapshot" in wanted:
                return answer

    def _new_id(self, wanted: Mapping[str, Any]) -> Plan[str]:
        if self._cells is None or "episode_id" in wanted:
            return secrets.token_hex(16)
        yield from self._cells.survey()
        snapshot = wanted.get("snapshot")
        cell = self._cells.choose(wanted) if snapshot is None else self._cells.holding(str(snapshot))
        return named_in(cell, secrets.token_hex(16))

    def prefetch(self, seeds: Iterable[int], options: Mapping[str, Any]) -> Plan[Record]:
        wanted = plain_options({**_without_blanks(options), "seeds": list(seeds)})
        if self._cells is None or not wanted["seeds"]:
            return Record((yield from self.ask(Request("POST", "/prefetch", wanted), dict)))
        total = Record()
        for request in (yield from self._cells.prefetches(wanted)):
            counts = yield from self.ask(request, dict)
            with reading(counts, self._url):
                total = Record({name: total.get(name, 0) + counts[name] for name in counts})
        return total

    def tasks(self, split: str, start: int, stop: int) -> Plan[list[Record]]:
        wanted = plain_options({"split": split, "start": start, "stop": stop})
        found = yield from self.ask(Request("POST", "/companyos/task_range", wanted), dict)
        with reading(found, self._url):
            return [Record(task) for task in found["tasks"]]

    def attach(self, episode_id: str) -> Plan[Record]:
        state = Record((yield from self.get("/state", plain_options({"episode_id": episode_id}))))
        with reading(state, self._url):
            steps, done = int(state["step_count"]), state["done"]
        if (episode_id, state.get("episode_uid")) != (self.id, self.uid):
            yield from self.leave()
            self.agent_access = Record()
        self.id, self.uid, self._done = episode_id, state.get("episode_uid"), done
        self._steps, self._unanswered = steps, None
        return state

    def step(self, chosen: Any, timeout_s: float | None) -> Plan[Result]:
        action = action_of(plain(chosen))
        limit = {} if timeout_s is None else {"timeout_s": timeout_s}
        earlier, self._unanswered = self._unanswered, action
        for _ in range(MOST_RENUMBERED):
            body = {**self.where(), "action": action, "step": self._steps + 1, **limit}
            answer = yield from self._exchange(Request("POST", "/step", body))
            code = code_of(answer)
            if code in (OUT_OF_ORDER, CONFLICT):
                state = yield from self.get("/state", self.where())
                with reading(state, self._url):
                    self._steps = int(state["step_count"])
            # The number may be that of the caller's earlier action, whose outcome the caller must not miss.
            if code != CONFLICT or earlier not in (None, action):
                break
        if isinstance(answer, Answer) and not is_worth_repeating(answer):
            self._unanswered = None
        result = self._result(answer)
        self._steps, self._done = result.observation["step"], result.done
        return result

    def grade(self, episode_id: str | None) -> Plan[Record]:
        card = Record((yield from self.get(self.path("/grade", episode_id), {})))
        if episode_id in (None, self.id):
            with reading(card, self._url):
                steps, done = int(card["step_count"]), card["done"]
            self.check_kept(steps, done=done)
        return card

    def check_kept(self, steps: int, *, done: bool) -> None:
        """Check that the episode has the steps that were answered, and count on from where it stands.

        Args:
            steps: How many steps the server knows.
            done: Whether the episode is over there.

        Raises:
            StepsLost: The server knows fewer steps than it answered.
        """
        answered = self._steps
        if steps < answered:
            self._steps, self._done = steps, done
            raise StepsLost.since(answered, steps)

    def snapshot(self, name: str | None, *, pinned: bool) -> Plan[str]:
        wanted = {"pinned": pinned, **({} if name is None else {"name": name})}
        taken = yield from self.ask(Request("POST", self.path("/snapshots"), wanted), dict)
        with reading(taken, self._url):
            return str(taken["snapshot_id"])

    def restore(self, snapshot_id: str) -> Plan[Record]:
        wanted = {"snapshot_id": snapshot_id}
        restored = Record((yield from self.ask(Request("POST", self.path("/restore"), wanted), dict)))
        with reading(restored, self._url):
            self._steps, self._done = int(restored["step_count"]), restored["done"]
        self._unanswered = None
        return restored

    def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Plan[Record]:
        wanted = plain_options({"chaos": chaos})["chaos"]
        return Record((yield from self.ask(Request("PUT", self.path("/chaos"), wanted), dict)))

    def fork(self, count: int) -> Plan[list[Conversation]]:
        # Sent once: a retry could open the branches twice.
        answer = yield from self._once(Request("POST", self.path("/fork"), {"count": count}))
        opened = self._body_of(answer, dict)
        with reading(opened, self._url):
            return [self._branch(each) for each in opened["episodes"]]

    def ask_oracle(self, question: str, episode_id: str | None) -> Plan[Record]:
        """Ask for `advice` or `value`: the oracle plays a copy of the episode."""
        return Record((yield from self.ask(Request("POST", self.path(f"/{question}", episode_id)), dict)))

    def drop(self, snapshot_id: str) -> Plan[None]:
        yield from self.ask(Request("DELETE", f"/snapshots/{quote(snapshot_id, safe='')}"))

    def export_snapshot(self, snapshot_id: str) -> Plan[bytes]:
        path = f"/snapshots/{quote(snapshot_id, safe='')}/export"
        archive: bytes = yield from self.ask(Request("GET", path), bytes)
        return archive

    def import_snapshot(self, archive: bytes, name: str | None, *, pinned: bool) -> Plan[str]:
        query = {"pinned": str(pinned).lower(), **({} if name is None else {"name": name})}
        # Sent once: a retry could take the snapshot twice.
        answer = yield from self._once(Request("POST", "/snapshots/import", query=query, file=archive))
        imported = self._body_of(answer, dict)
        with reading(imported, self._url):
            return str(imported["snapshot_id"])

    def _branch(self, opened: Mapping[str, Any]) -> Conversation:
        branch = Conversation(self._url, cells=self._cells)
        branch.id, branch.uid, branch._steps = opened["episode_id"], opened.get("episode_uid"), self._steps
        branch.agent_access = _agent_access(opened)
        return branch

    def get(self, path: str, query: Mapping[str, str], expected: type = dict) -> Plan[Any]:
        return (yield from self.ask(Request("GET", path, query=query), expected))

    def ask(self, request: Request, expected: type = object) -> Plan[Any]:
        """Send a request that is safe to repeat, and return its answer: JSON of a type, text (`str`) or a file."""
        answer = yield from self._exchange(request)
        return self._body_of(answer, expected)

    def leave(self) -> Plan[None]:
        """Close the episode unless it is done. A finished episode stays on the server for inspection."""
        if self.id is not None and not self._done:
            query = {} if self.uid is None else {"episode_uid": self.uid}
            request = Request("DELETE", self.path(), query=query)
            yield request if self._cells is None else self._cells.with_address(request, self.id)
        self.id = self.uid = None

    def here(self) -> str:
        """Return the id of the current episode.

        Raises:
            NoEpisode: There is no current episode.
        """
        if self.id is None:
            raise NoEpisode(409, "no_episode", self._missing)
        return self.id

    def path(self, suffix: str = "", episode_id: str | None = None) -> str:
        """Return the path of an episode, the current one by default, whatever characters its id has."""
        return f"/episodes/{quote(episode_id or self.here(), safe='')}{suffix}"

    def where(self) -> dict[str, str]:
        """Return how requests name the current episode, so that none concerns another that took its id."""
        return {"episode_id": self.here(), **({} if self.uid is None else {"episode_uid": self.uid})}

    def _exchange(self, request: Request) -> Plan[Answer | Lost]:
        """Send a request that is safe to repeat, retrying a few times; raises CellGone if its cell does not answer."""
        if self._cells is not None:
            request = yield from self._cells.after_survey(request, self.id)
        for pause_s in self.pauses_s:
            answer: Answer | Lost = yield request
            if not is_worth_repeating(answer) or (self._cells is not None and code_of(answer) == DRAINING):
                return answer
            asked_s = answer.retry_after_s if isinstance(answer, Answer) else None
            yield Pause(max(pause_s, min(asked_s or 0.0, MOST_PAUSE_S)))
        last: Answer | Lost = yield request
        if self._cells is not None and isinstance(last, Lost):
            raise self._cells.lost(request, last)
        return last

    def _once(self, request: Request) -> Plan[Answer | Lost]:
        if self._cells is not None:
            request = yield from self._cells.after_survey(request, self.id)
        answer: Answer | Lost = yield request
        return answer

    def _result(self, answer: Answer | Lost) -> Result:
        body = self._body_of(answer, dict)
        with reading(body, self._url):
            observation, metadata = Observation(body["observation"]), Record(body["metadata"])
            int(observation["step"])
            return Result(observation, body["reward"], body["done"], metadata)

    def _body_of(self, answer: Answer | Lost, expected: type) -> Any:
        if isinstance(answer, Lost):
            raise ServerUnreachable(
                f"No response from {self._url}: {answer.why}. Is a server running there? "
                "`companyos up` starts one; base_url names another."
            )
        return body_of(answer, expected, self._url)


def _agent_access(opened: Mapping[str, Any]) -> Record:
    return Record({name: opened[name] for name in ("agent_token", "agent_urls") if name in opened})


def _without_blanks(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a reset that have a value, with the default tools unless a snapshot decides.

    Rows of a data set are passed as they are, so what a table fills up counts as absent; but a wrong seed or
    scenario is sent to be refused, because its default would be another task.
    """
    given = {
        name: value
        for name, value in options.items()
        if value is not None and (name in _CHOICE_OF_TASK or not is_missing(plain(value)))
    }
    return given if "snapshot" in given else {"tools": DEFAULT_TOOLS, **given}
