"""The progress of a run, in one line."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from .intervals import share
from .reasons import counted_reasons, reason_of
from .records import EpisodeEnding, EpisodeRecord

_MINUTE_S: Final = 60


@dataclass
class RunProgress:
    """The recorded episodes, and what this session of the run has added to them.

    Attributes:
        planned: All episodes of the run.
        records: The recorded episodes, by key.
        left: How many episodes this session has still to play.
        played: How many episodes this session played.
        steps: Steps of this session's episodes.
        is_of_one_agent: Whether one agent plays, so that success and return say something.
    """

    planned: int
    records: dict[str, EpisodeRecord] = field(default_factory=dict)
    left: int = 0
    played: int = 0
    steps: int = 0
    is_of_one_agent: bool = True
    _unread: list[EpisodeRecord] = field(default_factory=list)
    _read: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls, planned: int, records: Iterable[EpisodeRecord], left: int, *, is_of_one_agent: bool = True
    ) -> "RunProgress":
        """Begin with the episodes of earlier sessions.

        Args:
            planned: All episodes of the run.
            records: The recorded episodes.
            left: How many episodes are left to play, which includes recorded ones that are played again.
            is_of_one_agent: Whether one agent plays.
        """
        known = {record.key: record for record in records}
        return cls(planned, known, left, is_of_one_agent=is_of_one_agent)

    def add(self, record: EpisodeRecord) -> None:
        """Count a finished episode."""
        self.records[record.key] = record
        self.played += 1
        self.left -= 1
        self.steps += record.steps
        self._unread.append(record)

    @property
    def done(self) -> int:
        """How many episodes are not left to play."""
        return self.planned - self.left

    def count(self, ended: EpisodeEnding) -> int:
        """Return how many recorded episodes ended in a given way."""
        return sum(record.ended is ended for record in self.records.values())

    def time_left_s(self, seconds: float) -> float | None:
        """Estimate the seconds until the end at this session's pace; None before its first episode.

        Args:
            seconds: How long the session has taken.
        """
        return self.left * seconds / self.played if self.played else None

    def parts(self, seconds: float) -> list[str]:
        """Return the parts to show; `seconds` is how long the session has taken."""
        scored = [record for record in self.records.values() if record.is_scored]
        shown = [f"{self.done}/{self.planned} done"]
        is_measured = any(record.ended is not EpisodeEnding.AGENT_ERROR for record in scored)
        rate = share([float(record.success) for record in scored])
        if self.is_of_one_agent and is_measured and rate:
            shown.append(f"success {rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})")
            shown.append(f"return {fmean(record.episode_return for record in scored):+.2f}")
        if self.steps and seconds:
            shown.append(f"{self.steps / seconds:.1f} steps/s")
        shown += self._failures()
        shown += self._used()
        if left_s := self.time_left_s(seconds):
            shown.append(f"{duration(left_s)} left")
        return shown

    def new_reasons(self) -> list[str]:
        """Return the reasons for agent errors of this session, each once."""
        new = [error for error in counted_reasons(self._unread) if reason_of(error) not in self._read]
        self._read.update(map(reason_of, new))
        self._unread.clear()
        return new

    def new_hints(self) -> list[str]:
        """Return the hints of the episodes, each once."""
        hints = dict.fromkeys(hint for record in self.records.values() for hint in record.hints)
        new = [hint for hint in hints if hint not in self._read]
        self._read.update(new)
        return new

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
