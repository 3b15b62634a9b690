"""The chain of hashes covers what happened, and nothing that differs from run to run."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.protocol.trace import NOT_HASHED, canonical, digest, first_hash, next_hash, seal, stored

RECORD: dict[str, Any] = {
    "action": {"type": "list_tools"},
    "observation": {"text": "…", "step": 1},
    "reward": -0.1,
    "done": False,
    "sim_now": 60,
    "events": [],
    "changes": [],
    "faults": [],
    "ledger": [],
    "outside": [],
    "violation": None,
    "return": 1.0,
    "success": None,
    "terminated": False,
    "truncated": False,
    "invalid": None,
    "in_force": {"level": 0, "name": "calm"},
    "took_ms": 3.2,
}
HEAD: dict[str, Any] = {
    "format": 2,
    "scenario": "errand",
    "version": 1,
    "seed": 7,
    "chaos": {"level": 0},
    "size": "default",
    "rewards": "seed",
    "reward_mode": "dense",
    "max_steps": 9,
    "observation": {"step": 0},
    "chaos_now": None,
    "faults": [],
    "not_offered": [],
    "origin": None,
}
START = [name for name in HEAD if name not in ("chaos_now", "faults", "not_offered", "origin")]


def test_canonical_json_has_one_spelling() -> None:
    assert canonical({"b": [1, 0.5, None], "a": "é"}) == '{"a":"é","b":[1,0.5,null]}'.encode()


def test_stored_record_keeps_the_order_of_its_keys() -> None:
    assert stored({"b": 1, "a": 2}) == b'{"b":1,"a":2}'


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9)))
def test_the_digest_does_not_know_the_order_of_keys(value: dict[str, int]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


@pytest.mark.parametrize("name", START)
def test_everything_an_episode_starts_from_is_in_the_first_hash(name: str) -> None:
    assert first_hash({**HEAD, name: "changed"}) != first_hash(HEAD)


@pytest.mark.parametrize("name", HEAD)
def test_everything_the_head_says_is_under_the_seal(name: str) -> None:
    assert seal({**HEAD, name: "changed"}, "9") != seal(HEAD, "9") != seal(HEAD, "8")


@pytest.mark.parametrize("name", sorted(RECORD.keys() - NOT_HASHED))
def test_every_part_of_a_step_is_in_its_hash(name: str) -> None:
    assert next_hash("0", {**RECORD, name: "changed"}) != next_hash("0", RECORD)


def test_a_hash_covers_the_one_before_and_no_wall_clock() -> None:
    assert next_hash("0", RECORD) != next_hash("1", RECORD)
    assert next_hash("0", {**RECORD, "took_ms": 99.9}) == next_hash("0", RECORD)
