"""The options of an adapter's reset: layers, rows, and a snapshot that decides."""

import pytest

from companyos.integrations.connection import options_in, reset_of

DEFAULTS = {"scenario": "vendor_onboarding", "rewards": "progress", "tools": "scenario"}


def test_later_layers_override_earlier_ones() -> None:
    assert reset_of(DEFAULTS, {"seed": 7}, {"rewards": "seed"}) == {**DEFAULTS, "rewards": "seed", "seed": 7}


@pytest.mark.parametrize("row", [{}, {"snapshot": None}])
def test_without_a_snapshot_none_is_named(row: dict[str, None]) -> None:
    assert reset_of(DEFAULTS, row) == DEFAULTS


def test_a_snapshot_leaves_only_what_it_does_not_decide() -> None:
    named = {"snapshot": "s1", "seed": 7, "start": {"calls": 3}, "episode_id": "mine", "replace": True}
    kept = {"rewards": "progress", "tools": "scenario"}

    assert reset_of(DEFAULTS, named) == {"snapshot": "s1", "episode_id": "mine", "replace": True, **kept}
    assert reset_of({"snapshot": "s1"}, DEFAULTS) == {"snapshot": "s1", **kept}


def test_a_row_may_say_where_in_the_solution_its_episode_starts() -> None:
    row = {"seed": 7, "start": {"by": None, "calls": None, "calls_left": 3}, "prompt": "Work."}

    assert reset_of(DEFAULTS, options_in(row)) == {**DEFAULTS, "seed": 7, "start": row["start"]}


def test_a_later_layer_can_take_a_snapshot_back() -> None:
    assert reset_of(DEFAULTS, {"snapshot": "s1"}, {"snapshot": None}) == DEFAULTS
    assert reset_of({"snapshot": "s1"}, options_in({"snapshot": None, "seed": 1})) == {"snapshot": "s1"}


def test_a_row_of_the_task_list_chooses_its_scenario_and_seed() -> None:
    row = {
        "id": "a:7",
        "split": "train",
        "index": 7,
        "scenario": "a",
        "seed": 7,
        "group": "a",
        "difficulty": 9,
    }

    assert options_in(row) == {"scenario": "a", "seed": 7}
