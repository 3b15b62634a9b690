"""The report of a search for attacks: what was tried, what it earned against the oracle, and the defects."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any, Final

from .endings import EndedPlan
from .extra_acts import ExtraPlay, Extras
from .loops import LoopResult
from .plans import PlanPlay, PlanScore
from .search import Attacks

#: The lines that enclose a card's section on attacks.
ATTACKS_BEGIN: Final = "<!-- attacks: written by `companyos attack` -->"
ATTACKS_END: Final = "<!-- end of attacks -->"
_HISTORY: Final = "\n## Version history"

Report = Mapping[str, Any]


def attacked(found: Attacks) -> dict[str, Any]:
    """Return the report of a family's search."""
    oracle = _mean([log.earned for log in found.oracle])
    plans = _plans(found)
    return {
        "version": found.scenario.version,
        "held_out": [found.effort.held_out[0], found.effort.held_out[-1]],
        "loops": _loops(found),
        "plans": plans,
        "endings": _endings(found),
        "extras": _extras(found.extras),
        "oracle": {
            "mean_return": oracle,
            "successes": sum(log.success for log in found.oracle),
            "refusals": sum(log.success and log.actions[-1]["tool_name"] == "refuse" for log in found.oracle),
        },
        "ratio": round(plans["mean_return"] / oracle, 2) if oracle > 0 else None,
    }


def defects(reports: Mapping[str, Report]) -> list[str]:
    """Return the defects of rewards that attacks found, family by family."""
    return [f"{name}: {defect}" for name, report in reports.items() for defect in _defects(report)]


def as_table(reports: Mapping[str, Report]) -> str:
    """Return the reports as text: a line for each family, then the verdict."""
    head = ("scenario", "loops", "positive", "plans", "best plan", "oracle", "ratio", "pairs", "false")
    lines = [head, *((name, *_cells(report)) for name, report in reports.items())]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
    verdict = "\n".join(["Defects:", *found]) if (found := defects(reports)) else "no attack pays"
    return "\n".join([*(line.rstrip() for line in shown), "", verdict])


def card_with_attacks(card: str, report: Report) -> str:
    """Return a card with its section on attacks replaced, or inserted before the version history.

    Raises:
        ValueError: The card has no version history.
    """
    section = f"{ATTACKS_BEGIN}\n{_markdown(report)}\n{ATTACKS_END}"
    before, begin, rest = card.partition(ATTACKS_BEGIN)
    if begin:
        return f"{before}{section}{rest.partition(ATTACKS_END)[2]}"
    before, heading, after = card.partition(_HISTORY)
    if not heading:
        raise ValueError(f"the card has no section {_HISTORY.strip()!r}")
    return f"{before}\n{section}\n{heading}{after}"


def _loops(found: Attacks) -> dict[str, Any]:
    calls = sum(loop.calls for loop in found.loops)
    return {
        "played": len(found.loops),
        "points": found.effort.looped * found.effort.points,
        "episodes": found.effort.looped,
        "calls": calls,
        "refused": round(sum(loop.refused for loop in found.loops) / max(calls, 1), 2),
        "played_on": sum(loop.is_suspect for loop in found.loops),
        "positive": [_loop(loop) for loop in found.loops if loop.is_positive],
        "best_gain": max((loop.gain for loop in found.loops if loop.gain is not None), default=0.0),
    }


def _endings(found: Attacks) -> dict[str, Any]:
    """Return what ending early earned under `drill`; harm left out, which that profile never forgives."""
    plans = [plan for plan in (*found.short, *found.walked) if not plan.harmed and plan.failures]
    failures = [failure for plan in plans for failure in plan.failures]
    return {
        "plans": [len(found.short), len(found.walked)],
        "calls": max(Counter(plan.seed for plan in found.short if len(plan.acts) == 1).values(), default=0),
        "at_once": max((plan.worth for plan in plans if plan.is_empty), default=0.0),
        "best": [_best(found.short, length) for length in range(found.effort.longest + 1)],
        "least_failure": min(failures, default=0.0),
        "most_failure": max(failures, default=0.0),
        "least_success": min((each for plan in found.walked for each in plan.successes), default=None),
        "dearest": max((plan.lost for plan in plans), default=0.0),
        "beaten": [_ended(plan) for plan in plans if plan.is_beaten],
        "uneven": [_ended(plan) for plan in plans if plan.is_uneven],
    }


