"""The first half of a report: success overall, by scenario, by chaos level and on whole pairs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..cards import SuccessRate
from ..pages.formats import counted, percent, signed, usd, words
from ..runs import EpisodeEnding
from ..runs.intervals import Estimate
from ..runs.metrics import RunMetrics
from . import charts
from .comparison import Comparison, RunColumn
from .references import REFERENCES, reference_rates
from .tables import Cell, Chart, Mark, Section, Table, TableRow

ALL: Final = "all scenarios"
#: How an episode can end, in the order of the bar, with color and name on the page.
ENDINGS: Final = {
    "solved": ("var(--end-solved)", "solved"),
    EpisodeEnding.FINISHED: ("var(--end-wrong)", "finished, not solved"),
    EpisodeEnding.REFUSED: ("var(--end-refused)", "refused, not solved"),
    EpisodeEnding.TIMEOUT: ("var(--end-timeout)", "out of steps"),
    EpisodeEnding.BUDGET: ("var(--end-budget)", "over budget"),
    EpisodeEnding.GAVE_UP: ("var(--end-gave-up)", "gave up"),
    EpisodeEnding.AGENT_ERROR: ("var(--end-error)", "agent error"),
    EpisodeEnding.ENVIRONMENT_FAILURE: ("var(--end-failure)", "environment failure"),
}
_PASS_HATS: Final = (2, 4, 8)
_REFERENCES_NAMED: Final = f"{words(REFERENCES)}, as the cards have them"


def summary(comparison: Comparison) -> Section:
    """Return the section with every run's main metrics."""
    hats = [k for k in _PASS_HATS if any(k in column.overall.pass_hat_k for column in comparison.columns)]
    headings = ["run", "episodes", "success", *(f"pass^{k}" for k in hats), "pairs", "pattern gap", "return"]
    table = Table(
        "Main numbers of each run",
        [*headings, "steps over oracle", "SPL", "cost"],
        [_summary_row(column, hats) for column in comparison.columns],
    )
    return Section("summary", "Summary", _headline(comparison), table)


def endings(comparison: Comparison) -> Section:
    """Return the section on how the episodes of each run ended."""
    found = {column.label: _endings(column) for column in comparison.columns}
    present = [name for name in ENDINGS if any(counts[name] for counts in found.values())]
    rows = [
        {"group": label, "part": ENDINGS[name][1], "rate": counts[name] / max(sum(counts.values()), 1)}
        for label, counts in found.items()
        for name in present
    ]
    parts = {label: color for color, label in (ENDINGS[name] for name in present)}
    chart = Chart(
        "How episodes ended",
        "One bar for each run, divided by how its episodes ended.",
        charts.stacks(rows, groups=list(found), parts=parts),
    )
    table = Table(
        "Episodes by how they ended",
        ["ended", *found],
        [[_ended(name, comparison), *(f"{counts[name]:,}" for counts in found.values())] for name in present],
    )
    failed = sum(counts[EpisodeEnding.ENVIRONMENT_FAILURE] for counts in found.values())
    lead = "No episode was lost to a failure of the environment."
    if failed:
        lead = f"In {counted(failed, 'episode')} the environment failed, not the agent; no other number counts them."
    key = [Mark(label, color) for label, color in parts.items()]
    return Section("endings", "How episodes ended", lead, table, [chart], key=key)


def by_scenario(comparison: Comparison) -> Section:
    """Return the section on success by scenario."""
    groups = [*comparison.scenarios, *([ALL] if len(comparison.scenarios) > 1 else [])]
    parts = {
        (group, column.number): column.part(_scenario(group))
        for group in groups
        for column in comparison.columns
    }
    ticks = [
        {"group": group, "rate": rate.success}
        for group in groups
        for rate in _references(comparison, group, comparison.chaos).values()
    ]
    chart = Chart(
        "Success by scenario",
        "Each point is the share of episodes solved; its line is the 95 % interval.",
        charts.intervals(_interval_rows(parts), groups=groups, references=ticks),
    )
    table = Table(
        "Share of episodes solved, by scenario",
        ["scenario", *(column.label for column in comparison.columns)],
        [
            [group, *(Cell.of_success(parts[group, column.number]) for column in comparison.columns)]
            for group in groups
        ],
    )
    note = f"Gray: {_REFERENCES_NAMED}, at the chaos levels played." if ticks else ""
    return Section("scenarios", "Success by scenario", _spread(comparison), table, [chart], note)


