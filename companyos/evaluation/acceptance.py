"""The gates on chaos curves: the naive agent degrades, the careful one copes, every fault lands."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from companyos.chaos import parse_chaos

#: The highest success rate allowed for the naive agent at each level, and the share of its success rate
#: without chaos that the careful agent must keep. Chaos makes episodes harder to carry out, however hard the
#: task itself is.
NAIVE_AT_MOST: Final = (1.0, 0.60, 0.35, 0.15, 0.05, 0.02)
#: The same as a share of its success rate without chaos, for a scenario without business faults: nothing misleads
#: its naive agent more than at level 0, and a short task meets few failures of calls and events. The higher of the
#: two bounds counts.
NAIVE_MAY_KEEP: Final = (1.0, 1.0, 0.90, 0.60, 0.40, 0.25)
CAREFUL_AT_LEAST: Final = 0.90
CAREFUL_UP_TO: Final = 3
#: With this many episodes or more, rates are compared directly. With fewer, a gate is broken only at 95 %
#: confidence.
ENOUGH: Final = 500

#: What an author can do about a naive agent that does too well.
_LEVER: Final = "; let it call each tool once, repeat nothing after an error, and believe every answer"

Scenarios = Mapping[str, Mapping[str, Any]]


def broken(scenarios: Scenarios) -> list[str]:
    """Return the gates that the naive and the careful agent break, scenario by scenario."""
    return [
        f"{name}, {fault}"
        for name, scenario in scenarios.items()
        for fault in _of_scenario(scenario["levels"], business=scenario.get("meets_business_faults", True))
    ]


def unmet(met: Mapping[str, Mapping[str, int]], levels: Iterable[int], landed: int) -> list[str]:
    """Return the faults of these levels that landed fewer than `landed` times."""
    if not landed:
        return []
    known = {str(fault): None for level in sorted(levels) for fault in parse_chaos(level).settings}
    counts = {fault: met.get(fault, {}).get("landed", 0) for fault in known}
    return [
        f"{fault} landed {count} times, of {landed} that would be evidence"
        for fault, count in counts.items()
        if count < landed
    ]


def rates(levels: Mapping[str, Any], player: str) -> dict[int, Mapping[str, Any]]:
    """Return an agent's metrics by level, for the levels at which it played."""
    return {int(level): cell["agents"][player] for level, cell in levels.items() if player in cell["agents"]}


def _of_scenario(levels: Mapping[str, Any], *, business: bool) -> Iterator[str]:
    yield from _of_naive(rates(levels, "naive"), business=business)
    yield from _of_careful(rates(levels, "careful"))


def _of_naive(naive: Mapping[int, Mapping[str, Any]], *, business: bool) -> Iterator[str]:
    undisturbed = float(naive[0]["success"]) if 0 in naive else 1.0
    for level, metrics in naive.items():
        most = NAIVE_AT_MOST[level]
        if not business:
            most = max(most, NAIVE_MAY_KEEP[level] * undisturbed)
        if _least(metrics) > most:
            yield f"chaos {level}: {_rate('naive', metrics)}; at most {most:.0%} is allowed{_LEVER}"
    for (level, before), (_, after) in pairwise(naive.items()):
        if _does_not_fall(before, after):
            fell = f"naive fell from {before['success']:.1%} to {after['success']:.1%} only"
            yield f"chaos {level}: {fell}{_LEVER}"


def _of_careful(careful: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    undisturbed = float(careful[0]["success"]) if 0 in careful else 1.0
    least = CAREFUL_AT_LEAST * undisturbed
    for level, metrics in careful.items():
        if level <= CAREFUL_UP_TO and _most(metrics) < least:
            why = f"at least {least:.1%} is required, {CAREFUL_AT_LEAST:.0%} of the rate without chaos"
            yield f"chaos {level}: {_rate('careful', metrics)}; {why}"


def _rate(player: str, metrics: Mapping[str, Any]) -> str:
    """Return an agent's success rate with its 95 % interval, as a clause."""
    low, high = metrics["interval"]
    return f"{player} succeeded at {metrics['success']:.1%} (95 %: {low:.1%} to {high:.1%})"


def _does_not_fall(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    if not before["successes"]:
        return bool(after["successes"]) and _is_exact(after)
    if _is_exact(before) and _is_exact(after):
        return bool(after["success"] >= before["success"])
    return bool(_least(after) > before["success"])


def _is_exact(metrics: Mapping[str, Any]) -> bool:
    return bool(metrics["episodes"] >= ENOUGH)


def _least(metrics: Mapping[str, Any]) -> float:
    return float(metrics["success"] if _is_exact(metrics) else metrics["interval"][0])


def _most(metrics: Mapping[str, Any]) -> float:
    return float(metrics["success"] if _is_exact(metrics) else metrics["interval"][1])
