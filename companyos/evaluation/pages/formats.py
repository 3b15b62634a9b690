"""How numbers, names and times are written on pages."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from markupsafe import Markup, escape

from companyos.sdk.simtime import to_iso

#: The functions that templates use as filters.
FILTERS: Final = ("code", "percent", "signed", "compact", "pretty", "plain", "span", "stored", "usd", "words")

#: Columns that hold simulated seconds.
_MOMENT: Final = re.compile(r"(^|_)(at|due|until|as_of)$")
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


def percent(share: float | None) -> str:
    """Return a share as a percentage without decimals, or a dash if there is none."""
    return "–" if share is None else f"{share:.0%}"


def signed(amount: float) -> str:
    """Return an amount with two decimals and its sign, using a true minus sign."""
    return f"{amount:+.2f}".replace("-", "−")


def usd(dollars: float | None) -> str:
    """Return an amount of US dollars: cents, or four significant digits below one cent."""
    if dollars is None:
        return "–"
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.4g}"


def compact(count: float) -> str:
    """Return a count with at most three significant digits: 950, 12.3k, 4.5M."""
    for unit, suffix in ((1.0, ""), (1e3, "k"), (1e6, "M")):
        digits = f"{count / unit:.3g}"
        if float(digits) < 1000:
            return f"{digits}{suffix}"
    return f"{count / 1e9:.3g}B"


def span(seconds: float) -> str:
    """Return a duration in its two largest units, such as 2 h 05 min."""
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min" + (f" {whole % _MINUTE_S:02} s" if whole % _MINUTE_S else "")
    if whole < _DAY_S:
        return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S:02} min"
    return f"{whole // _DAY_S} d {whole % _DAY_S // _HOUR_S} h"


def words(names: Iterable[Any]) -> str:
    """Return names as a phrase: a, b and c."""
    *most, last = [str(name) for name in names] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: 1 episode, 2,000 episodes."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def numbers(values: Iterable[int]) -> str:
    """Return whole numbers in order, with runs as ranges: 0–9, 12."""
    ranges: list[list[int]] = []
    for value in sorted(set(values)):
        if ranges and value == ranges[-1][-1] + 1:
            ranges[-1][1:] = [value]
        else:
            ranges.append([value])
    return ", ".join("–".join(map(str, bounds)) for bounds in ranges)


def pretty(document: Any) -> str:
    """Return a JSON value indented on several lines."""
    return json.dumps(document, indent=2, ensure_ascii=False)


def plain(value: Any) -> str:
    """Return a value of a row or an argument on one line."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


def stored(value: Any, name: str) -> str:
    """Return a value of a row's column `name` on one line, with simulated times as dates."""
    if isinstance(value, int) and not isinstance(value, bool) and _MOMENT.search(name):
        return to_iso(value)
    return plain(value)


def code(prose: str) -> Markup:
    """Return prose escaped, with text between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(prose))))  # noqa: S704 - escaped before
