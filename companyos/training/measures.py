"""Measures of a policy: how well it repeats held-out calls of the oracle, and how it plays held-out episodes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any, Final

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.intervals import share

from .config import TrainingConfig
from .interface import Decision, Policy, Repeated
from .optimization import in_parts
from .rollouts import Rollout, play
from .rungs import RungStarts

#: Kinds of calls that no service carried out because the call itself was wrong.
INVALID: Final = frozenset({"bad_arguments", "unknown_tool", "no_call"})


def imitation(policy: Policy, held_out: Sequence[Decision]) -> dict[str, float]:
    """Return the shares of held-out calls of which the service, the tool and everything is the oracle's."""
    repeated = [one for part in in_parts(held_out, policy.at_once) for one in policy.repeated(part)]
    return {
        name: sum(getattr(one, name) for one in repeated) / max(len(held_out), 1) for name in Repeated._fields
    }


def held_out_play(
    config: TrainingConfig, policy: Policy, batch: CompanyosBatch, starts: RungStarts
) -> dict[str, Any]:
    """Let the policy play held-out seeds greedily, from each rung, and whole episodes of held-out families.

    Returns:
        Of the last rung, success with its 95 % interval, pairs solved, invalid calls and so on. `success_by_rung` has
        the success from the others, and `success_by_family` that of held-out families.
    """

    tasks, untrained = (
        [{**task, **policy.formats} for task in some]
        for some in (config.held_out_options(), config.untrained_options())
    )

    def measures(options: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return summary([each for each in play(batch, options, policy.player()) if each.success is not None])

    def from_rung(rung: int) -> dict[str, Any]:
        return measures(starts.options(tasks, [rung] * len(tasks)))

    *others, last = range(len(starts.calls_left))
    measured = from_rung(last)
    by_rung = {str(starts.calls_left[rung]): from_rung(rung)["success"] for rung in others}
    families = groupby(untrained, lambda task: str(task["scenario"]))
    by_family = {name: measures(list(some))["success"] for name, some in families}
    tables = {"success_by_rung": by_rung, "success_by_family": by_family}
    return {**measured, **{name: table for name, table in tables.items() if table}}


def summary(episodes: Sequence[Rollout]) -> dict[str, Any]:
    """Return the measures of episodes: shares from 0 to 1, and means."""
    success = share([float(bool(each.success)) for each in episodes])
    if success is None:
        return {"episodes": 0}
    pairs: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for each in episodes:
        pairs[each.options["scenario"], each.options["seed"] // 2].append(bool(each.success))
    kinds = [turn.kind for each in episodes for turn in each.turns]
    return {
        "episodes": len(episodes),
        "success": success.value,
        "success_low": success.low,
        "success_high": success.high,
        "pairs_solved": fmean(all(each) for each in pairs.values()),
        "invalid_calls": fmean(kind in INVALID for kind in kinds),
        "refused_calls": fmean(kind == "refused" for kind in kinds),
        "return": fmean(each.episode_return for each in episodes),
        "calls": len(kinds) / len(episodes),
    }
