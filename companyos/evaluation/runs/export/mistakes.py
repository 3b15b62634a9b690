"""Pairs of a call of the oracle and a mistake in its place, after which the oracle cannot solve the task.

A mistake is plausible: the call of the counterfactual twin where the two first differ, or the last call of the solution
before the work is done. Each is made in a live episode, and counts only if the oracle cannot solve what is left.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companyos.client import CompanyosEnv

from ..folder import Run
from ..request import EpisodeTask
from .conversations import Conversation
from .rows import Row, windows

Call = Mapping[str, Any]


@dataclass(frozen=True)
class Mistakes:
    """Finds the mistakes of the episodes of a run, and makes rows of them.

    Attributes:
        env: Plays the mistakes; its server knows the scenarios of the run.
        run: The run of the oracles.
        conversations: Its conversations, by scenario, chaos and seed.
        last: How many exchanges a prompt has after the task.
    """

    env: CompanyosEnv
    run: Run
    conversations: Mapping[tuple[str, int | str, int], Conversation]
    last: int

    @cached_property
    def _tasks(self) -> dict[str, EpisodeTask]:
        return {task.key: task for task in self.run.request.tasks()}

    def rows(self, conversation: Conversation) -> list[Row]:
        """Return a row for each proven mistake: `prompt`, `chosen` and `rejected`."""
        places = windows(conversation, self.last)
        found: list[Row] = []
        for number, mistake in self._candidates(conversation):
            if self._is_decisive(conversation, number, mistake):
                prompt, chosen, facts = places[number]
                function = {"name": mistake["name"], "arguments": json.dumps(mistake["arguments"])}
                calls = [{**call, "function": function} for call in chosen["tool_calls"]]
                rejected = {**chosen, "tool_calls": calls}
                found.append({"prompt": prompt, "chosen": [chosen], "rejected": [rejected], **facts})
        return found

    def _candidates(self, conversation: Conversation) -> Iterator[tuple[int, Call]]:
        """Yield plausible mistakes, each with the number of the call in whose place it is made."""
        calls, record = _calls(conversation), conversation.record
        twin = self.conversations.get((record.scenario, record.chaos, record.seed ^ 1))
        for number, (own, other) in enumerate(zip(calls, _calls(twin) if twin else (), strict=False)):
            if own != other:
                yield number, other
                break
        places = sorted({len(calls) // 2, len(calls) - 2} & set(range(len(calls) - 1)))
        yield from ((place, calls[-1]) for place in places)

    def _is_decisive(self, conversation: Conversation, number: int, mistake: Call) -> bool:
        """Make the mistake after that many calls of the oracle, and return whether the task is lost by it."""
        task = self._tasks[conversation.record.key]
        self.env.reset(**{**self.run.request.reset_options(task), "start": {"calls": number}})
        result = self.env.step({"tool_name": mistake["name"], "arguments": mistake["arguments"]})
        return not result.metadata["success"] if result.done else not self.env.value()["solvable"]


def _calls(conversation: Conversation) -> Sequence[Call]:
    return [call["function"] for message in conversation.messages for call in message.get("tool_calls", ())]
