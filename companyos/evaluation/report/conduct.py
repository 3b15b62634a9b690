"""The second half of a report: reasons for failures, faults and recoveries, violations, and effort."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Final
from urllib.parse import quote

from ..pages.formats import compact, counted, percent, span, usd, words
from ..runs import EpisodeRecord
from ..runs.metrics import FaultRecovery
from . import charts
from .comparison import Comparison, FailureReason, RunColumn, failure_of
from .tables import Cell, Chart, Section, Table, TableRow

#: The most rows shown: reasons for failure, faults in the chart, failed episodes.
MOST_REASONS: Final = 12
MOST_FAULTS: Final = 16
MOST_EPISODES: Final = 200
#: The kinds of failure that are a rule of the task.
_RULES: Final = ("forbidden", "order")
_KINDS: Final = {
    "must": "not achieved",
    "forbidden": "rule broken",
    "order": "out of order",
    "collateral": "changed something else",
    "unfinished": "not finished",
}


def failures(comparison: Comparison) -> Section:
    """Return the section on why episodes failed."""
    counts = {column.number: column.failures() for column in comparison.columns}
    total: Counter[FailureReason] = sum(counts.values(), Counter())
    ranked = [failure for failure, _ in total.most_common(MOST_REASONS)]
    rows = [
        {"group": each.name, "run": column.number, "rate": counts[column.number][each] / len(column.scored)}
        for each in ranked
        for column in comparison.columns
        if column.scored
    ]
    chart = Chart(
        "What episodes failed for",
        "The share of all scored episodes that failed for each reason.",
        charts.bars(rows, groups=[each.name for each in ranked]),
    )
    table = Table(
        "Failed episodes by what decided them",
        ["fact", "kind", *(column.label for column in comparison.columns)],
        [[Cell(each.name, note=each.reason), _KINDS[each.kind], *_counts(each, counts)] for each in ranked],
        2,
    )
    lead = _failed_for(total, ranked)
    note = "Each failed episode counts once: for a rule that it broke, or else for the first thing it did not do."
    return Section(
        "failures", "Where episodes failed", lead, table, [chart] if ranked else [], note if ranked else ""
    )


def faults(comparison: Comparison) -> Section:
    """Return the section on which faults happened and which were overcome."""
    found = {column.number: column.overall.faults for column in comparison.columns}
    names = _hardest_first(found.values())
    rows = [
        {"group": name, "run": run, "rate": share.value, "low": share.low, "high": share.high}
        for run, faults in found.items()
        for name in names[:MOST_FAULTS]
        if name in faults and (share := faults[name].overcome)
    ]
    chart = Chart(
        "Faults overcome",
        "Each point is the share of a fault's landings that the agent overcame; its line is the 95 % interval.",
        charts.intervals(rows, groups=names[:MOST_FAULTS]),
    )
    table = Table(
        "Faults that happened and were overcome",
        ["fault", *(column.label for column in comparison.columns)],
        [[name, *(_overcome(faults.get(name)) for faults in found.values())] for name in names],
    )
    lead = _recovered(comparison) if names else "Nothing went wrong in these episodes: no fault landed."
    note = "Least overcome first. A fault is overcome once what it held up is done."
    return Section("faults", "Faults overcome", lead, table, [chart] if names else [], note)


def violations(comparison: Comparison) -> Section:
    """Return the section on what the agents did against the rules."""
    found = [column.overall for column in comparison.columns]
    kinds = sorted({kind for each in found for kind in each.violations})
    rows: list[TableRow] = [
        ["episodes that changed something else", *(Cell.of_share(each.collateral) for each in found)],
        _amounts("duplicate side effects per 100 episodes", (each.duplicates_per_100 for each in found)),
        _amounts("calls refused per 100 steps", (each.refused_calls_per_100_steps for each in found)),
        _amounts(
            "outputs that were no call per 100 steps", (each.invalid_actions_per_100_steps for each in found)
        ),
    ]
    rows += [
        _amounts(f"{kind} per 100 episodes", (each.violations.get(kind, 0.0) for each in found))
        for kind in kinds
    ]
    table = Table(
        "What should not have happened", ["what", *(column.label for column in comparison.columns)], rows
    )
    broken = sum(sum(each.violations.values()) for column in comparison.columns for each in column.scored)
    rules = sum(each.kind in _RULES for column in comparison.columns for each in column.failures().elements())
    lead = (
        f"{counted(rules, 'episode')} failed for a rule of the task; "
        f"{counted(broken, 'call')} refused as against policy."
    )
    return Section("conduct", "Conduct", lead, table)


def effort(comparison: Comparison) -> Section:
    """Return the section on effort: steps relative to the oracle's, time, tokens and money."""
    rows = [
        {"group": scenario, "run": column.number, "value": ratio}
        for scenario in comparison.scenarios
        for column in comparison.columns
        for ratio in column.over_oracle(scenario)
    ]
    chart = Chart(
        "Steps over the oracle's",
        "Each mark is a solved episode: its steps over the oracle's on the same instance. The point is the mean.",
        charts.spreads(rows, groups=comparison.scenarios),
    )
    efforts = {name: [measure(column) for column in comparison.columns] for name, measure in _EFFORTS.items()}
    table = Table(
        "What episodes took",
        ["per episode", *(column.label for column in comparison.columns)],
        [[name, *cells] for name, cells in efforts.items() if set(cells) != {"–"}],
    )
    lead = _ratio(comparison)
    return Section("effort", "Effort and cost", lead, table, [chart] if rows else [])


