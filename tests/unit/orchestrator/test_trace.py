"""The chain of hashes covers what happened, and nothing that differs from run to run."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.trace import HASHED, canonical, digest, first_hash, next_hash

RECORD: dict[str, Any] = {
    "action": {"type": "list_tools"},
    "observation": {"text": "…", "step": 1},
    "reward": -0.1,
    "done": False,
    "sim_now": 60,
    "events": [],
    "changes": [],
    "faults": [],
    "took_ms": 3.2,
}


def start(**other: Any) -> str:
    values = {"scenario": "errand", "version": 1, "seed": 7, "chaos_digest": "ab", "observation": {"step": 0}}
    return first_hash(**{**values, **other})


def test_canonical_json_has_one_spelling() -> None:
    assert canonical({"b": [1, 0.5, None], "a": "é"}) == '{"a":"é","b":[1,0.5,null]}'.encode()


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9)))
def test_the_digest_does_not_know_the_order_of_keys(value: dict[str, int]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


@pytest.mark.parametrize(
    "other",
    [
        {"scenario": "x"},
        {"version": 2},
        {"seed": 8},
        {"chaos_digest": "cd"},
        {"observation": {"step": 1}},
    ],
)
def test_every_coordinate_of_the_start_is_in_the_first_hash(other: dict[str, Any]) -> None:
    assert start() == start()
    assert start(**other) != start()


@pytest.mark.parametrize("name", HASHED)
def test_every_part_of_a_step_is_in_its_hash(name: str) -> None:
    assert next_hash("0", {**RECORD, name: "changed"}) != next_hash("0", RECORD)


def test_a_hash_covers_the_one_before_and_no_wall_clock() -> None:
    assert next_hash("0", RECORD) != next_hash("1", RECORD)
    assert next_hash("0", {**RECORD, "took_ms": 99.9}) == next_hash("0", RECORD)
