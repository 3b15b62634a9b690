"""`make learn` asks for trainings that can be made, and shows what they measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from companyos.training.config import CloningConfig, ReinforcementConfig, load_config
from examples import learn

REACHED = {"success": 0.5, "success_low": 0.3, "success_high": 0.7}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "FOLDER", tmp_path)


def recorded(training: learn.Training, *lines: dict[str, Any]) -> None:
    training.folder.mkdir()
    (training.folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_every_configuration_can_be_loaded_and_reinforcement_begins_where_another_ended() -> None:
    first, then = learn.trainings()
    folders = {one.folder for one in first}

    for one in [*first, *then]:
        file = one.write_config()
        if one.method == "rl":
            assert load_config(ReinforcementConfig, file).start in folders
        else:
            assert load_config(CloningConfig, file).out == one.folder


def test_a_training_that_reached_its_last_update_is_not_begun_again() -> None:
    [imitation, *_], _ = learn.trainings()
    recorded(imitation, {"update": learn.IMITATION["updates"], **REACHED})

    imitation.run("http://127.0.0.1:9")

    assert not imitation.folder.with_suffix(".toml").exists()


def test_the_table_and_the_picture_show_what_was_measured() -> None:
    _, others = learn.trainings()
    [forked] = [one for one in others if (one.title, one.seed) == ("fork", 1)]
    recorded(
        forked,
        {"update": 0, **REACHED, "success": 0.0},
        {"update": 1, "train_success": 0.2, "all_calls": 150, "all_asked": 40},
        {"update": 10, **REACHED, "all_calls": 1500, "all_asked": 400},
    )

    rows = list(learn.measured(others))

    assert [(row["seed"], row["update"], row.get("all_calls")) for row in rows] == [
        (1, 0, None),
        (1, 1, 150),
        (1, 10, 1500),
    ]
    assert learn.table(others).splitlines()[2:] == [
        "| fork | 1 | 1,500 | 400 |  |  |  | 50% (30%-70%) | 50% |"
    ]
    assert ">fork<" in learn.picture(rows)
