"""Trainings of ours go on where they were killed, in environments that have PyTorch."""

import json

from .conftest import Play


def test_a_training_that_was_killed_goes_on_to_the_same_curve(play: Play, url: str) -> None:
    trained = play("trl-pinned", "train_resume.py", url, "cloned")
    undisturbed, disturbed = trained["curves"]["cloned"]

    assert trained["exit_codes"] == [-9]
    assert disturbed == undisturbed
    assert undisturbed.count("\n") == 6
    assert {*trained["endings"]["cloned"]} <= {"budget", "finished", "refused"}


def test_every_training_that_was_killed_goes_on_to_the_same_curve_and_shows_it(play: Play, url: str) -> None:
    trained = play("train", "train_resume.py", url, "cloned", "reinforced", "labelled")
    curves, shown = trained["curves"], trained["shown"]["cloned"]

    assert trained["exit_codes"] == [-9, -9, -9]
    assert all(disturbed == undisturbed for undisturbed, disturbed in curves.values())
    assert [curve.count("\n") for curve, _ in curves.values()] == [6, 4, 4]
    assert json.loads(curves["labelled"][0].splitlines()[-1])["all_asked"] > 0
    assert shown[0] == shown[1]
    assert [update for update, _ in shown[0]] == [1, 2, 3, 4, 5, 6]


def test_the_script_for_a_gpu_trains_a_tiny_model_and_goes_on_where_it_was_killed(
    play: Play, url: str
) -> None:
    trained = play("language", "device_learning.py", url)

    assert trained == {"killed": -9, "sft": [1, 2, 3, 4], "rl": [0, 1], "kept": 2}
