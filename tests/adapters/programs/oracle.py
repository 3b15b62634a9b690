"""The oracle as a callable, for frameworks that ask a model what to do next and show it text.

Equal resets and equal actions give equal episodes. So the oracle plays each episode once by itself, and then says the
same again to whoever plays it through a framework, as long as the framework shows what it saw then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find

#: A tool's `name`, and its `arguments`.
Call = dict[str, Any]


@dataclass
class Log:
    """One episode of the oracle: the brief, its calls, and the text of each answer."""

    brief: str
    calls: list[Call] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


class OracleOf:
    """Plays one episode, for programs that have the observations themselves."""

    def __init__(self, scenario: str) -> None:
        self._oracle = Oracle(find(scenario))
        self._started = False

    def __call__(self, observation: Mapping[str, Any]) -> Call:
        """Return the next call after the latest observation, at first the one from reset."""
        if not self._started:
            self._oracle.start(observation)
            self._started = True
        action = self._oracle.act(observation)
        return {"name": action["tool_name"], "arguments": action["arguments"]}


class OracleModel:
    """A model that knows some episodes by their first observation."""

    def __init__(self, url: str, resets: Sequence[Mapping[str, Any]]) -> None:
        logs = [played(url, reset) for reset in resets]
        self._logs = {log.brief: log for log in logs}
        assert len(self._logs) == len(logs), "two episodes begin alike, as those of a counterfactual pair do"

    def __call__(self, seen: Sequence[str]) -> Call | None:
        """Return the next call, None after the last.

        Args:
            seen: What the framework has shown: the prompt, and the answer to every call so far.
        """
        prompt, *answers = seen
        log = next(log for brief, log in self._logs.items() if brief in prompt)
        for answer, expected in zip(answers, log.answers, strict=False):
            assert expected in answer, f"the framework showed {answer!r}, not {expected!r}"
        return log.calls[len(answers)] if len(answers) < len(log.calls) else None

    def knows(self, prompt: str) -> bool:
        """Return whether the prompt begins one of the episodes."""
        return any(brief in prompt for brief in self._logs)

    def calls(self) -> list[Call]:
        """Return what there is to say in the episodes, in order."""
        return [call for log in self._logs.values() for call in log.calls]


def played(url: str, reset: Mapping[str, Any]) -> Log:
    """Let the oracle play an episode to success, and return its log."""
    with CompanyosEnv(url) as env:
        result = env.reset(**reset)
        oracle = OracleOf(result.metadata.scenario)
        log = Log(result.observation.text)
        while not result.done:
            log.calls.append(oracle(result.observation))
            result = env.step(log.calls[-1])
            log.answers.append(result.observation.text)
    assert result.metadata.success is True, result.observation.text
    return log


def written(call: Call) -> str:
    """Return a call as models of the Qwen family write it."""
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
