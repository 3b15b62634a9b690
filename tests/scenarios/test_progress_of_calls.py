"""Forks say whether a call came nearer to a solution, changed nothing, or lost the task."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from companyos.client import Record
from companyos.client.batch import CompanyosBatch
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import call, find
from companyos.training.forks import Snapshots, progress, state_of
from companyos.training.rollouts import Act, Rollout, RolloutTurn, play

FAMILY = "vendor_onboarding"
PROSE = ("title", "description", "question", "answer", "evidence", "resolution", "reason")
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


class Asking:
    """Acts as another player does, and asks the oracle before each call."""

    def __init__(self, batch: CompanyosBatch, act: Act) -> None:
        self._batch = batch
        self._act = act
        self.advice: list[Record] = []

    def __call__(self, episodes: Sequence[Rollout]) -> Sequence[Mapping[str, Any]]:
        self.advice += self._batch.advise(episode.slot for episode in episodes)
        return self._act(episodes)


class Rewording:
    """Plays as the oracle does, in other words and without idempotency keys."""

    def __init__(self, reworded: Callable[[str], str]) -> None:
        self._reworded = reworded
        self._oracles: dict[int, Oracle] = {}

    def __call__(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        return [self._act(episode) for episode in episodes]

    def _act(self, episode: Rollout) -> Mapping[str, Any]:
        latest = episode.turns[-1].observation if episode.turns else episode.start
        if not episode.turns:
            self._oracles[id(episode)] = Oracle(find(episode.options["scenario"]))
            self._oracles[id(episode)].start(latest)
        action = self._oracles[id(episode)].act(latest)
        prose = {
            name: self._reworded(text)
            for name, text in action["arguments"].items()
            if name in PROSE and isinstance(text, str)
        }
        arguments = {**action["arguments"], **prose}
        arguments.pop("idempotency_key", None)
        return {**action, "arguments": arguments}


def options(seed: int, **others: Any) -> dict[str, Any]:
    fixed = {"scenario": FAMILY, "chaos": 0, "rewards": "drill", "tools": "scenario"}
    return {**fixed, "seed": seed, **others}


def test_the_oracles_calls_come_nearer_and_a_premature_end_loses_the_task(batch: CompanyosBatch) -> None:
    player = Blunderer({0: (0, ENDS), 1: (3, ENDS), 2: (99, ENDS)})
    snapshots = Snapshots(batch, player)
    episodes = play(batch, [options(seed) for seed in range(3)], snapshots)

    advice = snapshots.ask()

    never, early, solved = episodes
    assert [episode.success for episode in episodes] == [False, False, True]
    assert progress(never, advice) == [-1.0]
    assert progress(early, advice) == [1.0, 1.0, 1.0, -1.0]
    assert progress(solved, advice) == [1.0] * len(solved.turns)
    assert snapshots.asked == 3, "the oracle's own calls lead where it said"
    assert advice[state_of(early, 3)]["action"]["tool_name"] == player.right[1]["tool_name"]


@pytest.mark.parametrize(
    ("family", "reworded"),
    [("vendor_onboarding", "Please: {}".format), ("bug_escalation", lambda text: "Done.")],
)
def test_the_oracles_calls_in_other_words_come_nearer_too(
    batch: CompanyosBatch, family: str, reworded: Callable[[str], str]
) -> None:
    snapshots = Snapshots(batch, Rewording(reworded))
    episodes = play(batch, [options(seed, scenario=family) for seed in (0, 1, 3)], snapshots)

    advice = snapshots.ask()

    for episode in episodes:
        assert episode.success
        assert progress(episode, advice) == [1.0] * len(episode.turns)


def test_advice_is_derived_as_the_oracle_would_give_it(batch: CompanyosBatch) -> None:
    asking = Asking(batch, Blunderer({6: (2, call("ticketdesk_list_tickets"))}))
    snapshots = Snapshots(batch, asking)
    play(batch, [options(6)], snapshots)

    derived = [(each["action"], each["calls_left"]) for each in snapshots.ask().values()]

    assert derived == [(each["action"], each["calls_left"]) for each in asking.advice]
    assert snapshots.asked < len(derived)


def test_a_read_changes_nothing_and_equal_calls_lead_to_one_state(batch: CompanyosBatch) -> None:
    read = (2, call("ticketdesk_list_tickets"))
    snapshots = Snapshots(batch, Blunderer({4: read, 5: read}))
    episodes = play(batch, [options(4), options(4), options(5, start={"calls": 3})], snapshots)

    advice = snapshots.ask()

    assert [len(episode.turns) for episode in episodes] == [4, 4, 4]
    assert len(advice) == 2 * 4
    for episode in episodes:
        *_, before_the_end, end = progress(episode, advice)
        assert (before_the_end, end) == (0.0, -1.0)


def test_calls_after_a_lost_task_and_the_last_of_a_budget_are_worth_neither_praise_nor_blame() -> None:
    lost = Rollout(
        {},
        0,
        {},
        [RolloutTurn(call("wait"), {}, 0.0, "done"), RolloutTurn(ENDS, {}, 0.0, "done")],
        success=False,
    )
    spent = Rollout({}, 0, {}, [RolloutTurn(call("wait"), {}, 0.0, "done")], success=False)
    left = Record(action=call("wait"), calls_left=2)

    assert progress(lost, {state_of(lost, 0): left, state_of(lost, 1): Record(calls_left=None)}) == [
        -1.0,
        None,
    ]
    assert progress(spent, {state_of(spent, 0): left}) == [None]
