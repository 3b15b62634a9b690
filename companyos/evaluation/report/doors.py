"""The section of a report on the door gap: what it costs an agent to act in pages instead of calling tools."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import fmean

from ..pages.formats import words
from ..runs import EpisodeRecord, Run
from ..runs.intervals import Estimate, mean, share
from ..runs.request import Door
from .comparison import Comparison
from .tables import Cell, Section, Table, TableRow

Instance = tuple[str, int | str, int]


def by_door(comparison: Comparison) -> Section | None:
    """Return the section on success by door; None unless an agent played the same instances through both."""
    pairs = list(_pairs([column.run for column in comparison.columns]))
    if not pairs:
        return None
    rows: list[TableRow] = []
    gaps: list[str] = []
    for tools, pages in pairs:
        by_tools, in_pages = _success_by_instance(tools), _success_by_instance(pages)
        shared = sorted(by_tools.keys() & in_pages.keys(), key=str)
        gap = mean([by_tools[instance] - in_pages[instance] for instance in shared])
        rates = (share([found[instance] for instance in shared]) for found in (by_tools, in_pages))
        agent, seen_as = tools.request.agent.name, str(pages.request.door)
        rows.append([agent, seen_as, str(len(shared)), *map(Cell.of_share, rates), _points(gap)])
        gaps.append(f"{rows[-1][-1]} points for {agent} by {seen_as}")
    table = Table(
        "Share of the same instances solved, by door",
        ["agent", "sees pages as", "instances", "by tools", "in pages", "door gap in points"],
        rows,
    )
    lead = f"The door gap, success by tools minus success in pages, is {words(gaps)}."
    note = "The same seeds and the same grades; an episode in pages has half as many steps again."
    return Section("doors", "Tools or pages", lead, table, note=note)


def _pairs(runs: list[Run]) -> Iterator[tuple[Run, Run]]:
    """Yield the runs of one agent by tools and in pages that share an instance."""
    for tools in runs:
        for pages in runs:
            is_pair = tools.request.door is Door.TOOLS is not pages.request.door
            is_same = is_pair and tools.request.agent == pages.request.agent
            if is_same and _success_by_instance(tools).keys() & _success_by_instance(pages).keys():
                yield tools, pages


def _success_by_instance(run: Run) -> Mapping[Instance, float]:
    found: defaultdict[Instance, list[EpisodeRecord]] = defaultdict(list)
    for record in run.episodes:
        if record.is_scored:
            found[record.instance].append(record)
    return {instance: fmean(record.success for record in records) for instance, records in found.items()}


def _points(gap: Estimate | None) -> str:
    return "–" if gap is None else f"{100 * gap.value:.0f}"