def by_chaos(comparison: Comparison) -> Section:
    """Return the section on success by chaos level, for each scenario and for all."""
    levels = comparison.chaos
    groups = [*([ALL] if len(comparison.scenarios) > 1 else []), *comparison.scenarios]
    drawn = [_curve(comparison, group) for group in groups] if len(levels) > 1 else []
    rows = [row for group in groups for row in _rows_by_level(comparison, group)]
    table = Table("Share of episodes solved, by chaos level", ["scenario", "run", *map(str, levels)], rows, 2)
    note = "A chaos level decides how much goes wrong: 0 is a calm day, 5 a storm."
    if drawn and len(rows) > len(groups) * len(comparison.columns):
        note += f" Gray, from solid to dotted: {_REFERENCES_NAMED}."
    return Section("robustness", "Robustness", _decline(comparison), table, drawn, note)


def by_pair(comparison: Comparison) -> Section:
    """Return the section that compares success with accuracy on whole counterfactual pairs."""
    groups = [*comparison.scenarios, *([ALL] if len(comparison.scenarios) > 1 else [])]
    cells = [
        (group, column, column.part(_scenario(group))) for group in groups for column in comparison.columns
    ]
    rows = [
        {"group": group, "run": column.number, "success": both.value + gap.value, "pairs": both.value}
        for group, column, found in cells
        if (both := found.pair_accuracy) and (gap := found.pattern_gap)
    ]
    chart = Chart(
        "Pair accuracy against success",
        "The open point is the success rate, the full one the share of pairs solved; the line is the pattern gap.",
        charts.gaps(rows, groups=groups),
    )
    table = Table(
        "Pattern gap by scenario: success minus pair accuracy",
        ["gap in points", *(column.label for column in comparison.columns)],
        [[group, *(_gap_cell(found) for where, _, found in cells if where == group)] for group in groups],
    )
    lead = (
        "Both instances of a pair begin alike and need different acts, so a fixed plan solves at most one of the two. "
        + _gaps(comparison)
    )
    note = "Open point: success. Full point: both instances of the pair solved. Beside each gap: from success to pairs."
    return Section("pairs", "Reasoning or pattern", lead, table, [chart] if rows else [], note)


def _summary_row(column: RunColumn, hats: Sequence[int]) -> list[Cell | str]:
    found = column.overall
    return [
        column.label,
        f"{found.episodes:,}",
        Cell.of_share(found.success),
        *(percent(one.value if (one := found.pass_hat_k.get(k)) else None) for k in hats),
        Cell.of_share(found.pair_accuracy),
        _points(found.pattern_gap),
        signed(found.episode_return.value) if found.episode_return else "–",
        f"{found.steps_over_oracle.value:.2f}×" if found.steps_over_oracle else "–",
        Cell.of_share(found.spl),
        usd(found.tokens.cost_usd),
    ]


def _headline(comparison: Comparison) -> str:
    return f"{words(map(_result, comparison.columns))}."


def _result(column: RunColumn) -> str:
    solved, scored = sum(record.success for record in column.scored), len(column.scored)
    if not column.is_measured:
        return f"{column.label} has no score ({counted(scored, 'episode')}, all agent errors)"
    share = percent(solved / scored) if scored else "–"
    return f"{column.label} solved {solved:,} of {counted(scored, 'episode')} ({share})"


def _endings(column: RunColumn) -> dict[str, int]:
    counts = dict.fromkeys(ENDINGS, 0)
    for record in column.run.episodes:
        counts["solved" if record.success else record.ended] += 1
    return counts


def _ended(name: str, comparison: Comparison) -> Cell:
    """Return the name of an ending, for agent errors with their reasons."""
    if name != EpisodeEnding.AGENT_ERROR:
        return Cell(ENDINGS[name][1])
    reasons = [
        f"{f'{column.label}: ' if len(comparison.columns) > 1 else ''}{count:,} × {reason}"
        for column in comparison.columns
        for reason, count in column.overall.agent_errors.items()
    ]
    return Cell(ENDINGS[name][1], note="; ".join(reasons))


