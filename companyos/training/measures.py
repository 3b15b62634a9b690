"""Measures of a policy: how well it repeats held-out calls of the oracle, and how it plays held-out episodes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import torch

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.intervals import share

from .calls import Slot, Special, Vocabulary
from .demonstrations import Reach, examples
from .features import Featurizer, State
from .player import Player
from .policy import PointerPolicy
from .rollouts import Rollout, play

#: Kinds of calls that no service carried out because the call itself was wrong.
INVALID: Final = frozenset({"bad_arguments", "unknown_tool", "no_call"})
_AT_ONCE: Final = 32


@dataclass(frozen=True)
class Example:
    """A call of an oracle with the state before it; `tools` are the options of its first slot."""

    state: State
    slots: list[Slot]
    chosen: list[int]
    tools: tuple[str, ...]

    def service(self, option: int) -> str:
        """Return the service of a tool, or the tool's name if it belongs to none."""
        return self.tools[option - len(Special)].partition("_")[0]


def examples_of(episodes: Sequence[Rollout], vocabulary: Vocabulary) -> tuple[list[Example], Reach]:
    """Return the calls of episodes that the policy can compose, and how many those are."""
    reach, found = Reach(), []
    for episode in episodes:
        follower: Featurizer | None = None
        for history, slots, _ in examples(episode, vocabulary, reach):
            follower = follower or Featurizer(history)
            chosen = [slot.target for slot in slots if slot.target is not None]
            found.append(Example(follower.state(), slots, chosen, tuple(history.tools)))
    return found, reach


@torch.no_grad()
def imitation(policy: PointerPolicy, held_out: Sequence[Example]) -> dict[str, float]:
    """Return the shares of held-out calls of which the service, the tool and everything is the oracle's."""
    right: dict[str, int] = defaultdict(int)
    for first in range(0, len(held_out), _AT_ONCE):
        some = held_out[first : first + _AT_ONCE]
        table, _, batch = policy.log_probabilities(
            [each.state for each in some], [each.slots for each in some], [each.chosen for each in some]
        )
        best = table.argmax(2)
        right["right_call"] += int(((best == batch.chosen) | ~batch.is_slot).all(1).sum())
        for example, option in zip(some, best[:, 0].tolist(), strict=True):
            right["right_tool"] += option == example.chosen[0]
            right["right_service"] += example.service(option) == example.service(example.chosen[0])
    names = ("right_service", "right_tool", "right_call")
    return {name: right[name] / max(len(held_out), 1) for name in names}


def whole_episodes(
    policy: PointerPolicy,
    vocabulary: Vocabulary,
    batch: CompanyosBatch,
    options: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Let the policy play greedily, and return success with its 95 % interval, pairs solved and invalid calls."""
    played = play(batch, options, Player(policy, vocabulary))
    return summary([episode for episode in played if episode.success is not None])


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
