"""Reads the usage that endpoints and programs report; what makes no sense counts as nothing."""

from math import isfinite
from typing import Any

from .turn import Usage


def count_of(reported: Any) -> int:
    """Return a number of tokens, which may be written as `9`, `9.0` or `"9"`; 0 for anything else."""
    number = _number(reported)
    return int(number) if number is not None and number == int(number) else 0


def cost_of(reported: Any) -> float | None:
    """Return an amount of US dollars; None if it is none."""
    return _number(reported)


def sum_of(first: Usage, second: Usage) -> Usage:
    """Return the sum of two usages; the cost is known if one of them is."""
    costs = [cost for cost in (first.cost_usd, second.cost_usd) if cost is not None]
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
        first.cached_tokens + second.cached_tokens,
        sum(costs) if costs else None,
    )


def _number(reported: Any) -> float | None:
    if isinstance(reported, bool) or not isinstance(reported, int | float | str):
        return None
    try:
        number = float(reported)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) and number >= 0 else None
