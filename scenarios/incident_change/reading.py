"""Parsers for the documents of a platform team."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.simtime import from_iso

from .calendar import WEEKDAYS, Freeze, Windows

Shown = Mapping[str, Any]

_TIERS: Final = ("core", "standard", "internal")
_INSTANT: Final = r"(\d{4}-\d\d-\d\d \d\d:\d\d) UTC"
_DATE: Final = r"(\d{4}-\d\d-\d\d)"
_BAND: Final = re.compile(r"^\| ([\d.]+) % or more \| (\d) \| (\d) \| (\d) \|$", re.MULTILINE)
_REST: Final = re.compile(r"^\| less \| (\d) \| (\d) \| (\d) \|$", re.MULTILINE)
_STEP: Final = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_WEEK: Final = re.compile(rf"^\| {_DATE} \| {_DATE} \| .+ \(([a-z.]+)\) \|$", re.MULTILINE)
_GIVEN: Final = re.compile(rf"From {_DATE} to {_DATE} the phone is with .+? \(([a-z.]+)\), not")
_TAKEN_BACK: Final = re.compile(
    rf"about {_DATE} to {_DATE} is off: the phone is with .+? \(([a-z.]+)\) after"
)


@dataclass(frozen=True)
class Rules:
    """The rules for incidents: the severity by tier and error rate, and the windows of normal changes."""

    bands: Sequence[tuple[float, Mapping[str, int]]]
    windows: Windows

    def severity(self, tier: str, rate: float) -> int:
        """Return the severity of an incident for a system's tier and error rate."""
        return next(by_tier[tier] for least, by_tier in self.bands if rate >= least)


def read_rules(body: str) -> Rules:
    """Read the rules for incidents."""
    bands = [(float(least), _by_tier(severities)) for least, *severities in _BAND.findall(body)]
    rest = _found(_REST, body)
    days = _found(rf"({'|'.join(WEEKDAYS)})s and ({'|'.join(WEEKDAYS)})s at (\d\d):00 UTC", body)
    first, second = (WEEKDAYS.index(day) for day in days[:2])
    return Rules([*bands, (0.0, _by_tier(rest))], Windows((first, second), int(days[2])))


def read_procedures(body: str) -> list[str]:
    """Return the procedures of a system's runbook, in order."""
    return _STEP.findall(body)


def read_freeze(body: str) -> Freeze:
    """Read the notice of a freeze."""
    starts, ends, areas = _found(rf"From {_INSTANT} until {_INSTANT} nothing .+ areas (.+)\.", body)
    exempt = re.search(r"systems of the area (\w+), if", body)
    return Freeze(from_iso(starts), from_iso(ends), frozenset(areas.split(", ")), exempt and exempt[1])


def read_roster(body: str, today: str) -> str:
    """Return the person that a roster names for a date."""
    weeks = _WEEK.findall(body)
    return next(str(person) for first, last, person in weeks if first <= today <= last)


def read_handover(body: str, today: str) -> str | None:
    """Return the person who has the phone on a date according to a mail, or None if it does not say."""
    found = _GIVEN.search(body) or _TAKEN_BACK.search(body)
    return found[3] if found and found[1] <= today <= found[2] else None


def _by_tier(severities: Sequence[str]) -> dict[str, int]:
    return {tier: int(one) for tier, one in zip(_TIERS, severities, strict=True)}


def _found(pattern: str | re.Pattern[str], text: str) -> Sequence[str]:
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"nothing like {pattern} is said")
    return match.groups()
