"""A policy that begins in the middle of an episode has seen what it would have seen in unbroken play."""

import pytest

from companyos.client.batch import CompanyosBatch
from companyos.training.pointer.demonstrations import begin
from companyos.training.rollouts import play_oracle
from tests.families import SOME

LEFT = 3


@pytest.mark.proof
def test_the_history_of_a_start_is_that_of_unbroken_play(url: str) -> None:
    tasks = [{"scenario": name, "seed": 2, "chaos": 0, "tools": "scenario"} for name in SOME]
    batch = CompanyosBatch(url, len(tasks))
    try:
        unbroken = play_oracle(batch, tasks)
        begun = play_oracle(batch, [{**task, "start": {"calls_left": LEFT}} for task in tasks])
    finally:
        batch.close()

    for whole, late in zip(unbroken, begun, strict=True):
        expected, history = begin(whole, {}), begin(late, {})
        for turn in whole.turns[:-LEFT]:
            expected.add(turn.action, turn.observation)
        assert history.now == expected.now
        assert history.values == expected.values
        assert history.occurrences == expected.occurrences