def failed_episodes(comparison: Comparison) -> Section:
    """Return the list of failed episodes, to open in the viewer."""
    failed = [
        (column, record) for column in comparison.columns for record in column.scored if not record.success
    ]
    rows: list[TableRow] = [
        [
            Cell(record.key, link=f"{column.address}/{quote(record.key, safe='')}" if column.address else ""),
            column.label,
            str(record.ended).replace("_", " "),
            failure_of(record).name,
            *_measures(record),
        ]
        for column, record in failed[:MOST_EPISODES]
    ]
    table = Table(
        "Failed episodes, one by one",
        ["episode", "run", "ended", "failed for", "steps", "return"],
        rows,
        text_columns=4,
    )
    left = len(failed) - len(rows)
    lead = "No scored episode failed."
    if failed:
        lead = f"{counted(len(failed), 'episode')} failed. `companyos view` shows each of them step by step."
    note = f"and {left:,} more" if left > 0 else ""
    return Section("episodes", "Failed episodes", lead, table, note=note)


def _amounts(name: str, amounts: Iterable[float]) -> TableRow:
    return [name, *(f"{amount:.1f}" for amount in amounts)]


def _counts(failure: FailureReason, counts: dict[int, Counter[FailureReason]]) -> list[str]:
    return [f"{found[failure]:,}" if found[failure] else "–" for found in counts.values()]


def _failed_for(total: Counter[FailureReason], ranked: Sequence[FailureReason]) -> str:
    if not ranked:
        return "No scored episode failed."
    most = ranked[0]
    return (
        f"{counted(total.total(), 'scored episode')} failed. "
        f"What decided most of them is `{most.name}`: {_KINDS[most.kind]} in {total[most]:,}."
    )


def _recovered(comparison: Comparison) -> str:
    sentences = []
    for column in comparison.columns:
        recoveries = [each for each in column.overall.faults.values() if each.overcome]
        landed = sum(each.landed for each in recoveries)
        overcome = sum(_times_overcome(each) for each in recoveries)
        if landed:
            sentences.append(
                f"{column.label} overcame {overcome:,} of {landed:,} ({percent(overcome / landed)})"
            )
    return f"{words(sentences)}."


def _times_overcome(recovery: FaultRecovery) -> int:
    return round(recovery.overcome.value * recovery.landed) if recovery.overcome else 0


def _hardest_first(found: Iterable[Mapping[str, FaultRecovery]]) -> list[str]:
    landed, overcome = Counter[str](), Counter[str]()
    for faults in found:
        landed.update({name: each.landed for name, each in faults.items() if each.landed})
        overcome.update({name: _times_overcome(each) for name, each in faults.items()})
    return sorted(landed, key=lambda name: (overcome[name] / landed[name], name))


def _overcome(recovery: FaultRecovery | None) -> Cell:
    if recovery is None or recovery.overcome is None:
        return Cell("–")
    return Cell(percent(recovery.overcome.value), f"{_times_overcome(recovery)} of {recovery.landed}")


def _ratio(comparison: Comparison) -> str:
    ratios = [
        f"{ratio.value:.2f}× for {column.label}"
        for column in comparison.columns
        if (ratio := column.overall.steps_over_oracle)
    ]
    return (
        f"Steps of solved episodes over the oracle's, on average: {words(ratios)}."
        if ratios
        else "The oracle did not play these instances."
    )


def _measures(record: EpisodeRecord) -> tuple[str, str]:
    return f"{record.steps} of {record.max_steps}", f"{record.episode_return:+.2f}".replace("-", "−")


def _mean_steps(column: RunColumn) -> str:
    return f"{fmean(each.steps for each in column.scored):.1f}" if column.scored else "–"


def _mean_ratio(column: RunColumn) -> str:
    ratio = column.overall.steps_over_oracle
    return f"{ratio.value:.2f}×" if ratio else "–"


def _simulated(column: RunColumn) -> str:
    return span(median(each.sim_elapsed_s for each in column.scored)) if column.scored else "–"


def _tokens(column: RunColumn) -> str:
    used = column.overall.tokens
    return compact(used.per_episode) if used.per_episode else "–"


def _cost(column: RunColumn) -> str:
    total = column.overall.tokens.cost_usd
    return "–" if total is None else usd(total / column.overall.episodes)


def _cost_of_success(column: RunColumn) -> str:
    return usd(column.overall.tokens.per_success_usd)


_EFFORTS: Final = {
    "steps, mean": _mean_steps,
    "steps over oracle, mean": _mean_ratio,
    "simulated time, median": _simulated,
    "tokens, mean": _tokens,
    "cost, mean": _cost,
    "cost per solved episode": _cost_of_success,
}
