"""Assembles a report: one self-contained HTML file without scripts."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from shlex import join
from typing import Any

from ..pages import STYLE, templates
from ..pages.formats import counted, numbers, plain, words
from ..runs import Run
from . import conduct, outcomes
from .charts import RUN_COLORS, SHAPES
from .comparison import Comparison
from .doors import by_door
from .drawing import INSTALL, can_draw, drawn
from .tables import Mark, Section

_TEMPLATES = templates(__package__)
_SECTIONS = (
    outcomes.endings,
    outcomes.by_scenario,
    outcomes.by_chaos,
    outcomes.by_pair,
    by_door,
    conduct.failures,
    conduct.faults,
    conduct.violations,
    conduct.effort,
    conduct.failed_episodes,
)
#: Parts of `run.json` that a report shows, with their headings.
_LABELS = {
    "door": "door",
    "split": "split",
    "repeats": "repeats",
    "rewards": "reward profile",
    "tools": "tools",
    "guidance": "guidance",
    "tools_format": "format of tools",
    "observation_format": "format of observations",
    "size": "size of the company",
    "start": "start in the oracle's solution",
    "concurrency": "episodes at once",
    "companyos_version": "CompanyOS",
    "started_at": "started",
}


def report_page(runs: Sequence[Run], addresses: Sequence[str] = ()) -> str:
    """Return the report on runs, as one HTML document.

    Args:
        runs: At least one run, in display order.
        addresses: Where a viewer shows the episodes of each run, if the page is one of its pages.
    """
    comparison = Comparison(runs, addresses)
    return _TEMPLATES.get_template("report.html").render(
        comparison=comparison,
        title=words(column.label for column in comparison.columns),
        facts=_facts(comparison),
        summary=outcomes.summary(comparison),
        sections=[(section, _drawings(section)) for make in _SECTIONS if (section := make(comparison))],
        about=[(column, dict(_about(column.run))) for column in comparison.columns],
        marks=_marks(comparison),
        style=STYLE,
        install=None if can_draw() else INSTALL,
    )


def write_report(runs: Sequence[Run], path: Path) -> None:
    """Write the report on runs to a file, replacing it only when the report is complete."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(report_page(runs), encoding="utf-8")
    part.replace(path)


def _drawings(section: Section) -> list[tuple[Any, Any]]:
    if not can_draw():
        return []
    return [
        (chart, drawn(chart, f"{section.anchor}-{number}"))
        for number, chart in enumerate(section.charts, start=1)
    ]


def _facts(comparison: Comparison) -> list[str]:
    days = sorted({str(column.run.about.get("started_at", ""))[:10] for column in comparison.columns})
    return [
        counted(comparison.episodes, "episode"),
        words(comparison.scenarios)
        if len(comparison.scenarios) < 3
        else f"{len(comparison.scenarios)} scenarios",
        f"chaos {words(comparison.chaos)}",
        f"seeds {numbers(comparison.seeds)}",
        words(days),
    ]


def _about(run: Run) -> Iterator[tuple[str, str]]:
    about = run.about
    agent = about["agent"]
    yield "agent", agent["name"] if agent["name"] == agent["kind"] else f"{agent['name']} ({agent['kind']})"
    yield from ((str(name), plain(value)) for name, value in agent["settings"].items())
    yield "scenarios", ", ".join(f"{name} {version}" for name, version in about["scenarios"].items())
    yield "seeds", numbers(about["seeds"])
    yield "chaos", ", ".join(plain(chaos) for chaos in about["chaos"])
    yield from ((label, plain(about[name])) for name, label in _LABELS.items() if about.get(name) is not None)
    limits = {name: limit for name, limit in about["budgets"].items() if limit is not None}
    if limits:
        yield "budgets", ", ".join(f"{limit:g} {name.replace('_', ' ')}" for name, limit in limits.items())
    yield "command", join(str(argument) for argument in about.get("argv", ()))


def _marks(comparison: Comparison) -> list[Mark]:
    """Return the color and the shape of each run."""
    looks = zip(comparison.columns, cycle(RUN_COLORS), cycle(SHAPES), strict=False)
    return [Mark(column.label, color, shape) for column, color, shape in looks]
