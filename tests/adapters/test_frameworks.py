"""The oracle plays to success through each framework's own loop, on a running stack."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.command_line import run
from tests.sizes import size

from .conftest import Play
from .environments import ROOT
from .programs.harmless import NOTHING
from .programs.signatures import PUBLISHED

PAGES = ROOT / "docs" / "how-to"
#: How long a drill trains: half as long as the page says, and as it says in a whole proof.
STEPS = size(12, 0)
#: What programs printed that several tests look at.
_printed: dict[str, Any] = {}
_sampled: dict[str, Any] = {}


@pytest.fixture
def gymnasium(play: Play, url: str) -> Any:
    """What was played through Gymnasium, once for all tests of it."""
    if not _printed:
        _printed.update(play("gymnasium", "gymnasium_oracle.py", url))
    return _printed


def giving_up_is_never_best(earned: Mapping[str, float]) -> bool:
    """Return whether doing nothing earns 0, and no play without harm earns less."""
    return earned[NOTHING] == 0.0 == min(earned.values())


def test_gymnasium_plays_one_episode(gymnasium: Any) -> None:
    single = gymnasium["single"]

    assert single["success"] is True
    assert single["terminated"] is True
    assert single["total"] == pytest.approx(single["episode_return"])
    assert single["rendered"] is True


def test_gymnasium_draws_the_next_task_from_the_seed(gymnasium: Any) -> None:
    drawn = gymnasium["single"]["drawn"]

    assert drawn == [0, 1, 2, 0, 1]


def test_gymnasium_begins_at_a_snapshot_when_its_options_say_so(gymnasium: Any) -> None:
    assert gymnasium["single"]["continued"] == [0, 1, 1, 0]
    assert gymnasium["vector"]["continued"] == [1] * 4


def test_gymnasium_observes_any_text_and_nothing_else(gymnasium: Any) -> None:
    any_text, number, equal, actions, flattenable = gymnasium["space"]

    assert any_text
    assert equal
    assert not number
    assert not actions
    assert not flattenable


def test_a_vector_environment_restarts_what_is_done_with_a_new_task(gymnasium: Any) -> None:
    vector = gymnasium["vector"]

    assert len(vector["restarts"]) >= 4
    assert all(restart == [0.0, True] for restart in vector["restarts"])
    assert vector["kinds"] == ["object", "float64", "bool", "bool"]
    assert vector["again"] == [True, True, False, True]


def test_gymnasiums_own_vector_environment_observes_what_ours_does(gymnasium: Any) -> None:
    assert gymnasium["vector"]["gymnasiums_own"] is True


def test_restarts_follow_from_the_seed_of_each_environment_in_every_kind_of_vector(gymnasium: Any) -> None:
    ours, in_one_process, in_several = (
        gymnasium["vectors"][kind] for kind in ("vector_entry_point", "sync", "async")
    )

    assert ours["texts"] == in_one_process["texts"]
    assert in_several["texts"] == in_one_process["texts"]
    assert ours["same"] == in_one_process["same"] == in_several["same"]
    assert all(kind["kept"] for kind in (ours, in_one_process, in_several))
    assert len({text for texts in ours["texts"][::2] for text in texts}) == 6


def test_a_mask_resets_what_it_names_in_every_kind_of_vector(gymnasium: Any) -> None:
    ours = gymnasium["disabled"]["vector_entry_point"]

    assert ours[1:] == [True, [True, False]]
    assert all(seen == ours for seen in gymnasium["disabled"].values())


def test_seeds_of_numpy_are_those_of_python_and_others_are_refused_by_field_and_type(gymnasium: Any) -> None:
    wrong = gymnasium["seeds"]["wrong"]

    assert gymnasium["seeds"]["scalars"] == [True] * 4
    assert wrong["float"] == "seed: an integer is expected, not 1.5 of type float"
    assert wrong["many"] == "seed: 2 seeds for 1 environments"
    assert wrong["option"] == "chaos: a value of type object cannot be sent as JSON (invalid_request)"
    assert "reset_mask" in wrong["mask"]


@pytest.mark.parametrize("left", ["reset", "close", "vector", "vector_close"])
def test_an_episode_that_gymnasium_leaves_early_earns_what_a_failure_does(gymnasium: Any, left: str) -> None:
    assert giving_up_is_never_best(gymnasium["left"][left])


def test_skyrl_plays_calls_between_tags(play: Play, url: str) -> None:
    played = play("skyrl", "skyrl_oracle.py", url)

    assert played["success"] == 1.0
    assert played["sum"] == pytest.approx(played["episode_return"])
    assert played["roles"] == ["system", "user", "user"]
    assert played["continued"] == 1
    assert giving_up_is_never_best(played["left"])


def test_openenvs_harness_plays_sessions_and_takes_their_sum_as_reward(play: Play, url: str) -> None:
    played = play("openenv", "harness_oracle.py", url)

    sessions = played["sessions"]
    assert [session["episode_id"] for session in sessions] == [f"harness-{n}" for n in range(3)]
    for session in sessions:
        assert session["success"] is True
        assert session["done"] is True
        assert session["calls"] == session["steps"]
        assert session["late"] == "The task has ended."
    assert len({session["reward"] for session in sessions}) == 1
    assert giving_up_is_never_best(played["left"])


@pytest.mark.parametrize("via", ["tools", "mcp"])
def test_inspect_scores_what_its_tools_played(play: Play, url: str, tmp_path: Path, via: str) -> None:
    played = play("inspect", "inspect_oracle.py", url, tmp_path / "logs", via)

    scores = played["scores"]
    assert played["again"] == scores
    assert played["seeds"] == [[7], [7], [7, 9], [0, 1, 2, 9], [7, 9], [7, 9]]
    assert played["scenarios"] == [["a"], ["a", "b"], ["a", "b"], ["a", "b"], ["a", "b", "c"]]
    assert played["samples"] == ["bug_escalation-c1-s7", "expense_report-c1-s7"]
    assert [score["success"] for score in scores] == [1.0, 1.0]
    assert all(score["episode_return"] > 10 for score in scores)


def test_verifiers_evaluates_the_taskset_with_its_own_command(play: Play, url: str, tmp_path: Path) -> None:
    played = play("verifiers", "verifiers_oracle.py", url, tmp_path, "native")

    assert giving_up_is_never_best(played["left"])
    assert len(played["rollouts"]) == 2
    for rollout in played["rollouts"]:
        assert rollout["errors"] == []
        assert rollout["metrics"]["success"] == 1.0
        assert rollout["rewards"]["episode_return"]["score"] > 1


def test_verifiers_own_openenv_environment_plays_us_without_an_adapter(
    play: Play, url: str, tmp_path: Path
) -> None:
    (rollout,) = play("verifiers-openenv", "verifiers_oracle.py", url, tmp_path, "openenv")["rollouts"]

    assert rollout["errors"] == []
    assert rollout["rewards"]["openenv_reward"]["score"] > 10


def test_trl_trains_on_the_episodes_that_its_tool_loop_played(play: Play, url: str, tmp_path: Path) -> None:
    trained = play("trl", "trl_oracle.py", url, tmp_path)

    assert trained["success"] == [True] * 4
    assert trained["rewards"][0] == trained["rewards"][1]
    assert trained["log"]["tools/failure_frequency"] == 0
    assert trained["log"]["rewards/VendorOnboarding/mean"] == pytest.approx(sum(trained["rewards"]) / 4)


@pytest.mark.parametrize("releases", ["trl-pinned", "trl"])
def test_the_reward_of_the_page_of_trl_rises_on_a_drill(play: Play, releases: str, tmp_path: Path) -> None:
    (rewards,) = play(releases, "trl_drill.py", tmp_path, PAGES / "train-with-trl.md", STEPS, 0).values()

    quarter = len(rewards) // 4
    assert mean(rewards[-quarter:]) > mean(rewards[:quarter]) + 0.1


def test_trl_learns_from_the_data_set_of_the_page_and_from_one_of_calls(
    play: Play, url: str, tmp_path: Path
) -> None:
    page = PAGES / "make-a-dataset.md"
    (command,) = re.findall(
        r"^    \$ companyos (dataset .*)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )

    def write_data_set(*more: str) -> str:
        ran = run(*shlex.split(command), *more, "--url", url, folder=tmp_path)
        ran.check_returncode()
        return ran.stdout

    table = re.findall(
        r"^ {6}((?:train|validation|test) .*)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert table == re.findall(r"^ *((?:train|validation|test) .*?) *$", write_data_set(), re.MULTILINE)
    write_data_set("--rows", "calls", "--last", "2", "--out", "calls")
    trained = play("trl", "trl_dataset.py", page, "calls")

    rows = trained["rows"]
    assert {split: len(each) for split, each in rows.items()} == {"train": 18, "validation": 2, "test": 20}
    written = (tmp_path / "demonstrations" / "data" / "train.jsonl").read_text(encoding="utf-8")
    assert rows["train"] == [json.loads(line) for line in written.splitlines()]
    assert trained["calls"] == {split: sum(row["steps"] for row in each) for split, each in rows.items()}
    assert trained["features"] == [1, 1]
    assert all(0 < loss < 10 for loss in map(float, trained["losses"]))
    (said,) = trained["first"]["completion"]
    assert said["tool_calls"][0]["function"]["name"] in trained["learned"]
    assert trained["learned"].count("<tool_call>") == 1
    assert trained["tokens"] == len(json.dumps({"text": "123"}))


def test_unsloth_fine_tunes_on_the_rows_of_its_page(play: Play, url: str, tmp_path: Path) -> None:
    page = (PAGES / "train-with-unsloth.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    companyos (dataset .*)$", page, re.MULTILINE)
    run(*shlex.split(command), "--url", url, folder=tmp_path).check_returncode()

    trained = play("unsloth", "unsloth_sft.py", "demonstrations")

    assert trained["losses"][-1] < trained["losses"][0]
    assert trained["saved"] == ["adapter_config.json", "adapter_model.safetensors"]


def test_ray_plays_in_processes_of_its_own(play: Play, url: str) -> None:
    played = play("ray", "ray_oracle.py", url)

    assert played["remote"] == [True, True]


@pytest.fixture
def rllib(play: Play, url: str) -> Any:
    """What RLlib's env runner played, once for all tests of it."""
    if not _sampled:
        _sampled.update(play("ray-torch", "rllib_oracle.py", url))
    return _sampled


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_rllibs_env_runner_plays_episodes_of_text_to_success(rllib: Any, mode: str) -> None:
    episodes = rllib[mode]

    assert len(episodes) == 2
    assert len({len(episode["calls"]) for episode in episodes}) == 2
    for episode in episodes:
        assert episode["success"] is True
        assert episode["terminated"] is True
        assert episode["calls"][-1] == "finish"
        assert episode["return"] == pytest.approx(episode["episode_return"])


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_an_episode_that_rllib_leaves_early_earns_what_a_failure_does(rllib: Any, mode: str) -> None:
    assert giving_up_is_never_best(rllib["left"][mode])


