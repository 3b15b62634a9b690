"""Baselines: metrics of each agent over its plays, the verdict, and a table.

A scenario is certified at a chaos level if its oracle always succeeds, agents that ignore observations never
do, no open-loop plan solves both instances of a pair, no agent crashes, a replay gives the same trace, and no
episode was invalid. It is certified across levels if some omission costs success without chaos, some omission costs
more at the highest level, and every fault has landed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from . import acceptance
from .agents import OMISSIONS
from .fewest_steps import Attempt, spl_of
from .runs.intervals import wilson
from .runs.records import EpisodeEnding, EpisodeRecord
from .runs.request import Instance


class Player(StrEnum):
    """The agents that certify a scenario."""

    ORACLE = "oracle"
    DO_NOTHING = "do_nothing"
    RANDOM_POOL = "random_pool"
    RANDOM_SCHEMA = "random_schema"
    OPEN_LOOP_OWN = "open_loop_own"
    OPEN_LOOP_OTHER = "open_loop_other"
    BELIEVES_CLAIMS = "believes_claims"
    READS_ONE_EDITION = "reads_one_edition"
    LOOKS_ONCE = "looks_once"
    IGNORES_MESSAGES = "ignores_messages"
    IGNORES_AUTOMATIONS = "ignores_automations"
    OVERLOOKS_ABSENCE = "overlooks_absence"
    RETRIES_NOTHING = "retries_nothing"


#: The players that leave out a skill, as `agents.OMISSIONS` describes them.
OMITTING: Final = tuple(Player(name) for name in OMISSIONS)
#: The agents that see what happens.
SEEING: Final = (Player.ORACLE, *OMITTING)


#: How often agents that use little or no information may succeed.
_MAY_SUCCEED: Final = {
    Player.DO_NOTHING: 0.0,
    Player.RANDOM_POOL: 0.01,
    Player.RANDOM_SCHEMA: 0.01,
}
#: The same for agents that must fail where nothing else goes wrong: a fault may refuse the very call with
#: which the other instance's plan would go wrong. No plan may solve both instances under any chaos.
_MAY_SUCCEED_CALM: Final = {**_MAY_SUCCEED, Player.OPEN_LOOP_OTHER: 0.0}

#: The gates that depend on one agent's plays alone.
_PROVES: Final = {
    Player.ORACLE: "that every episode can be solved, and leaves the same trace when played again",
    Player.DO_NOTHING: "that doing nothing fails",
    Player.RANDOM_POOL: "that drawing from the objects in sight fails",
    Player.RANDOM_SCHEMA: "that drawing from the tools' schemas fails",
    Player.OPEN_LOOP_OWN: "that no open-loop plan solves both of a pair",
    Player.OPEN_LOOP_OTHER: "that no open-loop plan solves both of a pair",
    **dict.fromkeys(OMITTING, "that the skill which it lacks is needed"),
}


@dataclass(frozen=True)
class Play:
    """One finished episode.

    Attributes:
        stuck: Why the agent's script stopped before the episode ended, if it did.
        crashed: Whether it stopped because of a bug, and did not give up on purpose.
        met: Each fault of the episode and the last state it reached, with repetitions.
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
    crashed: bool = False
    met: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, record: EpisodeRecord, player: Player) -> Play:
        """Return the play that a record is about; only agents that see what happens meet faults."""
        return cls(
            scenario=record.scenario,
            level=int(record.chaos),
            seed=record.seed,
            player=player,
            success=record.success,
            episode_return=record.episode_return,
            steps=record.steps,
            invalid=not record.is_scored,
            trace_hash=record.trace_hash,
            stuck=record.agent_error,
            crashed=record.ended is EpisodeEnding.AGENT_ERROR,
            met=tuple((fault.fault, fault.reached) for fault in record.faults) if player in SEEING else (),
        )

    @property
    def attempt(self) -> Attempt:
        """What SPL depends on."""
        return Attempt((self.scenario, self.level, self.seed), self.success, self.steps)


