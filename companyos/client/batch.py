"""Many episodes of one server that advance together, with one request for all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, overload

from .base import _INHERITED
from .cells.directory import cells_at
from .cells.transports import CellTransports
from .conversation import FORKED, NOT_RESET, PAUSES_S, Conversation, Pause, Plan
from .errors import CompanyosError
from .records import Record, Result
from .server import server_at
from .transport import Answer, HttpTransport, Lost, Request, Transport

#: Requests that the server takes as a list, below `/batch`.
_BATCHED = frozenset({"/reset", "/step"})
#: Requests by their numbers, those of one path and one cell together.
Batches = Mapping[tuple[str, str | None], Mapping[int, Request]]


class CompanyosBatch:
    """A fixed number of episodes over one connection. A step whose response was lost is played exactly once."""

    def __init__(
        self,
        base_url: str | Sequence[str],
        count: int,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 120.0,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        """Configure the client. Nothing is sent before the first call.

        Args:
            base_url: URL of the trainer API, or those of several stacks, as for `CompanyosEnv`.
            count: How many episodes, at most 1024.
            token: The trainer token, by default COMPANYOS_TRAINER_TOKEN.
            headers: Headers of every request, for a proxy in front of the server.
            timeout_s: Longest wait for one response, which holds the results of all episodes.
            pauses_s: How long to wait before each retry of a request without an answer.
        """
        self._server = server_at(base_url, token, headers, timeout_s)
        self._cells = cells_at(self._server.url)
        self._transport = self._open_transport()
        self._pauses_s = pauses_s
        self._conversations = [self._conversation() for _ in range(count)]
        self._process = os.getpid()

    @property
    def _episodes(self) -> list[Conversation]:
        """The current episodes. A process that was forked from this client's begins without any."""
        if self._process != os.getpid():
            _INHERITED.append(self._transport)
            self._process, self._transport = os.getpid(), self._open_transport()
            self._conversations = [self._conversation(FORKED) for _ in self._conversations]
        return self._conversations

    @property
    def episode_ids(self) -> list[str | None]:
        """The ids of the current episodes, None where there is none."""
        return [episode.id for episode in self._episodes]

    def reset(self, options: Sequence[Mapping[str, Any] | None]) -> list[Any]:
        """Start the episodes, each with the options of `CompanyosEnv.reset`; None leaves one as it is.

        Returns:
            One `Result` per episode, None where it was left.
        """
        wanted = [
            (index, episode.reset(each))
            for index, (episode, each) in enumerate(zip(self._episodes, options, strict=True))
            if each is not None
        ]
        begun = dict(
            zip([index for index, _ in wanted], self._run([plan for _, plan in wanted]), strict=True)
        )
        return [begun.get(index) for index in range(len(options))]

    @overload
    def step(self, actions: Sequence[Any]) -> list[Result]: ...

    @overload
    def step(self, actions: Mapping[int, Any]) -> dict[int, Result]: ...

    def step(self, actions: Sequence[Any] | Mapping[int, Any]) -> list[Result] | dict[int, Result]:
        """Play one action in each episode, or only in those whose numbers are keys of `actions`.

        If a step fails, raises the same error as `CompanyosEnv.step`.
        """
        numbered = dict(actions) if isinstance(actions, Mapping) else dict(enumerate(actions))
        if not isinstance(actions, Mapping) and len(actions) != len(self._episodes):
            raise ValueError(f"there are {len(self._episodes)} episodes and {len(actions)} actions")
        results = self._run([self._episodes[index].step(action, None) for index, action in numbered.items()])
        return dict(zip(numbered, results, strict=True)) if isinstance(actions, Mapping) else results

    def advance(self, *, resets: Sequence[Mapping[str, Any] | None], actions: Sequence[Any]) -> list[Result]:
        """Start each episode whose reset options are given, and play one action in each of the others."""
        wanted = zip(self._episodes, resets, actions, strict=True)
        return self._run(
            [
                episode.step(action, None) if reset is None else episode.reset(reset)
                for episode, reset, action in wanted
            ]
        )

    def snapshot(self, numbers: Iterable[int]) -> list[str]:
        """Save the state of each of these episodes and return the snapshots' ids."""
        return self._run([self._episodes[number].snapshot(None, pinned=False) for number in numbers])

    def drop(self, snapshot_ids: Iterable[str]) -> None:
        """Delete snapshots. Episodes that continued from them are unaffected."""
        self._run([self._conversation().drop(snapshot_id) for snapshot_id in snapshot_ids])

    def advise(self, numbers: Iterable[int]) -> list[Record]:
        """Return the oracle's next call in each of these episodes, as `CompanyosEnv.advise` does."""
        return self._run([self._episodes[number].ask_oracle("advice", None) for number in numbers])

    def value(self, numbers: Iterable[int]) -> list[Record]:
        """Return whether the oracle solves each of these episodes from here, as `CompanyosEnv.value` does."""
        return self._run([self._episodes[number].ask_oracle("value", None) for number in numbers])

    def close(self) -> None:
        """Close the connection and the episodes that are not done."""
        self._run([episode.leave() for episode in self._episodes])
        self._transport.close()

    def _open_transport(self) -> Transport:
        several = self._cells is not None
        return CellTransports(self._server, HttpTransport) if several else HttpTransport(self._server)

    def _conversation(self, missing: str = NOT_RESET) -> Conversation:
        begun = Conversation(self._server.name, missing=missing, cells=self._cells)
        begun.pauses_s = self._pauses_s
        return begun

    def _run(self, plans: Sequence[Plan[Any]]) -> list[Any]:
        """Run all plans concurrently and send simultaneous requests together.

        If one fails, the others still run to their end, so their next steps are in order.
        """
        results: list[Any] = [None] * len(plans)
        outcomes: dict[int, Any] = dict.fromkeys(range(len(plans)))
        failures: list[CompanyosError] = []
        while outcomes:
            wanted: dict[int, Request | Pause] = {}
            for index, outcome in outcomes.items():
                try:
                    wanted[index] = plans[index].send(outcome)
                except StopIteration as end:
                    results[index] = end.value
                except CompanyosError as failure:
                    failures.append(failure)
            outcomes = self._outcomes(wanted)
        if failures:
            raise failures[0]
        return results

    def _outcomes(self, wanted: Mapping[int, Request | Pause]) -> dict[int, Any]:
        pauses = {index: each.seconds for index, each in wanted.items() if isinstance(each, Pause)}
        if pauses:
            time.sleep(max(pauses.values()))
        outcomes: dict[int, Any] = dict.fromkeys(pauses)
        requests = {index: each for index, each in wanted.items() if isinstance(each, Request)}
        batches: dict[tuple[str, str | None], dict[int, Request]] = {}
        for index, each in requests.items():
            if each.path in _BATCHED:
                batches.setdefault((each.path, each.at), {})[index] = each
        for answers in self._each(batches):
            outcomes |= answers
        single = {index: each for index, each in requests.items() if each.path not in _BATCHED}
        return outcomes | {index: self._transport.send(each) for index, each in single.items()}

    def _each(self, batches: Batches) -> list[dict[int, Answer | Lost]]:
        """Send batches, those of several cells at once."""
        if len(batches) < 2:
            return [self._together(place, requests) for place, requests in batches.items()]
        with ThreadPoolExecutor(len(batches)) as threads:
            return list(threads.map(self._together, batches.keys(), batches.values()))

    def _together(
        self, place: tuple[str, str | None], requests: Mapping[int, Request]
    ) -> dict[int, Answer | Lost]:
        path, at = place
        bodies = [each.body for each in requests.values()]
        answer = self._transport.send(Request("POST", f"/batch{path}", bodies, at=at))
        if isinstance(answer, Lost) or answer.status >= 300 or not isinstance(answer.body, list):
            return dict.fromkeys(requests, answer)
        return {index: _single(each) for index, each in zip(requests, answer.body, strict=True)}


def _single(item: Mapping[str, Any]) -> Answer:
    """Return an item of a batch as the answer to a separate request."""
    problem = item.get("error")
    return Answer(200, item) if problem is None else Answer(problem["status"], problem)
