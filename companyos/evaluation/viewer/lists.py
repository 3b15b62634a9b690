"""Lists of runs and episodes, filtered by the URL's query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import quote

from ..fewest_steps import fewest_steps_of
from ..report.comparison import failure_of
from ..report.tables import Cell
from ..runs import EpisodeRecord, Run
from ..runs.metrics import metrics_of
from .episodes import EpisodeOutcome, live_outcome, outcome_of

#: Episodes of one page.
PAGE: Final = 200
#: The values of the filter on the outcome.
OUTCOMES: Final = ("solved", "failed", "environment failure")


@dataclass(frozen=True)
class RunRow:
    """A run in the list of runs."""

    link: str
    name: str
    run: Run
    success: Cell
    spl: Cell


@dataclass(frozen=True)
class EpisodeRow:
    """An episode in a list; `reason` is why it failed."""

    link: str
    name: str
    scenario: str
    chaos: str
    seed: int
    outcome: EpisodeOutcome
    reason: str
    steps: str
    episode_return: float


@dataclass(frozen=True)
class EpisodeFilter:
    """Which episodes of a run are listed; an empty value admits all."""

    scenario: str = ""
    chaos: str = ""
    outcome: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Parse the filter from a query; invalid values are ignored."""
        page = query.get("page", "1")
        return cls(
            scenario=query.get("scenario", ""),
            chaos=query.get("chaos", ""),
            outcome=query.get("outcome", ""),
            page=max(int(page), 1) if page.isdecimal() and len(page) < 9 else 1,
        )

    def admits(self, record: EpisodeRecord) -> bool:
        """Return whether an episode passes the filter."""
        outcome = "solved" if record.success else "failed" if record.is_scored else "environment failure"
        asked = ((self.scenario, record.scenario), (self.chaos, str(record.chaos)), (self.outcome, outcome))
        return all(wanted in ("", found) for wanted, found in asked)


@dataclass(frozen=True)
class EpisodeList:
    """One page of a run's episodes.

    Attributes:
        total: How many episodes the filter admits.
        pages: How many pages they fill.
        scenarios: The scenarios that can be filtered by.
        chaos: The chaos settings that can be filtered by.
    """

    rows: Sequence[EpisodeRow]
    total: int
    pages: int
    scenarios: Sequence[str]
    chaos: Sequence[str]
    outcomes: Sequence[str] = OUTCOMES


def run_address(name: str) -> str:
    """Return where the episodes of a run are listed."""
    return f"/runs/{quote(name, safe='')}"


def run_rows(runs: Mapping[str, Run]) -> list[RunRow]:
    """Return the list of runs, the latest first."""
    measured = {name: metrics_of(run.episodes, fewest_steps_of(run)) for name, run in runs.items()}
    rows = [
        RunRow(run_address(name), name, runs[name], Cell.of_share(found.success), Cell.of_share(found.spl))
        for name, found in measured.items()
    ]
    return sorted(rows, key=lambda row: str(row.run.about.get("started_at", "")), reverse=True)


def episode_rows(name: str, run: Run, wanted: EpisodeFilter) -> EpisodeList:
    """Return the episodes of a run that a filter admits, by scenario, chaos and seed."""
    admitted = sorted(
        (record for record in run.episodes if wanted.admits(record)),
        key=lambda each: (each.scenario, str(each.chaos), each.seed, each.repeat),
    )
    first = (wanted.page - 1) * PAGE
    link = run_address(name)
    return EpisodeList(
        rows=[_row(link, record) for record in admitted[first : first + PAGE]],
        total=len(admitted),
        pages=max(-(-len(admitted) // PAGE), 1),
        scenarios=sorted({each.scenario for each in run.episodes}),
        chaos=sorted({str(each.chaos) for each in run.episodes}),
    )


def live_rows(summaries: Iterable[Mapping[str, Any]]) -> list[EpisodeRow]:
    """Return a stack's episodes, those in progress first, with links to their latest step."""
    rows = [
        EpisodeRow(
            link=f"/live/episode?id={quote(each['episode_id'], safe='')}{'' if each['done'] else '&step=last'}",
            name=each["episode_id"],
            scenario=each["scenario"],
            chaos=str(each["chaos_name"] if each["chaos"] is None else each["chaos"]),
            seed=each["seed"],
            outcome=live_outcome(each),
            reason="",
            steps=f"{each['step_count']} of {each['max_steps']}",
            episode_return=each["episode_return"],
        )
        for each in summaries
    ]
    return sorted(rows, key=lambda row: row.outcome.tone != "open")


def _row(run_link: str, record: EpisodeRecord) -> EpisodeRow:
    return EpisodeRow(
        link=f"{run_link}/{quote(record.key, safe='')}",
        name=record.key,
        scenario=record.scenario,
        chaos=str(record.chaos),
        seed=record.seed,
        outcome=outcome_of(record),
        reason="" if record.success or not record.is_scored else failure_of(record).name,
        steps=f"{record.steps} of {record.max_steps}",
        episode_return=record.episode_return,
    )