def certification_report(
    plays: Sequence[Play],
    again: Sequence[Play],
    versions: Mapping[str, int],
    *,
    fewest: Mapping[Instance, int] | None = None,
    landed: int = 0,
    of_all: bool = True,
) -> dict[str, Any]:
    """Return the report of a certification; `certified` is true if every gate was tested and none failed.

    Args:
        plays: Every episode, once.
        again: Oracle episodes of `plays` that were replayed alone.
        versions: The version of each scenario.
        fewest: The fewest known steps of the instances, which SPL is measured by.
        landed: How often every fault of these levels has to land.
        of_all: Whether these are all scenarios, which together have to meet every fault.
    """
    scenarios = _by_scenario(plays, again, versions, fewest or {})
    faults = [
        f"{name}, chaos {level}: {fault}"
        for name, scenario in scenarios.items()
        for level, cell in _levels(scenario).items()
        for fault in cell["faults"]
    ]
    met = tally(plays)
    faults += [*acceptance.broken(scenarios), *acceptance.unmet(met, {play.level for play in plays}, landed)]
    untried = list(_untried(plays, scenarios, asks_landings=of_all and not landed))
    return {
        "certified": not faults and not untried,
        "faults": faults,
        "untried": untried,
        "scenarios": scenarios,
        "met": met,
    }


def tally(plays: Iterable[Play]) -> dict[str, dict[str, int]]:
    """Return how many faults of each kind reached each state; a fault counts for every state it passed."""
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
    """Return the report as text: a line per scenario, level and agent, then the verdict."""
    lines = [
        ("scenario", "chaos", "agent", "episodes", "success", "95 %", "SPL", "return", "steps", "invalid")
    ]
    for name, scenario in report["scenarios"].items():
        for level, cell in _levels(scenario).items():
            for player, metrics in cell["agents"].items():
                lines.append((name, level, player, *shown_rates(metrics), str(metrics["invalid"])))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
    if report["met"]:
        shown += [
            "",
            "faults that landed: " + ", ".join(f"{f} {n['landed']}" for f, n in report["met"].items()),
        ]
    return "\n".join(line.rstrip() for line in [*shown, "", verdict(report)])


def verdict(report: Mapping[str, Any]) -> str:
    """Return whether the scenarios are certified, and if not, the gates that failed or were not tested."""
    if report["faults"]:
        return "\n".join(["NOT certified:", *report["faults"]])
    if report["untried"]:
        return "\n".join(
            ["Nothing failed, but not every gate was tried, so this certifies nothing:", *report["untried"]]
        )
    levels = sorted({int(level) for scenario in report["scenarios"].values() for level in _levels(scenario)})
    return f"certified: {', '.join(report['scenarios'])} at chaos {', '.join(map(str, levels))}"


def interval(successes: int, episodes: int) -> tuple[float, float]:
    """Return the 95 % interval of a success rate, which is anything without episodes."""
    return wilson(successes / episodes, episodes) if episodes else (0.0, 1.0)


def shown_rates(metrics: Mapping[str, Any]) -> tuple[str, ...]:
    """Return an agent's episodes, success, its interval, SPL, mean return and mean steps, as shown in a table."""
    low, high = metrics["interval"]
    return (
        str(metrics["episodes"]),
        f"{metrics['success']:.1%}",
        f"{low:.1%}-{high:.1%}",
        "-" if metrics["spl"] is None else f"{metrics['spl']:.1%}",
        f"{metrics['mean_return']:+.2f}",
        f"{metrics['mean_steps']:.1f}",
    )


def _by_scenario(
    plays: Iterable[Play],
    again: Sequence[Play],
    versions: Mapping[str, int],
    fewest: Mapping[Instance, int],
) -> dict[str, dict[str, Any]]:
    """Return each scenario's version and its measurements at each level, by name."""
    cells: dict[str, dict[int, list[Play]]] = defaultdict(lambda: defaultdict(list))
    for play in plays:
        cells[play.scenario][play.level].append(play)
    return {
        name: {
            "version": versions[name],
            "levels": {str(level): _cell(found, again, fewest) for level, found in sorted(levels.items())},
        }
        for name, levels in sorted(cells.items())
    }


