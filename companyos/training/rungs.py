"""Rungs: episodes that start near the end of the oracle's solution, and further from it as the policy succeeds.

A rung is so many calls that the task needs: where the last call solves it early, the calls in between do not count, so
that from no rung but that of the last call an episode is solved by ending it at once.

The next rung is opened when most episodes of the last one succeed, and closed again when almost none of its own does.
Rungs that are mastered are played now and then, so that they are not forgotten, and so is the next one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.client.batch import CompanyosBatch

from .rollouts import resets

#: Shares of success at which the next rung is opened, and at which the last open one is closed.
PROMOTE, DEMOTE = 0.7, 0.2
#: How often a rung is played while it is learned, and while it is mastered or not yet open.
LEARNED, BESIDE = 1.0, 0.2
#: The part of a rung's share of success that its latest group decides.
LATEST: Final = 0.3


@dataclass(frozen=True)
class Solution:
    """An oracle's solution.

    Attributes:
        calls: Its calls.
        idle: How many of them, right before the last one, the task is solved without.
    """

    calls: int
    idle: int = 0


class RungStarts:
    """Where episodes start: the options of resets, for which it asks once about each solution.

    Attributes:
        calls_left: The needed calls of the oracle that each rung leaves to the policy; 0 is the whole episode.
    """

    def __init__(self, batch: CompanyosBatch, calls_left: Sequence[int]) -> None:
        self.calls_left = calls_left
        self._batch = batch
        self._solutions: dict[tuple[str, int], Solution] = {}

    def options(self, tasks: Sequence[Mapping[str, Any]], rungs: Sequence[int]) -> list[dict[str, Any]]:
        """Return the options of resets for tasks, each with the number of a rung."""
        unknown = {_place(task): task for task in tasks if _place(task) not in self._solutions}
        if any(self.calls_left):
            self._solutions |= self._solutions_of(list(unknown.values()))
        return [
            {**task, **start_of(self.calls_left[rung], self._solutions.get(_place(task), Solution(0)))}
            for task, rung in zip(tasks, rungs, strict=True)
        ]

    def of_all(self, tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the options of resets for all tasks on each rung."""
        rungs = range(len(self.calls_left))
        return [options for rung in rungs for options in self.options(tasks, [rung] * len(tasks))]

    def _solutions_of(self, tasks: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Solution]:
        calls = {
            _place(task): int(result.metadata["start"]["calls_left"])
            for begun in resets(self._batch, [{**task, "start": {"calls": 0}} for task in tasks])
            for task, result in begun
        }
        idle = self._idle_calls(tasks, calls) if max(self.calls_left) > 1 else {}
        return {place: Solution(count, idle.get(place, 0)) for place, count in calls.items()}

    def _idle_calls(
        self, tasks: Sequence[Mapping[str, Any]], calls: Mapping[tuple[str, int], int]
    ) -> dict[tuple[str, int], int]:
        """Return how much earlier the last call of each solution solves the task as well."""
        ends = {
            _place(task): advice["action"]
            for begun in resets(self._batch, [{**task, "start": {"calls_left": 1}} for task in tasks])
            for (task, _), advice in zip(begun, self._batch.advise(range(len(begun))), strict=True)
        }
        idle = dict.fromkeys(ends, 0)
        while tasks:
            earlier = [
                {**task, "start": {"calls_left": idle[_place(task)] + 2}}
                for task in tasks
                if idle[_place(task)] + 2 <= calls[_place(task)]
            ]
            tasks = []
            for begun in resets(self._batch, earlier):
                results = self._batch.step(
                    {number: ends[_place(task)] for number, (task, _) in enumerate(begun)}
                )
                tasks += [
                    task for number, (task, _) in enumerate(begun) if results[number].metadata["success"]
                ]
            for task in tasks:
                idle[_place(task)] += 1
        return idle


def start_of(left: int, solution: Solution) -> dict[str, Any]:
    """Return the options of a reset that starts at a rung, with twice the steps that the oracle needs there.

    Args:
        left: How many needed calls the rung leaves, the last one among them.
        solution: The oracle's; if the rung leaves as many calls or more, it is the whole episode.
    """
    calls = left + solution.idle if left > 1 else left
    return (
        {"start": {"calls_left": calls}, "max_steps": f"+{2 * calls}"} if 0 < calls < solution.calls else {}
    )


@dataclass
class Rungs:
    """The starts of training episodes, from the easiest to the hardest.

    Attributes:
        calls_left: The needed calls of the oracle that each rung leaves to the policy; 0 is the whole episode.
        success: The share of episodes of each rung that succeeded lately; None before the first.
        top: The last rung that is open.
    """

    calls_left: Sequence[int]
    success: list[float | None] = field(default_factory=list)
    top: int = 0

    def __post_init__(self) -> None:
        self.success = self.success or [None] * len(self.calls_left)

    def weights(self) -> list[float]:
        """Return how often to play each rung, relative to the others."""
        opened = [BESIDE if (share or 0.0) >= PROMOTE else LEARNED for share in self.success[: self.top + 1]]
        closed = len(self.calls_left) - len(opened)
        return [*opened, *[BESIDE, *[0.0] * (closed - 1)][:closed]]

    def learn(self, rung: int, share: float) -> None:
        """Take in the share of a group's episodes that succeeded, and open or close a rung."""
        before = self.success[rung]
        self.success[rung] = share if before is None else before + LATEST * (share - before)
        latest = self.success[self.top]
        if latest is None:
            return
        if latest >= PROMOTE and self.top + 1 < len(self.calls_left):
            self.top += 1
        elif latest <= DEMOTE and self.top:
            self.top -= 1

    def parts(self) -> dict[str, Any]:
        """Return what `restored` needs."""
        return {"success": list(self.success), "top": self.top}

    def restored(self, parts: Mapping[str, Any]) -> "Rungs":
        """Return the rungs as they were when a checkpoint was saved."""
        return Rungs(self.calls_left, list(parts["success"]), parts["top"])


def _place(task: Mapping[str, Any]) -> tuple[str, int]:
    return task["scenario"], task["seed"]
