"""No rung but that of the last call is solved by ending the episode at once."""

from companyos.client.batch import CompanyosBatch
from companyos.training.rollouts import play_oracle, resets
from companyos.training.rungs import RungStarts

TASKS = [
    {"scenario": "bug_escalation", "seed": seed, "chaos": 0, "rewards": "drill", "tools": "scenario"}
    for seed in range(8)
]


def test_a_rung_of_two_calls_needs_both_of_them_and_the_oracle_solves_it(url: str) -> None:
    batch = CompanyosBatch(url, len(TASKS))
    try:
        starts = RungStarts(batch, (2,)).options(TASKS, [0] * len(TASKS))
        solved = play_oracle(batch, starts)
        ends = {number: each.turns[-1].action for number, each in enumerate(solved)}
        list(resets(batch, starts))
        ended_at_once = batch.step(ends)
    finally:
        batch.close()

    assert all(each.success for each in solved)
    assert not any(each.metadata["success"] for each in ended_at_once.values())
    assert any(each["start"]["calls_left"] > 2 for each in starts), (
        "no solution has a call that is not needed"
    )
