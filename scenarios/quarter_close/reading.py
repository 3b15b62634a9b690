"""Parsers for the texts of a close: the manual, memos and answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_AMOUNT: Final = re.compile(r"([\d,]+\.\d\d) EUR")
_EXPLAINED: Final = re.compile(r"\((MET-\d+)\): ([\d,]+\.\d\d) EUR")


@dataclass(frozen=True)
class Manual:
    """The manual as read.

    Attributes:
        tolerances: In percent of the reference, by the entity's class and the line's category.
        runs: The number of consecutive failed runs after which a source counts as unavailable.
        high: The percentage of the reference above which a ticket has high priority.
    """

    tolerances: Mapping[tuple[str, str], float]
    runs: int
    high: float
    source: str
    prior: str
    approval: str


def read_manual(text: str) -> Manual:
    """Parse the manual.

    Raises:
        LookupError: It is not the manual.
    """
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) percent \| ([\d.]+) percent \|$", text, re.MULTILINE)
    tolerances = {
        (size, category): float(percent)
        for size, *percents in rows
        for category, percent in zip(("balance", "result"), percents, strict=True)
    }
    prose = " ".join(text.split())
    return Manual(
        tolerances=tolerances,
        runs=int(found(r"After (\d+) failed runs", prose)),
        high=float(found(r"`high` if what remains is more than ([\d.]+) percent", prose)),
        source=found(r"with the reason `(\w+)` and the id of the metric", prose),
        prior=found(r"reason `(\w+)`, with the id of the earlier period", prose),
        approval=found(r"Submit a `(\w+)`", prose),
    )


def read_memo(text: str) -> dict[str, float]:
    """Return what a memo explains, by metric."""
    return {metric_id: _number(amount) for metric_id, amount in _EXPLAINED.findall(text)}


def read_answer(text: str) -> float:
    """Return what an answer explains; 0.0 if it explains nothing."""
    match = _AMOUNT.search(text)
    return _number(match[1]) if match else 0.0


def found(pattern: str, text: str) -> str:
    """Return what a pattern's group matches in a text.

    Raises:
        LookupError: It matches nothing.
    """
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"nothing like {pattern} is said")
    return match[1]


def _number(text: str) -> float:
    return float(text.replace(",", ""))
