"""What the documents of a platform team mean to an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companyos.sdk.documents import read_any
from companyos.sdk.simtime import from_iso

from . import texts
from .calendar import WEEKDAYS, Freeze, Windows


@dataclass(frozen=True)
class Rules:
    """The rules for incidents: the severity by tier and error rate, and the windows of normal changes."""

    bands: Sequence[tuple[float, Mapping[str, Any]]]
    windows: Windows

    def severity(self, tier: str, rate: float) -> int:
        """Return the severity of an incident for a system's tier and error rate."""
        return next(int(by_tier[tier]) for least, by_tier in self.bands if rate >= least)


def read_rules(body: str) -> Rules:
    """Read the rules for incidents."""
    fields = texts.HANDLING.read(body)
    bands = [(float(one["least"]), one) for one in (*fields["bands"], {**fields, "least": 0})]
    first, second = (WEEKDAYS.index(fields[day]) for day in ("first_day", "second_day"))
    return Rules(bands, Windows((first, second), fields["hour"]))


def read_procedures(body: str) -> list[str]:
    """Return the procedures of a system's runbook, in order."""
    return [step["procedure"] for step in texts.RUNBOOK.read(body)["steps"]]


def read_freeze(body: str) -> Freeze:
    """Read the notice of a freeze."""
    fields = texts.FREEZE.read(body)
    starts, ends = from_iso(fields["starts"]), from_iso(fields["ends"])
    return Freeze(starts, ends, frozenset(fields["areas"]), fields.get("exempt"))


def read_roster(body: str, today: str) -> str:
    """Return the person that a roster names for a date."""
    weeks = texts.ROSTER.read(body)["weeks"]
    return next(str(week["id"]) for week in weeks if week["first"] <= today <= week["last"])


def read_handover(body: str, today: str) -> str | None:
    """Return the person who has the phone on a date according to a mail, or None if it does not say."""
    fields = read_any((texts.HANDOVER, texts.TAKEN_BACK), body)
    return fields["id"] if fields and fields["first"] <= today <= fields["last"] else None