def test_rllib_discards_an_episode_whose_environment_failed(rllib: Any) -> None:
    (episode,) = rllib["failing"]

    assert episode["success"] is True
    assert episode["return"] == pytest.approx(episode["episode_return"])


def test_rllib_trains_a_network_until_it_solves_a_task(play: Play, url: str) -> None:
    iterations = play("ray-torch", "rllib_training.py", url, PAGES / "use-ray.md")

    assert iterations[0]["success"] < 0.5
    assert iterations[-1]["success"] >= 0.75
    for iteration in iterations:
        assert iteration["num_episodes"] == len(iteration["episodes"])
        for episode in iteration["episodes"]:
            assert episode["return"] == pytest.approx(episode["episode_return"])


def test_a_run_on_ray_is_the_run_without_it(play: Play, url: str) -> None:
    assert play("ray", "ray_run.py", url) == {"episodes": 4, "equal": True}


def test_a_run_on_cells_of_a_cluster_outlasts_a_node(play: Play, url: str) -> None:
    played = play("ray", "ray_cells.py", url)

    assert played["equal"] is True
    assert played["episodes"] == 12
    assert played["cells"] == ["cell-0", "cell-1", "cell-2"]
    assert played["local"] == [True] * 4
    assert "Start fewer cells" in played["too_many"]


