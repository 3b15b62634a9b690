"""Measures of a policy: how well it repeats held-out calls of the oracle, and how it plays held-out episodes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.intervals import share

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
    policy: Policy, batch: CompanyosBatch, starts: RungStarts, tasks: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Let the policy play greedily from each rung.

    Returns:
        Of the last rung, success with its 95 % interval, pairs solved, invalid calls and so on. `success_by_rung` has
        the success from the others.
    """

    def measures(rung: int) -> dict[str, Any]:
        played = play(batch, starts.options(tasks, [rung] * len(tasks)), policy.player())
        return summary([episode for episode in played if episode.success is not None])

    *others, last = range(len(starts.calls_left))
    measured = measures(last)
    by_rung = {str(starts.calls_left[rung]): measures(rung)["success"] for rung in others}
    return {**measured, **({"success_by_rung": by_rung} if by_rung else {})}


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
