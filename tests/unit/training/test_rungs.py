"""Rungs: opened as the policy succeeds, closed as it fails, and played in the proportions that this calls for."""

from companyos.training.rungs import BESIDE, LEARNED, Rungs, Solution, start_of


def test_at_first_the_easiest_rung_is_played_and_the_next_now_and_then() -> None:
    assert Rungs((1, 4, 0)).weights() == [LEARNED, BESIDE, 0.0]


def test_a_rung_that_is_mastered_opens_the_next_and_is_played_less() -> None:
    rungs = Rungs((1, 4, 0))

    rungs.learn(0, 0.75)

    assert (rungs.top, rungs.weights()) == (1, [BESIDE, LEARNED, BESIDE])


def test_a_rung_on_which_almost_everything_fails_is_closed_again() -> None:
    rungs = Rungs((1, 4, 0), success=[0.8, None, None], top=1)

    rungs.learn(1, 0.125)

    assert (rungs.top, rungs.success) == (0, [0.8, 0.125, None])


def test_one_group_does_not_decide_against_many() -> None:
    rungs = Rungs((1, 4), success=[0.9, 0.6], top=1)

    rungs.learn(1, 0.0)

    assert rungs.success[1] == 0.6 * 0.7
    assert rungs.top == 1


def test_the_last_rung_stays_open() -> None:
    rungs = Rungs((1,))

    rungs.learn(0, 1.0)

    assert (rungs.top, rungs.weights()) == (0, [BESIDE])


def test_a_rung_leaves_twice_the_steps_of_the_oracle_and_a_whole_episode_its_own() -> None:
    assert start_of(3, Solution(9)) == {"start": {"calls_left": 3}, "max_steps": "+6"}
    assert start_of(0, Solution(9)) == {}


def test_a_rung_longer_than_the_solution_is_the_whole_episode() -> None:
    assert start_of(4, Solution(3)) == {}
    assert start_of(2, Solution(9, idle=7)) == {}


def test_calls_that_the_task_does_not_need_do_not_count_for_a_rung() -> None:
    assert start_of(2, Solution(9, idle=3)) == {"start": {"calls_left": 5}, "max_steps": "+10"}
    assert start_of(1, Solution(9, idle=3)) == {"start": {"calls_left": 1}, "max_steps": "+2"}


def test_a_checkpoint_keeps_what_was_learned_of_the_rungs() -> None:
    rungs = Rungs((1, 4))
    rungs.learn(0, 0.75)

    assert Rungs((1, 4)).restored(rungs.parts()) == rungs