@pytest.mark.parametrize(
    ("extra", "page", "blocks"),
    [
        ("gymnasium", "use-gymnasium.md", ()),
        ("skyrl", "train-with-skyrl.md", ()),
        ("inspect", "evaluate-with-inspect.md", ()),
        ("openenv", "train-with-nemo-gym.md", ()),
        ("openenv", "train-with-trl.md", (1,)),
        ("verifiers", "evaluate-with-verifiers.md", ()),
        ("ray-torch", "use-ray.md", ()),
    ],
)
def test_the_code_of_a_page_runs_as_it_stands(
    play: Play, extra: str, page: str, blocks: tuple[int, ...]
) -> None:
    assert play(extra, "page.py", PAGES / page, *blocks) == "done"


def test_nemo_gyms_openenv_server_can_play_the_environment_of_its_page(play: Play, url: str) -> None:
    played = play("openenv", "nemo_oracle.py", url, PAGES / "train-with-nemo-gym.md")

    assert played["rewards_sum"] == pytest.approx(played["episode_return"])
    assert played["success"] is True
    assert played["row_tools"] == played["tools"]
    assert giving_up_is_never_best(played["left"])


@pytest.mark.parametrize("extra", sorted(PUBLISHED))
def test_framework_signatures_match_those_the_adapters_rely_on(play: Play, extra: str) -> None:
    assert play(extra, "signatures.py", extra) == PUBLISHED[extra]
