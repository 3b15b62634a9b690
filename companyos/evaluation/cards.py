"""The section of an environment card that a certification writes: baselines, or why there is no certificate."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .acceptance import costless, omission_rates
from .agents import OMISSIONS
from .baselines import OMITTING, shown_rates

#: The lines that enclose a card's generated metrics.
CARD_BEGIN: Final = "<!-- baselines: written by `companyos certify` -->"
CARD_END: Final = "<!-- end of baselines -->"

_VERSION: Final = re.compile(r"^Version (\d+),", re.MULTILINE)
_BASELINE: Final = re.compile(
    r"^\| (\d+) \| (\w+) \| \d+ \| ([\d.]+)% \|(?: [^|]+ \| (?:([\d.]+)%|-) \|)?", re.MULTILINE
)
_OMISSIONS: Final = re.compile(r"^\| the oracle, but it \|(.*)\|$", re.MULTILINE)
_OMISSION: Final = re.compile(r"^\| `(\w+)`: [^|]*\|(.*)\|$", re.MULTILINE)
_OMISSION_CELL: Final = re.compile(r" (\d+)% of \d+(?:, SPL (\d+)%)?")


class SuccessRate(NamedTuple):
    """The success of an agent, and its SPL where the fewest steps are known; both in [0, 1]."""

    success: float
    spl: float | None

    @classmethod
    def of_percents(cls, success: str, spl: str | None) -> "SuccessRate":
        """Return the rates that a card shows in percent."""
        return cls(float(success) / 100, float(spl) / 100 if spl else None)


def success_on(card: str) -> tuple[int, dict[tuple[str, int | str], SuccessRate]]:
    """Return the version that a card's baselines are of, and success by agent and chaos level.

    The version is 0 where the card has no baselines.
    """
    written = card.partition(CARD_BEGIN)[2].partition(CARD_END)[0]
    version = _VERSION.search(written)
    rates: dict[tuple[str, int | str], SuccessRate] = {
        (name, int(level)): SuccessRate.of_percents(*shares)
        for level, name, *shares in _BASELINE.findall(written)
    }
    if heading := _OMISSIONS.search(written):
        levels = [int(level) for level in re.findall(r"chaos (\d+)", heading[1])]
        for name, cells in _OMISSION.findall(written):
            for level, cell in zip(levels, cells.split("|"), strict=True):
                if shares := _OMISSION_CELL.match(cell):
                    rates[name, level] = SuccessRate.of_percents(*shares.groups())
    return int(version[1]) if version else 0, rates


def faults_of(report: Mapping[str, Any], name: str) -> list[str]:
    """Return what a report found to be wrong with a scenario: its own faults and those of all together."""
    others = tuple(f"{one}, " for one in report["scenarios"] if one != name)
    return [fault.removeprefix(f"{name}, ") for fault in report["faults"] if not fault.startswith(others)]


def card_with(
    card: str, scenario: Mapping[str, Any], faults: Sequence[str] = (), untried: Sequence[str] = ()
) -> str:
    """Return an environment card with its baselines replaced by those in a report.

    Args:
        card: The card.
        scenario: The scenario's part of the report.
        faults: Why it is not certified, which the card says.
        untried: The gates that were not tested, which it says too.

    Raises:
        ValueError: The card has no section for them.
    """
    before, begin, rest = card.partition(CARD_BEGIN)
    _, end, after = rest.partition(CARD_END)
    if not (begin and end):
        raise ValueError(f"the card has no lines {CARD_BEGIN} and {CARD_END}")
    lines = [
        *_bullets("Not certified:", faults),
        *_bullets(
            "Not tried:" if faults else "All gates that were tried on these seeds hold. Not tried:", untried
        ),
        _markdown(scenario),
    ]
    return "\n".join([f"{before}{begin}", *lines, f"{end}{after}"])


def _bullets(about: str, reasons: Sequence[str]) -> Iterator[str]:
    if reasons:
        yield from (about, "", *(f"- {one}" for one in reasons), "")


def _markdown(scenario: Mapping[str, Any]) -> str:
    lines = [
        f"Version {scenario['version']}, `seed` rewards.",
        "",
        "| chaos | agent | episodes | success | 95 % | SPL | mean return | mean steps |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for level, cell in scenario["levels"].items():
        lines += [
            f"| {level} | {player} | {' | '.join(shown_rates(f))} |"
            for player, f in cell["agents"].items()
            if player not in OMITTING
        ]
    pairs = [cell["pairs"] for cell in scenario["levels"].values()]
    played, solved = sum(pair["played"] for pair in pairs), sum(pair["solved_by_one_plan"] for pair in pairs)
    open_loop = f"Open-loop plans played on both instances of their pair: {played}; solved both: {solved}."
    return "\n".join([*lines, "", open_loop, *_omissions(scenario["levels"])])


def _omissions(levels: Mapping[str, Any]) -> Iterator[str]:
    """Yield the success of each omission by level, and which of them cost nothing."""
    found = omission_rates(levels)
    if not found:
        return
    played = sorted({level for curve in found.values() for level in curve})
    yield from ("", f"| the oracle, but it | {' | '.join(f'chaos {level}' for level in played)} |")
    yield f"|---|{'---|' * len(played)}"
    for name, curve in found.items():
        cells = [_success(curve[level]) if level in curve else "" for level in played]
        yield f"| `{name}`: {OMISSIONS[name].does} | {' | '.join(cells)} |"
    if idle := costless(levels):
        yield from ("", f"Costs nothing here: {', '.join(f'`{name}`' for name in idle)}.")


def _success(metrics: Mapping[str, Any]) -> str:
    weighted = "" if metrics["spl"] is None else f", SPL {metrics['spl']:.0%}"
    return f"{metrics['success']:.0%} of {metrics['episodes']}{weighted}"
