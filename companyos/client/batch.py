"""Many episodes of one server that advance together, with one request for all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .base import TOKEN_VARIABLE
from .conversation import CompanyosError, Conversation, Pause, Plan, Result
from .transport import Answer, HttpTransport, Lost, Request

#: Requests that the server takes as a list, below `/batch`.
_BATCHED = frozenset({"/reset", "/step"})


class CompanyosBatch:
    """A fixed number of episodes over one connection. A step whose response was lost is played exactly once."""

    def __init__(
        self, base_url: str, count: int, *, token: str | None = None, timeout_s: float = 120.0
    ) -> None:
        """Configure the client. Nothing is sent before the first call.

        Args:
            base_url: URL of the trainer API.
            count: How many episodes, at most 1024.
            token: The trainer token, by default COMPANYOS_TRAINER_TOKEN.
            timeout_s: Longest wait for one response, which holds the results of all episodes.
        """
        url = base_url.rstrip("/")
        self._transport = HttpTransport(url, token or os.environ.get(TOKEN_VARIABLE) or None, timeout_s)
        self._episodes = [Conversation(url) for _ in range(count)]

    @property
    def episode_ids(self) -> list[str | None]:
        """The ids of the current episodes, None where there is none."""
        return [episode.id for episode in self._episodes]

    def reset(self, options: Sequence[Mapping[str, Any]]) -> list[Result]:
        """Start all episodes, each with the options of `CompanyosEnv.reset`."""
        return self._run([episode.reset(each) for episode, each in zip(self._episodes, options, strict=True)])

    def step(self, actions: Sequence[Any]) -> list[Result]:
        """Play one action in each episode. If a step fails, raises the same error as `CompanyosEnv.step`."""
        return self.advance(resets=[None] * len(self._episodes), actions=actions)

    def advance(self, *, resets: Sequence[Mapping[str, Any] | None], actions: Sequence[Any]) -> list[Result]:
        """Start each episode whose reset options are given, and play one action in each of the others."""
        wanted = zip(self._episodes, resets, actions, strict=True)
        return self._run(
            [
                episode.step(action, None) if reset is None else episode.reset(reset)
                for episode, reset, action in wanted
            ]
        )

    def close(self) -> None:
        """Close the connection and the episodes that are not done."""
        self._run([episode.leave() for episode in self._episodes])
        self._transport.close()

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
        for path in _BATCHED:
            outcomes |= self._together(path, {i: each for i, each in requests.items() if each.path == path})
        single = {index: each for index, each in requests.items() if each.path not in _BATCHED}
        return outcomes | {index: self._transport.send(each) for index, each in single.items()}

    def _together(self, path: str, requests: Mapping[int, Request]) -> dict[int, Answer | Lost]:
        if not requests:
            return {}
        answer = self._transport.send(
            Request("POST", f"/batch{path}", [each.body for each in requests.values()])
        )
        if isinstance(answer, Lost) or answer.status >= 400:
            return dict.fromkeys(requests, answer)
        return {index: _single(each) for index, each in zip(requests, answer.body, strict=True)}


def _single(item: Mapping[str, Any]) -> Answer:
    """Return an item of a batch as the answer to a separate request."""
    problem = item.get("error")
    return Answer(200, item) if problem is None else Answer(problem["status"], problem)
