"""What plays of a scenario add up to: figures of each agent, the verdict, a table, and the part of a card they fill.

A scenario is certified at a chaos level when its oracle always succeeds, agents that look at nothing never do, no
plan solves both twins, playing again gives the same trace, and no episode was invalid; and over the levels when its
naive agent falls from one to the next and its careful one does not, and every fault of the levels has landed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import Any, Final

from . import gates

#: The figures of a card stand between these lines; what is around them is written by people.
CARD_BEGIN: Final = "<!-- baselines: written by `companyos certify` -->"
CARD_END: Final = "<!-- end of baselines -->"

_Z95: Final = 1.959964


class Player(StrEnum):
    """The agents a scenario is certified with."""

    ORACLE = "oracle"
    DO_NOTHING = "do_nothing"
    RANDOM_POOL = "random_pool"
    RANDOM_SCHEMA = "random_schema"
    BLIND_OWN = "blind_own"
    BLIND_TWIN = "blind_twin"
    NAIVE = "naive"
    CAREFUL = "careful"


#: How often agents that look at little or nothing may succeed.
_MAY_SUCCEED: Final = {
    Player.DO_NOTHING: 0.0,
    Player.RANDOM_POOL: 0.01,
    Player.RANDOM_SCHEMA: 0.01,
    Player.BLIND_TWIN: 0.0,
}


@dataclass(frozen=True)
class Play:
    """One finished episode.

    Attributes:
        stuck: Why the agent gave up, where it did.
        met: Each fault of the episode and how far it came, as often as that was.
    """

    scenario: str
    level: int
    seed: int
    player: Player
    success: bool
    episode_return: float
    steps: int
    invalid: bool
    trace_hash: str
    stuck: str | None = None
    met: tuple[tuple[str, str], ...] = ()


def summed_up(
    plays: Sequence[Play], again: Sequence[Play], versions: Mapping[str, int], *, landed: int = 0
) -> dict[str, Any]:
    """Return the report of a certification.

    Args:
        plays: Every episode, once.
        again: Oracle episodes of `plays` played a second time, alone.
        versions: Version of each scenario.
        landed: How often every fault of the levels played has to have landed.
    """
    cells: dict[str, dict[int, list[Play]]] = defaultdict(lambda: defaultdict(list))
    for play in plays:
        cells[play.scenario][play.level].append(play)
    scenarios = {
        name: {
            "version": versions[name],
            "levels": {str(level): _cell(found, again) for level, found in sorted(levels.items())},
        }
        for name, levels in sorted(cells.items())
    }
    faults = [
        f"{name}, chaos {level}: {fault}"
        for name, scenario in scenarios.items()
        for level, cell in _levels(scenario).items()
        for fault in cell["faults"]
    ]
    met = tally(plays)
    faults += [*gates.broken(scenarios), *gates.unmet(met, {play.level for play in plays}, landed)]
    return {"certified": not faults, "faults": faults, "scenarios": scenarios, "met": met}


def tally(plays: Iterable[Play]) -> dict[str, dict[str, int]]:
    """Return how many faults of each kind came how far, over all episodes; what landed came at least to that."""
    found: dict[str, dict[str, int]] = {}
    for play in plays:
        for fault, state in play.met:
            counts = found.setdefault(fault, {"armed": 0, "landed": 0, "overcome": 0, "expired": 0})
            counts["armed"] += 1
            counts["landed"] += state in ("landed", "detected", "overcome")
            counts["overcome"] += state == "overcome"
            counts["expired"] += state == "expired"
    return dict(sorted(found.items()))


def table(report: Mapping[str, Any]) -> str:
    """Return the report for people: a line per scenario, level and agent, then the verdict."""
    lines = [("scenario", "chaos", "agent", "episodes", "success", "95 %", "return", "steps", "invalid")]
    for name, scenario in report["scenarios"].items():
        for level, cell in _levels(scenario).items():
            for player, figures in cell["agents"].items():
                lines.append((name, level, player, *_shown(figures), str(figures["invalid"])))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
    if report["met"]:
        shown += [
            "",
            "faults that landed: " + ", ".join(f"{f} {n['landed']}" for f, n in report["met"].items()),
        ]
    verdict = "certified" if report["certified"] else "NOT certified:\n" + "\n".join(report["faults"])
    return "\n".join(line.rstrip() for line in [*shown, "", verdict])


def card_with(card: str, scenario: Mapping[str, Any]) -> str:
    """Return an environment card with its baselines replaced by those of a report's scenario.

    Raises:
        ValueError: The card has no place for them.
    """
    before, begin, rest = card.partition(CARD_BEGIN)
    _, end, after = rest.partition(CARD_END)
    if not (begin and end):
        raise ValueError(f"the card has no lines {CARD_BEGIN} and {CARD_END}")
    return f"{before}{begin}\n{_markdown(scenario)}\n{end}{after}"


def interval(successes: int, episodes: int) -> tuple[float, float]:
    """Return the 95 % interval of a success rate (Wilson 1927)."""
    if not episodes:
        return 0.0, 1.0
    rate, spread = successes / episodes, _Z95**2 / episodes
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z95 * sqrt(rate * (1 - rate) / episodes + spread / (4 * episodes)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _cell(plays: Sequence[Play], again: Sequence[Play]) -> dict[str, Any]:
    agents = {
        player.value: _figures(found)
        for player in Player
        if (found := [p for p in plays if p.player is player])
    }
    pairs = _pairs(plays)
    differing = _differing(plays, again)
    cell: dict[str, Any] = {
        "agents": agents,
        "pairs": {"played": len(pairs), "solved_by_one_plan": sum(pairs.values())},
        "traces_differing": differing,
        "invalid": sum(play.invalid for play in plays),
    }
    return {**cell, "faults": _faults(plays, cell)}


def _figures(plays: Sequence[Play]) -> dict[str, Any]:
    # What the stack failed at is counted, and says nothing of the agent.
    scored = [play for play in plays if not play.invalid]
    successes, returns = (
        sum(play.success for play in scored),
        [play.episode_return for play in scored] or [0.0],
    )
    low, high = interval(successes, len(scored))
    return {
        "episodes": len(plays),
        "successes": successes,
        "invalid": len(plays) - len(scored),
        "success": round(successes / max(len(scored), 1), 4),
        "interval": [round(low, 4), round(high, 4)],
        "mean_return": round(sum(returns) / len(returns), 2),
        "min_return": min(returns),
        "max_return": max(returns),
        "mean_steps": round(sum(play.steps for play in plays) / len(plays), 1),
        "max_steps": max(play.steps for play in plays),
    }


def _pairs(plays: Iterable[Play]) -> dict[tuple[int, bool], bool]:
    """Return for each plan, named by its twin pair and which twin it is made for, whether it solved both."""
    won: dict[tuple[int, bool], list[bool]] = defaultdict(list)
    for play in plays:
        if play.player in (Player.BLIND_OWN, Player.BLIND_TWIN):
            made_for = play.seed if play.player is Player.BLIND_OWN else play.seed ^ 1
            won[play.seed // 2, made_for % 2 == 1].append(play.success)
    return {plan: all(successes) for plan, successes in won.items() if len(successes) == 2}


def _differing(plays: Iterable[Play], again: Iterable[Play]) -> list[int]:
    first = {_coordinates(play): play.trace_hash for play in plays}
    return sorted(
        play.seed for play in again if first.get(_coordinates(play), play.trace_hash) != play.trace_hash
    )


def _coordinates(play: Play) -> tuple[str, int, int, Player]:
    return play.scenario, play.level, play.seed, play.player


def _faults(plays: Sequence[Play], cell: Mapping[str, Any]) -> list[str]:
    found = [
        f"the oracle failed at seed {play.seed}{f' ({play.stuck})' if play.stuck else ''}"
        for play in plays
        if play.player is Player.ORACLE and not play.success
    ]
    found += [
        f"{player} succeeded at {figures['success']:.1%}"
        for player, figures in cell["agents"].items()
        if player in _MAY_SUCCEED and figures["success"] > _MAY_SUCCEED[Player(player)]
    ]
    if cell["pairs"]["solved_by_one_plan"]:
        found.append("a fixed plan solved both twins")
    found += [f"seed {seed} left another trace when played again" for seed in cell["traces_differing"]]
    return found + ([f"{cell['invalid']} episodes were invalid"] if cell["invalid"] else [])


def _levels(scenario: Any) -> Mapping[str, Any]:
    levels: Mapping[str, Any] = scenario["levels"]
    return levels


def _shown(figures: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = figures["interval"]
    return (
        str(figures["episodes"]),
        f"{figures['success']:.1%}",
        f"{low:.1%}-{high:.1%}",
        f"{figures['mean_return']:+.2f}",
        f"{figures['mean_steps']:.1f}",
    )


def _markdown(scenario: Mapping[str, Any]) -> str:
    lines = [
        f"Version {scenario['version']}, `seed` rewards.",
        "",
        "| chaos | agent | episodes | success | 95 % | mean return | mean steps |",
        "|---|---|---|---|---|---|---|",
    ]
    for level, cell in scenario["levels"].items():
        lines += [f"| {level} | {player} | {' | '.join(_shown(f))} |" for player, f in cell["agents"].items()]
    pairs = [cell["pairs"] for cell in scenario["levels"].values()]
    played, solved = sum(pair["played"] for pair in pairs), sum(pair["solved_by_one_plan"] for pair in pairs)
    return "\n".join([*lines, "", f"Plans made for one twin: {played}; of them, solved both: {solved}."])
