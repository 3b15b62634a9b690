"""Bodies read strictly."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.http.messages.answers import Invalid, NotJson
from orchestrator.http.messages.body import MAX_DEPTH, as_object, parse

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec="ascii", min_codepoint=32)), inner)
    ),
    max_leaves=20,
)


def nested(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"[]" + b"}" * (levels - 1)


@given(json_values)
def test_json_is_read_as_written(value: Any) -> None:
    assert parse(orjson.dumps(value)) == value


def test_a_byte_order_mark_before_the_value_is_passed_over() -> None:
    assert parse(b'\xef\xbb\xbf{"seconds": 60}') == {"seconds": 60}


@given(st.binary())
def test_arbitrary_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        value = parse(raw)
    except Invalid:
        return
    assert parse(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"NaN", b"-Infinity", b"1e400", b"9" * 5000, b'"\xff"', b'"\\ud800"', b"[" * 10**5, b"{}{}"],
)
def test_malformed_json_is_refused_with_a_decode_error(raw: bytes) -> None:
    with pytest.raises(NotJson, match="JSON decode error"):
        parse(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"seed": 1, "seed": 2}',
        b'{"seed": 1, "seed": 1}',
        b'[{"a": {"s": 1, "t": 1, "\\u0073": 2}}]',
        b'{"":0,"":0}',
    ],
)
def test_a_key_twice_in_one_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Invalid, match=r"key '.*' twice") as refused:
        parse(raw)

    assert refused.value.flaws[0]["type"] == "key_repeated"


def test_a_key_in_several_objects_and_colons_in_texts_have_one_reading() -> None:
    assert parse(b'[{"a": {"a": "a: 1, a: 2"}}, {"a": 1}]') == [{"a": {"a": "a: 1, a: 2"}}, {"a": 1}]


def test_the_deepest_value_is_read_and_a_deeper_one_refused() -> None:
    assert parse(nested(MAX_DEPTH))

    with pytest.raises(Invalid, match="deeper than 32"):
        parse(nested(MAX_DEPTH + 1))


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert len(parse(b"[" + b",".join([b"[]"] * 1000) + b"]")) == 1000


def test_brackets_in_texts_are_not_deep() -> None:
    assert parse(orjson.dumps("[" * 1000)) == "[" * 1000


@pytest.mark.parametrize("raw", [b'"\\u0000"', b'{"\\u0000": 1}', b'[{"a": ["x\\u0000y"]}]'])
def test_nul_is_refused_wherever_it_hides(raw: bytes) -> None:
    with pytest.raises(Invalid, match="U\\+0000"):
        parse(raw)


def test_a_text_about_nul_is_none() -> None:
    assert parse(b'"\\\\u0000"') == "\\u0000"


@pytest.mark.parametrize("value", [None, 1, "x", [], True])
def test_only_objects_are_objects(value: object) -> None:
    with pytest.raises(Invalid, match="object"):
        as_object(value)