def _untried(plays: Sequence[Play], scenarios: Mapping[str, Any], *, asks_landings: bool) -> Iterator[str]:
    """Yield the gates that were not tested."""
    played = {play.player for play in plays}
    for player in (one for one in Player if one not in played):
        yield f"{player} did not play, which proves {_PROVES[player]}"
    cells = [cell for scenario in scenarios.values() for cell in _levels(scenario).values()]
    plans = {Player.OPEN_LOOP_OWN, Player.OPEN_LOOP_OTHER}
    if plans <= played and not all(cell["pairs"]["played"] for cell in cells):
        yield f"no whole pair was played, which proves {_PROVES[Player.OPEN_LOOP_OWN]}"
    if asks_landings and any(play.level for play in plays):
        yield "that every fault happens as often as `--landed` asks for, which takes many seeds"


def _cell(plays: Sequence[Play], again: Sequence[Play], fewest: Mapping[Instance, int]) -> dict[str, Any]:
    agents = {
        player.value: _metrics(found, fewest)
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


def _metrics(plays: Sequence[Play], fewest: Mapping[Instance, int]) -> dict[str, Any]:
    # Failures of the stack are counted, but say nothing about the agent.
    scored = [play for play in plays if not play.invalid]
    successes, returns = (
        sum(play.success for play in scored),
        [play.episode_return for play in scored] or [0.0],
    )
    low, high = interval(successes, len(scored))
    spl = spl_of([play.attempt for play in scored], fewest)
    return {
        "episodes": len(plays),
        "successes": successes,
        "invalid": len(plays) - len(scored),
        "success": round(successes / max(len(scored), 1), 4),
        "interval": [round(low, 4), round(high, 4)],
        "spl": None if spl is None else round(spl.value, 4),
        "mean_return": round(sum(returns) / len(returns), 2),
        "min_return": min(returns),
        "max_return": max(returns),
        "mean_steps": round(sum(play.steps for play in plays) / len(plays), 1),
        "max_steps": max(play.steps for play in plays),
    }


def _pairs(plays: Iterable[Play]) -> dict[tuple[int, bool], bool]:
    """Return whether each plan solved both instances, by its pair and the instance it was made for."""
    won: dict[tuple[int, bool], list[bool]] = defaultdict(list)
    for play in plays:
        if play.player in (Player.OPEN_LOOP_OWN, Player.OPEN_LOOP_OTHER):
            made_for = play.seed if play.player is Player.OPEN_LOOP_OWN else play.seed ^ 1
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
        f"the oracle {'crashed' if play.crashed else 'failed'} at seed {play.seed}"
        f"{f' ({play.stuck})' if play.stuck else ''}"
        for play in plays
        if play.player is Player.ORACLE and not play.success
    ]
    found += _crashes(plays)
    limits = _MAY_SUCCEED if any(play.level for play in plays) else _MAY_SUCCEED_CALM
    found += [
        f"{player} succeeded at {metrics['success']:.1%}"
        for player, metrics in cell["agents"].items()
        if player in limits and metrics["success"] > limits[Player(player)]
    ]
    if cell["pairs"]["solved_by_one_plan"]:
        found.append("an open-loop plan solved both instances of a pair")
    found += [f"seed {seed} left another trace when played again" for seed in cell["traces_differing"]]
    return found + ([f"{cell['invalid']} episodes were invalid"] if cell["invalid"] else [])


def _crashes(plays: Sequence[Play]) -> Iterator[str]:
    """Yield each agent's first crash and their number; an oracle's crash is a failure, which is told anyway."""
    for player in (one for one in Player if one is not Player.ORACLE):
        own = [play for play in plays if play.player is player]
        if crashed := [play for play in own if play.crashed]:
            complaint = f"the {player} agent crashed: {crashed[0].stuck}"
            yield f"{complaint} in {len(crashed)} of {len(own)} episodes, first at seed {crashed[0].seed}"


def _levels(scenario: Any) -> Mapping[str, Any]:
    levels: Mapping[str, Any] = scenario["levels"]
    return levels
