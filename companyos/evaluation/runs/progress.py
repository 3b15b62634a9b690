"""The progress of a run, in one line."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from .intervals import share
from .records import EpisodeEnding, EpisodeRecord

_MINUTE_S: Final = 60


@dataclass
class RunProgress:
    """The recorded episodes, and what this session of the run has added to them.

    Attributes:
        planned: All episodes of the run.
        records: The recorded episodes, by key.
        played: How many episodes this session played.
        steps: Steps of this session's episodes.
    """

    planned: int
    records: dict[str, EpisodeRecord] = field(default_factory=dict)
    played: int = 0
    steps: int = 0

    @classmethod
    def of(cls, planned: int, records: Iterable[EpisodeRecord]) -> "RunProgress":
        """Begin with the episodes of earlier sessions."""
        return cls(planned, {record.key: record for record in records})

    def add(self, record: EpisodeRecord) -> None:
        """Count a finished episode."""
        self.records[record.key] = record
        self.played += 1
        self.steps += record.steps

    def count(self, ended: EpisodeEnding) -> int:
        """Return how many recorded episodes ended in a given way."""
        return sum(record.ended is ended for record in self.records.values())

    @property
    def left(self) -> int:
        """How many episodes are left to play, including those in which the environment failed."""
        return self.planned - len(self.records) + self.count(EpisodeEnding.ENVIRONMENT_FAILURE)

    def time_left_s(self, seconds: float) -> float | None:
        """Estimate the seconds until the end at this session's pace; None before its first episode.

        Args:
            seconds: How long the session has taken.
        """
        return self.left * seconds / self.played if self.played else None

    def parts(self, seconds: float) -> list[str]:
        """Return the parts to show; `seconds` is how long the session has taken."""
        scored = [record for record in self.records.values() if record.is_scored]
        shown = [f"{len(self.records)}/{self.planned} done"]
        if rate := share([float(record.success) for record in scored]):
            shown.append(f"success {rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})")
            shown.append(f"return {fmean(record.episode_return for record in scored):+.2f}")
        if self.steps and seconds:
            shown.append(f"{self.steps / seconds:.1f} steps/s")
        shown += self._failures()
        shown += self._used()
        if left_s := self.time_left_s(seconds):
            shown.append(f"{duration(left_s)} left")
        return shown

    def _failures(self) -> list[str]:
        names = {
            EpisodeEnding.AGENT_ERROR: "agent errors",
            EpisodeEnding.ENVIRONMENT_FAILURE: "environment failures",
            EpisodeEnding.BUDGET: "out of budget",
        }
        return [f"{name} {count}" for ending, name in names.items() if (count := self.count(ending))]

    def _used(self) -> list[str]:
        usages = [record.usage for record in self.records.values()]
        tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
        costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
        return [*([f"{tokens:,} tokens"] if tokens else []), *([f"${sum(costs):.2f}"] if costs else [])]


def duration(seconds: float) -> str:
    """Return a duration in a readable form, such as `45 s`, `12 min` or `3 h 20 min`."""
    if round(seconds) < _MINUTE_S:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / _MINUTE_S), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
