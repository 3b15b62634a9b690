"""The resets that a trainer announces, read strictly: all of them, or none."""

from __future__ import annotations

from typing import Any, cast

import pytest

from orchestrator.episodes.facade import Episodes
from orchestrator.http.messages.answers import Invalid
from orchestrator.http.openenv.prefetch import LONGEST, upcoming_resets

#: Only tasks of a split need the scenarios.
NO_EPISODES = cast(Episodes, None)


def test_seeds_share_the_other_options_and_keep_their_order() -> None:
    body = {"scenario": "errand", "seeds": [9, 2, 9], "chaos": 3, "size": "small", "rewards": "sparse"}

    resets = upcoming_resets(NO_EPISODES, body)

    assert [reset.seed for reset in resets] == [9, 2, 9]
    assert {(reset.scenario, reset.chaos, reset.size) for reset in resets} == {("errand", 3, "small")}


def test_a_list_holds_resets_as_they_will_be_sent() -> None:
    resets = upcoming_resets(NO_EPISODES, [{"seed": 4, "episode_id": "e1", "color": "blue"}, {"chaos": None}])

    assert [(reset.seed, reset.chaos) for reset in resets] == [(4, 1), (0, 1)]


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        (None, []),
        ("seeds", []),
        ([], []),
        ([{}] * (LONGEST + 1), []),
        ({}, ["seeds"]),
        ({"seeds": None}, ["seeds"]),
        ({"seeds": 7}, ["seeds"]),
        ({"seeds": []}, ["seeds"]),
        ({"seeds": list(range(LONGEST + 1))}, ["seeds"]),
        ({"seeds": [1, -1]}, ["seeds", 1]),
        ({"seeds": [1, 2**63]}, ["seeds", 1]),
        ({"seeds": ["one"]}, ["seeds", 0]),
        ({"seeds": [1], "scenario": 3}, ["scenario"]),
        ({"seeds": [1], "size": 0}, ["size"]),
        ({"seeds": [1], "rewards": "generous"}, ["rewards"]),
        ({"seeds": [1], "snapshot": "snap-1"}, ["snapshot"]),
        ({"seeds": [1], "seed": 1}, ["seed"]),
        ([{}, 7], [1]),
        ([{}, {"seed": "seven"}], [1, "seed"]),
        ([{}, {"snapshot": "snap-1"}], [1, "snapshot"]),
    ],
)
def test_invalid_bodies_are_refused_with_the_location_of_the_flaw(body: Any, loc: list[Any]) -> None:
    with pytest.raises(Invalid) as caught:
        upcoming_resets(NO_EPISODES, body)

    assert list(caught.value.flaws[0]["loc"]) == loc


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"seeds": [1], "sceanrio": "errand"}, "There is no field 'sceanrio'; did you mean 'scenario'?"),
        ({"seed": 1}, "There is no field 'seed'; did you mean 'seeds'?"),
        ({"seeds": [1], "choas": 1}, "There is no field 'choas'; did you mean 'chaos'?"),
        ([{"seeds": [1]}], "There is no field 'seeds'; did you mean 'seed'?"),
    ],
)
def test_a_misspelling_is_told_what_was_meant(body: Any, said: str) -> None:
    with pytest.raises(Invalid) as caught:
        upcoming_resets(NO_EPISODES, body)

    assert caught.value.flaws[0]["type"] == "unknown_field"
    assert caught.value.flaws[0]["msg"] == said
