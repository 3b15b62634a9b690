"""The line that says how far a run has come."""

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.runs import EpisodeEnding
from companyos.evaluation.runs.progress import RunProgress

from .samples import record


def test_a_run_that_has_not_begun_says_how_much_there_is_to_do() -> None:
    assert RunProgress.of(8, [], 8).parts(0.0) == ["0/8 done"]
    assert RunProgress.of(8, [], 8).time_left_s(3.0) is None


def test_the_line_tells_successes_errors_failures_tokens_and_time_apart() -> None:
    progress = RunProgress.of(10, [record(0, success=True, episode_return=10.0)], 9)
    progress.add(record(1, steps=20, usage=Usage(900, 100, 0, 0.5)))
    progress.add(record(2, steps=10, ended=EpisodeEnding.AGENT_ERROR))
    progress.add(record(3, ended=EpisodeEnding.ENVIRONMENT_FAILURE))
    progress.add(record(4, ended=EpisodeEnding.BUDGET))

    assert progress.parts(10.0) == [
        "5/10 done",
        "success 25.0% (4.6%-69.9%)",
        "return +2.50",
        "3.0 steps/s",
        "agent errors 1",
        "environment failures 1",
        "out of budget 1",
        "1,000 tokens",
        "$0.50",
        "12 s left",
    ]


def test_an_episode_played_again_is_one_episode() -> None:
    progress = RunProgress.of(
        2, [record(0, ended=EpisodeEnding.ENVIRONMENT_FAILURE), record(1, success=True)], 1
    )
    assert progress.left == 1

    progress.add(record(0, success=True))

    assert progress.left == 0
    assert progress.parts(1.0)[0] == "2/2 done"


def test_a_hint_is_told_once_whichever_episodes_it_comes_from() -> None:
    progress = RunProgress.of(3, [], 3)
    progress.add(record(0, hints=("use json",)))
    assert progress.new_hints() == ["use json"]

    progress.add(record(1, hints=("use json", "it only streams")))

    assert progress.new_hints() == ["it only streams"]
    assert progress.new_hints() == []
