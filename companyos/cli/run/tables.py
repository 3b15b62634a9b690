"""The closing tables of a run: success by scenario and chaos, and overall metrics."""

from collections.abc import Iterator, Sequence

from companyos.evaluation.runs.intervals import Estimate
from companyos.evaluation.runs.metrics import RunMetrics, RunSummary

from ..output import echo, print_columns

HEADINGS = (
    *("scenario", "chaos", "episodes", "success", "95 %", "pairs", "return", "steps"),
    *("steps over oracle", "SPL"),
)
#: The columns that are left out when no row has anything there.
OPTIONAL = ("pairs", "steps over oracle", "SPL")
NOTHING = "-"


def show_summary(summary: RunSummary) -> None:
    """Print a line per scenario and chaos, an overall line, and remarks below."""
    cells = [(scenario, str(chaos), metrics) for (scenario, chaos), metrics in summary.cells.items()]
    total = [("all", "all", summary.overall)] if len(cells) > 1 else []
    is_measured = summary.overall.is_measured
    rows = [
        _row(scenario, chaos, metrics if is_measured else metrics.without_score())
        for scenario, chaos, metrics in (*cells, *total)
    ]
    columns = [column for column in zip(HEADINGS, *rows, strict=True) if not _is_empty(*column)]
    print_columns(zip(*columns, strict=True))
    echo("")
    for line in remarks(summary.overall):
        echo(f"  {line}")


def remarks(metrics: RunMetrics) -> Iterator[str]:
    """Yield the available metrics that have no column."""
    if len(metrics.pass_hat_k) > 1:
        yield ", ".join(f"pass^{k} {one.value:.1%}" for k, one in metrics.pass_hat_k.items())
    if metrics.pattern_gap and metrics.pattern_gap.value:
        yield (
            f"pattern gap {metrics.pattern_gap.value:.1%}: success minus pair accuracy, "
            "what was solved without telling the two tasks of a pair apart"
        )
    endings = {name.replace("_", " "): count for name, count in metrics.endings.items()}
    yield "ended: " + ", ".join(f"{name} {count}" for name, count in endings.items())
    for reason, count in metrics.agent_errors.items():
        yield f"agent error: {count} x {reason}"
    landed = {fault: one for fault, one in metrics.faults.items() if one.landed}
    if landed:
        rates = (
            f"{fault} {one.overcome.value:.0%} of {one.landed}"
            for fault, one in landed.items()
            if one.overcome
        )
        yield "faults overcome: " + ", ".join(rates)
    if metrics.violations:
        rates = (f"{code} {rate:.1f}" for code, rate in metrics.violations.items())
        yield "violations per 100 episodes: " + ", ".join(rates)
    if metrics.collateral and metrics.collateral.value:
        yield f"episodes with changes outside the task: {metrics.collateral.value:.1%}"
    if used := metrics.tokens.prompt + metrics.tokens.completion:
        cost = metrics.tokens.cost_usd
        yield f"tokens: {used:,}" + ("" if cost is None else f", ${cost:.2f}")


def share_text(estimate: Estimate | None) -> str:
    """Return a share in percent; a dash if there is none."""
    return NOTHING if estimate is None else f"{estimate.value:.1%}"


def interval_text(estimate: Estimate | None) -> str:
    """Return the 95 % interval of a share in percent; a dash if there is none."""
    return NOTHING if estimate is None else f"{estimate.low:.1%}-{estimate.high:.1%}"


def _is_empty(heading: str, *cells: str) -> bool:
    return heading in OPTIONAL and all(cell == NOTHING for cell in cells)


def _row(scenario: str, chaos: str, metrics: RunMetrics) -> Sequence[str]:
    return (
        scenario,
        chaos,
        str(metrics.episodes),
        share_text(metrics.success),
        interval_text(metrics.success),
        share_text(metrics.pair_accuracy),
        _figure(metrics.episode_return, "+.2f"),
        _figure(metrics.steps, ".1f"),
        _figure(metrics.steps_over_oracle, ".2f"),
        share_text(metrics.spl),
    )


def _figure(estimate: Estimate | None, form: str) -> str:
    return NOTHING if estimate is None else format(estimate.value, form)