def _interval_rows(parts: Mapping[tuple[str, int], RunMetrics]) -> list[dict[str, Any]]:
    return [
        {"group": group, "run": run, "rate": share.value, "low": share.low, "high": share.high}
        for (group, run), found in parts.items()
        if (share := found.success)
    ]


def _rows_by_level(comparison: Comparison, group: str) -> Iterator[TableRow]:
    """Yield the success of each run in a group by chaos level, then that of each reference."""
    for column in comparison.columns:
        found_by_level = [column.part(_scenario(group), level) for level in comparison.chaos]
        yield [group, column.label, *map(Cell.of_success, found_by_level)]
    found = [_references(comparison, group, [level]) for level in comparison.chaos]
    for name in REFERENCES:
        if any(name in rates for rates in found):
            yield [group, f"card: {name}", *(Cell.of_reference(rates.get(name)) for rates in found)]


def _references(comparison: Comparison, group: str, levels: Sequence[int | str]) -> Mapping[str, SuccessRate]:
    """Return the success of each reference in a group; nothing unless every scenario of it has one version."""
    names = comparison.scenarios if group == ALL else [group]
    if not set(names) <= set(comparison.versions):
        return {}
    return reference_rates({name: comparison.versions[name] for name in names}, levels)


def _curve(comparison: Comparison, group: str) -> Chart:
    rows = [
        {"level": str(level), "run": column.number, "rate": share.value, "low": share.low, "high": share.high}
        for column in comparison.columns
        for level in comparison.chaos
        if (share := column.part(_scenario(group), level).success)
    ]
    lines = [
        {"level": str(level), "name": name, "rate": rate.success}
        for level in comparison.chaos
        for name, rate in _references(comparison, group, [level]).items()
    ]
    caption = f"The share of episodes of {group} solved at each chaos level, with 95 % intervals."
    spec = charts.curves(rows, levels=comparison.chaos, references=lines)
    return Chart(group, caption, spec, heading=True)


def _scenario(group: str) -> str | None:
    return None if group == ALL else group


def _spread(comparison: Comparison) -> str:
    if len(comparison.scenarios) == 1:
        return f"One scenario was played: {comparison.scenarios[0]}."
    return " ".join(_extremes(comparison)) or "No run did better in one scenario than in another."


def _extremes(comparison: Comparison) -> Iterator[str]:
    for column in comparison.columns:
        found = {name: column.part(name).success for name in comparison.scenarios}
        rates = {name: share.value for name, share in found.items() if share}
        if rates and max(rates.values()) > min(rates.values()):
            best, worst = max(rates, key=rates.__getitem__), min(rates, key=rates.__getitem__)
            yield (
                f"{column.label} did best in {best} ({percent(rates[best])}) "
                f"and worst in {worst} ({percent(rates[worst])})."
            )


def _decline(comparison: Comparison) -> str:
    first, last = comparison.chaos[0], comparison.chaos[-1]
    if first == last:
        return f"Everything was played at chaos {first}; more levels would draw a curve."
    declines: list[str] = []
    for column in comparison.columns:
        start, end = column.part(chaos=first).success, column.part(chaos=last).success
        if start and end and start.value:
            kept = percent(end.value / start.value)
            declines.append(
                f"{column.label} {kept}" if declines else f"{column.label} keeps {kept} of its success"
            )
    return (
        f"From chaos {first} to {last}, {words(declines)}."
        if declines
        else f"No run solved anything at chaos {first}."
    )


def _points(gap: Estimate | None) -> str:
    return "–" if gap is None else f"{100 * gap.value:.0f} pts"


def _gap_cell(found: RunMetrics) -> Cell:
    both, gap = found.pair_accuracy, found.pattern_gap
    if both is None or gap is None:
        return Cell("–")
    return Cell(f"{100 * gap.value:.0f}", f"{100 * (both.value + gap.value):.0f} → {percent(both.value)}")


def _gaps(comparison: Comparison) -> str:
    gaps = [
        f"{_points(column.overall.pattern_gap)} for {column.label}"
        for column in comparison.columns
        if column.overall.pattern_gap
    ]
    if not any(column.is_measured for column in comparison.columns):
        return "No run has a score."
    if not gaps:
        return "No whole pair was played: pairs are the seeds 0 and 1, 2 and 3, and so on."
    return f"The pattern gap, success minus pair accuracy, is {words(gaps)}."