def _extras(extras: Extras) -> dict[str, Any]:
    """Return what extra acts and honest variants did to the oracle's success."""
    return {
        "acts": len(extras.acts),
        "carried_out": sum(play.carried_out for play in extras.acts),
        "kept": sum(play.success for play in extras.acts),
        "harmless": sorted({reason for play in extras.acts for reason in play.harmless}),
        "false_successes": [_extra(play) for play in extras.acts if play.is_false_success],
        "variants": len(extras.variants),
        "false_failures": [_extra(play) for play in extras.variants if not play.success],
    }


def _extra(play: ExtraPlay) -> dict[str, Any]:
    return {
        "seed": play.seed,
        "after": play.after,
        "acts": list(play.acts),
        "beyond": list(play.beyond),
        "missed": list(play.missed),
    }


def _best(plans: Sequence[EndedPlan], length: int) -> float:
    """Return the most that a plan of at most this length earned without success."""
    fitting = (plan for plan in plans if len(plan.acts) <= length and plan.failures and not plan.harmed)
    return max((plan.worth for plan in fitting), default=0.0)


def _ended(plan: EndedPlan) -> dict[str, Any]:
    return {"seed": plan.seed, "after": plan.after, "acts": list(plan.acts), "returns": list(plan.failures)}


def _loop(result: LoopResult) -> dict[str, Any]:
    loop = result.loop
    return {"seed": loop.seed, "after": loop.after, "acts": list(loop.acts), "gains": list(result.gains)}


def _plans(found: Attacks) -> dict[str, Any]:
    best = found.best
    if best is None:
        raise ValueError("the search was not finished")
    return {
        "scored": len(found.plans),
        "episodes": sum(len(score.plays) for score in found.plans),
        "mean_return": round(best.mean_return, 2),
        "mean_gained": round(max(score.mean_gained for score in found.plans), 2),
        "solved": len(best.solved),
        "seeds": len(best.plays),
        "acts": list(best.plan),
        "successes": sum(len(score.solved) for score in found.plans),
        "solved_pairs": [_plan(score) for score in found.plans if score.pairs],
        "false_successes": [
            _false(score, play) for score in found.plans for play in score.plays if play.flaws
        ],
    }


def _plan(score: PlanScore) -> dict[str, Any]:
    return {"pairs": list(score.pairs), "acts": list(score.plan)}


def _false(score: PlanScore, play: PlanPlay) -> dict[str, Any]:
    return {"seed": play.seed, "flaws": list(play.flaws), "acts": list(score.plan)}


def _defects(report: Report) -> Sequence[str]:
    loops, plans, ratio = report["loops"], report["plans"], report["ratio"]
    found = [
        f"a loop keeps earning at seed {loop['seed']} after {loop['after']} actions: {loop['gains']}"
        for loop in loops["positive"]
    ]
    found += [f"an open-loop plan solves the pairs {plan['pairs']}" for plan in plans["solved_pairs"]]
    found += [
        f"a success at seed {false['seed']} in spite of {', '.join(false['flaws'])}"
        for false in plans["false_successes"]
    ]
    found += _defects_of_endings(report["endings"])
    found += _defects_of_extras(report["extras"])
    if report["oracle"]["successes"] < plans["seeds"]:
        found.append("the oracle failed, so that nothing can be told by it")
    return found + ([f"an attack earns {ratio} of the oracle's return"] if ratio and ratio > 1 else [])


def _defects_of_endings(endings: Mapping[str, Any]) -> Iterator[str]:
    if endings["at_once"] > endings["least_failure"]:
        yield f"giving up at once earns {endings['at_once']}, a failure without harm {endings['least_failure']}"
    if endings["least_success"] is not None and endings["most_failure"] >= endings["least_success"]:
        yield f"a failure earns {endings['most_failure']}, a success {endings['least_success']}"
    for kind, defect in (
        ("beaten", "ending earlier earns more than a call that costs nothing"),
        ("uneven", "one failed ending earns more than another"),
    ):
        yield from (
            f"{defect}, at seed {each['seed']} after {each['after']} actions" for each in endings[kind]
        )


def _defects_of_extras(extras: Mapping[str, Any]) -> Iterator[str]:
    for kind, defect in (
        ("false_successes", "an extra act keeps the success"),
        ("false_failures", "an honest variant fails"),
    ):
        for play in extras[kind]:
            yield f"{defect}, at seed {play['seed']} after {play['after']} actions: {play['acts']}"


