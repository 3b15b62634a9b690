"""Forks find the call after which nobody can solve an episode, and what was right in its place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.agents import Oracle
from companyos.scenario import call, find
from companyos.training.forks import Snapshots
from companyos.training.rollouts import Rollout, play

FAMILY = "vendor_onboarding"
ENDS = call("finish", answer="I do not know.")


@pytest.fixture(scope="module")
def batch(url: str) -> Iterator[CompanyosBatch]:
    made = CompanyosBatch(url, 3)
    yield made
    made.close()


class Blunderer:
    """Plays as the oracle does, but for one call of each episode."""

    def __init__(self, blunders: Mapping[int, tuple[int, Mapping[str, Any]]]) -> None:
        self._blunders = blunders
        self._oracles: dict[int, Oracle] = {}
        self.right: dict[int, Mapping[str, Any]] = {}

    def __call__(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        return [self._act(episode) for episode in episodes]

    def _act(self, episode: Rollout) -> Mapping[str, Any]:
        if not episode.turns:
            self._oracles[id(episode)] = Oracle(find(FAMILY))
            self._oracles[id(episode)].start(episode.start)
        latest = episode.turns[-1].observation if episode.turns else episode.start
        number, blunder = self._blunders[episode.options["seed"]]
        if len(episode.turns) > number:
            return ENDS
        right = self._oracles[id(episode)].act(latest)
        if len(episode.turns) == number:
            self.right[episode.options["seed"]] = right
            return blunder
        return right


def options(seed: int, **others: Any) -> dict[str, Any]:
    return {"scenario": FAMILY, "seed": seed, "chaos": 0, "rewards": "drill", "tools": "scenario", **others}


def test_a_premature_end_is_the_decisive_call_and_the_oracles_next_call_was_right(
    batch: CompanyosBatch,
) -> None:
    player = Blunderer({0: (0, ENDS), 1: (3, ENDS), 2: (7, ENDS)})
    snapshots = Snapshots(batch, player)
    failed = play(batch, [options(seed) for seed in range(3)], snapshots)

    found = snapshots.decisive_calls(failed)
    snapshots.drop()

    assert [episode.success for episode in failed] == [False, False, False]
    assert [each.number for each in found] == [0, 3, 7]
    for seed, each in enumerate(found):
        assert each.advice is not None
        assert each.advice["tool_name"] == player.right[seed]["tool_name"]


def test_a_read_before_the_end_is_not_blamed(batch: CompanyosBatch) -> None:
    reads = {seed: (2, call("ticketdesk_list_tickets")) for seed in (4, 5)}
    snapshots = Snapshots(batch, Blunderer(reads))
    failed = play(batch, [options(4), options(5, start={"calls": 3})], snapshots)

    found = snapshots.decisive_calls(failed)
    snapshots.drop()

    assert [len(episode.turns) for episode in failed] == [4, 4]
    assert [each.number for each in found] == [3, 3]
    assert all(1 <= each.values <= 3 for each in found)
