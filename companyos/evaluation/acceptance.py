"""The gates on omissions and faults: skills are needed, chaos makes them needed more, and every fault lands."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from companyos.sdk.chaos import parse_chaos

from .agents import OMISSIONS

#: The lowest level at which some omission has to cost more than without chaos. Below, a few short episodes may meet no
#: fault that matters.
HARD_FROM: Final = 3

Levels = Mapping[str, Any]
Rates = Mapping[int, Mapping[str, Any]]


def broken(scenarios: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the gates that the omissions break, scenario by scenario."""
    return [
        f"{name}, {fault}"
        for name, scenario in scenarios.items()
        for fault in _of_scenario(scenario["levels"])
    ]


def costless(levels: Levels) -> list[str]:
    """Return the omissions that failed at no level at which they played."""
    return [name for name, curve in omission_rates(levels).items() if not _costs(curve)]


def omission_rates(levels: Levels) -> dict[str, Rates]:
    """Return the metrics by level of each omission that played."""
    return {name: curve for name in OMISSIONS if (curve := rates(levels, name))}


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


def _of_scenario(levels: Levels) -> Iterator[str]:
    calm = [curve for curve in omission_rates(levels).values() if 0 in curve]
    if not calm:
        return
    if not any(_costs({0: curve[0]}) for curve in calm):
        yield "chaos 0: no omission costs success, so no skill is needed"
    highest = max(level for curve in calm for level in curve)
    if highest >= HARD_FROM and not any(_costs_more(curve, highest) for curve in calm):
        yield f"chaos {highest}: no omission costs more success than at chaos 0"


def _costs(curve: Rates) -> bool:
    return any(metrics["success"] < 1 for metrics in curve.values())


def _costs_more(curve: Rates, level: int) -> bool:
    return level in curve and bool(curve[level]["success"] < curve[0]["success"])
