"""Credit compares the episodes of a group."""

import pytest

from companyos.training.credit import fork_advantages, group_advantages

from .conversations import call, episode

WAIT = call("wait")


def test_every_call_of_an_episode_is_credited_with_what_it_earned_beyond_its_group() -> None:
    group = [episode(0, (WAIT, 0.5), (WAIT, 0.5)), episode(0, (WAIT, 0.0))]

    assert group_advantages(group, "episode") == [[0.5, 0.5], [-0.5]]


def test_rewards_that_cancel_out_are_a_return_of_nothing() -> None:
    assert str(episode(0, (WAIT, 0.1), (WAIT, 0.2), (WAIT, -0.3)).episode_return) == "0.0"


def test_reward_to_go_credits_a_call_with_what_followed_it() -> None:
    group = [episode(0, (WAIT, 0.5), (WAIT, 0.1), (WAIT, 0.4)), episode(0, (WAIT, 0.2))]

    first, second = group_advantages(group, "reward_to_go")

    assert first == pytest.approx([0.4, 0.25, 0.2])
    assert second == pytest.approx([-0.4])


@pytest.mark.parametrize("credit", ["episode", "reward_to_go"])
def test_equal_episodes_have_no_advantage_whatever_the_order_of_their_rewards(credit: str) -> None:
    amounts = [0.1, 0.2, 0.3] if credit == "reward_to_go" else [0.3, 0.2, 0.1]
    group = [
        episode(0, *[(WAIT, amount) for amount in amounts]),
        episode(0, *[(WAIT, amount) for amount in (0.1, 0.2, 0.3)]),
    ]

    assert not any(any(row) for row in group_advantages(group, credit))


def test_forks_compare_what_a_call_was_worth_with_all_others_where_something_can_be_said() -> None:
    assert fork_advantages([[1.0, 1.0], [0.0, -2.0, None]]) == [[1.0, 1.0], [0.0, -2.0, 0.0]]
    assert fork_advantages([[1.0], [1.0]]) == [[0.0], [0.0]]


def test_forks_never_praise_a_call_that_came_no_nearer() -> None:
    assert fork_advantages([[0.0, -1.0], [0.0, -1.0]]) == [[0.0, -0.5], [0.0, -0.5]]


def test_forks_say_nothing_where_nothing_is_known() -> None:
    assert fork_advantages([[None], []]) == [[0.0], []]
