"""What an action may contain, what its arguments mean, and which rows a step is said to have left."""

from itertools import permutations
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.protocol.agent_tokens import agent_digest, is_agent_token, new_agent_token
from orchestrator.protocol.effects import (
    Change,
    Group,
    RowKey,
    Unit,
    UnitOutcome,
    contested,
    merged,
    settled_changes,
)
from orchestrator.protocol.strict_json import MAX_DEPTH, MAX_VALUES, ActionRefused, ActionTooLarge, check_json
from orchestrator.protocol.trace import canonical, first_hash, next_hash, seal

LAW = settings(max_examples=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "value",
    [nested(MAX_DEPTH), [0] * (MAX_VALUES - 1), -(2**63), 2**63 - 1, 1e308, "\0", "ü", {"": None}],
    ids=lambda value: str(value)[:20],
)
def test_values_that_every_database_and_client_can_hold_are_accepted(value: Any) -> None:
    check_json(value)

    assert orjson.loads(canonical(value)) == value


@pytest.mark.parametrize(
    ("value", "field", "is_too_large"),
    [
        (nested(MAX_DEPTH + 1), ".".join("a" * (MAX_DEPTH + 1)), False),
        pytest.param(nested(200_000), None, False, id="very deep"),
        ({"a": [0] * MAX_VALUES}, None, True),
        ({"n": 2**63}, "n", True),
        ({"n": 2**64 - 1}, "n", True),
        ({"n": 2**64}, "n", False),
        ({"n": -(2**63) - 1}, "n", False),
        ({"a": [1, {"b": float("nan")}]}, "a.1.b", False),
        ([float("inf")], "0", False),
        ({"t": "\ud800"}, "t", False),
        ({"k": {"\udfff": 1}}, "k", False),
        ({"s": {1, 2}}, "s", False),
        ({"b": b"x"}, "b", False),
    ],
    ids=lambda value: str(value)[:20],
)
def test_anything_else_is_refused_where_it_is(value: Any, field: str | None, is_too_large: bool) -> None:
    with pytest.raises(ActionRefused) as refused:
        check_json(value)

    assert isinstance(refused.value, ActionTooLarge) is is_too_large
    if field is not None:
        assert refused.value.field == field


@LAW
@given(JSON)
def test_accepted_values_round_trip_through_canonical_text(value: Any) -> None:
    check_json(value)

    assert orjson.loads(canonical(value)) == value


KEY = RowKey("desk", "tickets", "T1")


def unit(cause: str, row: Any, *events: str) -> Unit:
    return Unit("desk", cause, UnitOutcome({("tickets", "T1"): row}, tuple((each, "e") for each in events)))


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_the_last_of_a_chain_of_causes_wrote_the_row_in_whatever_order_units_are_reported(
    order: tuple[int, ...],
) -> None:
    chain = [
        unit("s1", {"v": 1}, "s1.a"),
        unit("s1.a", {"v": 2}, "s1.a.b", "s1.a.c"),
        unit("s1.a.b", {"v": 3}, "s1.a.b.d"),
        unit("s1.a.b.d", None),
    ]
    group = Group(tuple(chain[place] for place in order), by_agent=True)

    assert contested(group) == []
    assert settled_changes(group, {}) == [Change(KEY, None, ("s1", "s1.a", "s1.a.b", "s1.a.b.d"))]


@pytest.mark.parametrize(
    ("rows", "is_contested"),
    [
        (({"v": 1}, {"v": 1}), False),
        (({"v": 1}, {"v": 2}), True),
        ((None, None), False),
        ((None, {"v": 1}), True),
    ],
    ids=str,
)
def test_siblings_are_contested_where_they_left_different_rows(
    rows: tuple[Any, Any], is_contested: bool
) -> None:
    call = Unit("desk", "s1", UnitOutcome({}, (("s1.a", "e"), ("s1.b", "e"))))
    group = Group((call, unit("s1.a", rows[0]), unit("s1.b", rows[1])), by_agent=True)

    changes = settled_changes(group, {KEY: {"v": 9}})

    assert contested(group) == ([KEY] if is_contested else [])
    assert changes[0].row == ({"v": 9} if is_contested else rows[0])


@LAW
@given(
    st.lists(
        st.lists(
            st.builds(
                Change,
                st.builds(RowKey, st.just("desk"), st.sampled_from("ab"), st.sampled_from("12")),
                st.none() | st.fixed_dictionaries({"v": st.integers(0, 9)}),
                st.tuples(st.sampled_from(["s1", "s2"])),
            ),
            max_size=4,
        ),
        max_size=4,
    )
)
def test_merging_in_two_halves_is_merging_at_once(groups: list[list[Change]]) -> None:
    half = len(groups) // 2

    whole = merged(groups)

    assert merged([merged(groups[:half]), merged(groups[half:])]) == whole
    assert [change.row_key for change in whole] == sorted({each.row_key for one in groups for each in one})


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ([], (False, None)),
        ([(False, None)], (False, None)),
        ([(True, None)], (True, None)),
        ([(True, 9), (True, 5), (True, None)], (True, 5)),
        ([(False, 1), (True, 9)], (True, 9)),
    ],
    ids=str,
)
def test_the_next_due_instant_is_the_earliest_that_the_service_reported(
    outcomes: list[tuple[bool, int | None]], told: tuple[bool, int | None]
) -> None:
    units = [Unit("desk", "s1", UnitOutcome(reports_due=reports, next_due=due)) for reports, due in outcomes]
    other = Unit("hub", "s1", UnitOutcome(reports_due=True, next_due=0))

    assert Group((other, *units), by_agent=False).next_due("desk") == told


@pytest.mark.parametrize(
    ("token", "has_the_form"),
    [
        (new_agent_token(), True),
        (new_agent_token("cell-a"), True),
        (new_agent_token()[:-1], False),
        (new_agent_token() + "x", False),
        ("x" + new_agent_token()[1:], False),
        ("cosagent_" + "ü" * 43, False),
        ("", False),
    ],
    ids=["whole", "of a cell", "short", "long", "other prefix", "not ascii", "empty"],
)
def test_a_token_is_known_by_its_form(token: str, has_the_form: bool) -> None:
    assert is_agent_token(token) is has_the_form


def test_a_token_is_stored_as_a_digest_even_where_it_is_no_text() -> None:
    first, second = new_agent_token(), new_agent_token()

    assert first != second
    assert agent_digest(first) == agent_digest(first) != agent_digest(second)
    assert first not in agent_digest(first)
    assert len(agent_digest("\udcff")) == 64


@LAW
@given(st.dictionaries(st.sampled_from(["step", "reward", "took_ms", "hash", "previous"]), st.integers(0, 3)))
def test_real_time_and_hashes_are_in_no_hash(record: dict[str, Any]) -> None:
    timed = {**record, "took_ms": 99, "hash": 99, "previous": 99}

    assert next_hash("0", timed) == next_hash("0", record)


def test_late_fields_are_sealed_but_not_in_the_first_hash() -> None:
    head = {"scenario": "errand", "seed": 1}
    later = {**head, "faults": [1], "origin": None, "chaos_now": {}, "not_offered": []}

    assert first_hash(later) == first_hash(head) != first_hash({**head, "seed": 2})
    assert seal(later, "0") != seal(head, "0") != seal(head, "1")
    assert seal({**head, "seal": "x"}, "0") == seal(head, "0")
