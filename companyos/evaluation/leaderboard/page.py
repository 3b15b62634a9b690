"""The page of a leaderboard: one table for each group of entries that were played with equal settings."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..pages import STYLE, templates
from ..pages.formats import compact, counted, numbers, percent, plain, signed, usd, words
from ..report.tables import Cell, Section, Table, TableRow
from ..runs.intervals import Estimate
from .board import BoardEntry

_TEMPLATES: Final = templates(__package__)
#: Digits of a held-out salt's hash that a page shows.
_SALT_DIGITS: Final = 12
#: Settings in the heading of a table, which need not be repeated below it.
_IN_FACTS: Final = ("scenarios", "seeds", "chaos", "repeats", "budgets", "door")


def leaderboard_page(entries: Sequence[BoardEntry]) -> str:
    """Return the leaderboard as one HTML document, which loads nothing."""
    return _TEMPLATES.get_template("leaderboard.html").render(
        title="Leaderboard",
        groups=[
            (section, facts_of(group[0]), dict(_details(group[0]))) for section, group in sections(entries)
        ],
        style=STYLE,
    )


def write_page(entries: Sequence[BoardEntry], path: Path) -> None:
    """Write the page to a file, replacing it only when the page is complete."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(leaderboard_page(entries), encoding="utf-8")
    part.replace(path)


def sections(entries: Sequence[BoardEntry]) -> Iterator[tuple[Section, list[BoardEntry]]]:
    """Yield a section for each group of entries with equal settings, the best entry first."""
    groups: list[list[BoardEntry]] = []
    for entry in entries:
        alike = (group for group in groups if _settings(group[0]) == _settings(entry))
        if (group := next(alike, None)) is not None:
            group.append(entry)
        else:
            groups.append([entry])
    for number, group in enumerate(groups, start=1):
        group.sort(key=lambda entry: (-_value(entry.summary.overall.success), entry.run.name))
        title = "Entries" if len(groups) == 1 else f"Settings {number} of {len(groups)}"
        lead = f"{len(group)} {'entry' if len(group) == 1 else 'entries'}, ordered by success."
        yield Section(f"settings-{number}", title, lead, _table(group)), group


def facts_of(entry: BoardEntry) -> list[str]:
    """Return what an entry and all of its group played, in a few words each."""
    request = entry.run.request
    limits = {name: limit for name, limit in entry.about["settings"]["budgets"].items() if limit is not None}
    families = sorted(f"{name} {version}" for name, version in request.scenarios.items())
    return [
        f"families and their versions: {', '.join(families)}",
        f"chaos {words(plain(each) for each in request.chaos)}",
        f"seeds {numbers(request.seeds)}",
        counted(request.repeats, "attempt"),
        f"budget {', '.join(f'{limit:g} {name}'.replace('_', ' ') for name, limit in limits.items()) or 'none'}",
        f"door {request.door}",
        f"salt {entry.about['verified']['salt'][:_SALT_DIGITS]}",
    ]


def _settings(entry: BoardEntry) -> tuple[Any, str]:
    return entry.about["settings"], entry.about["verified"]["salt"]


def _details(entry: BoardEntry) -> Iterator[tuple[str, str]]:
    for name, value in entry.about["settings"].items():
        if name not in _IN_FACTS and value is not None:
            yield name.replace("_", " "), plain(value)


def _table(group: Sequence[BoardEntry]) -> Table:
    levels = list(group[0].summary.levels)
    attempts = max(group[0].summary.overall.pass_hat_k, default=1)
    columns = ["agent", "success", *(f"chaos {level}" for level in levels if len(levels) > 1), "pairs"]
    columns += [f"pass^{attempts}"] if attempts > 1 else []
    columns += ["SPL", "return", "episodes", "tokens", "cost", "replayed"]
    return Table("Entries by success", columns, [_row(entry, levels, attempts) for entry in group])


def _row(entry: BoardEntry, levels: Sequence[int | str], attempts: int) -> TableRow:
    overall, agent = entry.summary.overall, entry.run.request.agent
    by_level = [Cell.of_success(entry.summary.levels[level]) for level in levels if len(levels) > 1]
    passes = [Cell.of_share(overall.pass_hat_k[attempts])] if attempts > 1 else []
    return [
        Cell(entry.run.name, note="" if entry.run.name == agent.kind else f"{agent.name} ({agent.kind})"),
        Cell.of_share(overall.success),
        *by_level,
        Cell.of_share(overall.pair_accuracy),
        *passes,
        Cell.of_share(overall.spl),
        _mean(overall.episode_return),
        f"{overall.episodes:,}",
        compact(overall.tokens.per_episode) if overall.tokens.per_episode else "–",
        usd(overall.tokens.cost_usd),
        percent(len(entry.about["verified"]["replayed"]) / overall.episodes),
    ]


def _mean(estimate: Estimate | None) -> Cell:
    if estimate is None or estimate.low is None or estimate.high is None:
        return Cell("–" if estimate is None else signed(estimate.value))
    return Cell(signed(estimate.value), f"{signed(estimate.low)} to {signed(estimate.high)}")


def _value(estimate: Estimate | None) -> float:
    return 0.0 if estimate is None else estimate.value