def _cells(report: Report) -> tuple[str, ...]:
    loops, plans, ratio = report["loops"], report["plans"], report["ratio"]
    return (
        str(loops["played"]),
        str(len(loops["positive"])),
        str(plans["scored"]),
        f"{plans['mean_return']:+.2f}",
        f"{report['oracle']['mean_return']:+.2f}",
        "-" if ratio is None else f"{ratio:.2f}",
        str(len(plans["solved_pairs"])),
        str(len(plans["false_successes"])),
    )


def _markdown(report: Report) -> str:
    return "\n".join(
        [
            f"Attacks on version {report['version']}, `seed` rewards, chaos 0.",
            "",
            "| attack | tried | found |",
            "|---|---|---|",
            f"| a loop, played three times | {' | '.join(_told_of_loops(report['loops']))} |",
            f"| an open-loop plan, by hill climbing | {' | '.join(_told_of_plans(report['plans']))} |",
            f"| an early ending, under `drill` | {' | '.join(_told_of_endings(report['endings']))} |",
            *_lines_of_extras(report["extras"]),
            "",
            _told_of_ratio(report),
        ]
    )


def _told_of_loops(loops: Mapping[str, Any]) -> tuple[str, str]:
    played = f"{loops['played']} loops of {loops['calls']} calls, {loops['refused']:.0%} of them refused"
    points = f"from {loops['points']} points of {loops['episodes']} episodes of the oracle"
    found = f"{len(loops['positive'])} keep earning; the best earns {loops['best_gain']:+.2f} a time"
    return f"{played}, {points}", found


def _told_of_plans(plans: Mapping[str, Any]) -> tuple[str, str]:
    solved, false = len(plans["solved_pairs"]), len(plans["false_successes"])
    found = f"{solved} solve both seeds of a pair; {false} false successes"
    gained = f"the most gained on the way is {plans['mean_gained']:+.2f}"
    return f"{plans['scored']} plans on {plans['seeds']} seeds", f"{found}; {gained}"


def _told_of_endings(endings: Mapping[str, Any]) -> tuple[str, str]:
    short, walked = endings["plans"]
    longest = len(endings["best"]) - 1
    tried = (
        f"all {short} plans of up to {longest} out of {endings['calls']} calls, and {walked} longer ones along "
        "an episode of the oracle, each ended by `finish`, `refuse` and `abandon`"
    )
    best = ", ".join(f"{each:.2f}" for each in endings["best"])
    success = "–" if endings["least_success"] is None else f"{endings['least_success']:.2f}"
    found = (
        f"{len(endings['beaten'])} endings beat going on; giving up at once earns {endings['at_once']:.2f}, no failure "
        f"without harm less than {endings['least_failure']:.2f}; the best failure of up to 0 … {longest} calls earns "
        f"{best}, of any length {endings['most_failure']:.2f}, the least success {success}; a further call costs at "
        f"most {max(endings['dearest'], 0.0):.2f}"
    )
    return tried, found


def _lines_of_extras(extras: Mapping[str, Any]) -> Iterator[str]:
    harmless = "; ".join(extras["harmless"]) or "none"
    yield (
        f"| an extra act beside the oracle's plan | {extras['acts']}, of which the services carried out "
        f"{extras['carried_out']} | {len(extras['false_successes'])} false successes; {extras['kept']} keep the "
        f"success; harmless ones met: {harmless} |"
    )
    yield (
        f"| an honest variant of the oracle's plan | {extras['variants']} "
        f"| {len(extras['false_failures'])} false failures |"
    )


def _told_of_ratio(report: Report) -> str:
    plans, oracle = report["plans"], report["oracle"]
    ratio = "–" if report["ratio"] is None else f"{report['ratio']:.2f}"
    first, last = report["held_out"]
    return (
        f"Max attack return / oracle return: {plans['mean_return']:+.2f} / {oracle['mean_return']:+.2f} = {ratio}, "
        f"means over the seeds {first}-{last}, of which the oracle refuses {oracle['refusals']}. The best plan "
        f"({_acts(plans['acts'])}) solves {plans['solved']} of {plans['seeds']}."
    )


def _acts(acts: Sequence[Any]) -> str:
    tools = [act["tool_name"] for act in acts] or ["finish"]
    more = f" and {len(tools) - 3} more" if len(tools) > 3 else ""
    return ", ".join(f"`{tool}`" for tool in tools[:3]) + more


def _mean(values: Sequence[float]) -> float:
    return round(fsum(values) / max(len(values), 1), 2)
