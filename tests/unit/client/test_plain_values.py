"""Values of numeric libraries in actions and options."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from companyos.client import InvalidRequest
from companyos.client.model_output import action_of
from companyos.client.plain_values import is_missing, plain, plain_options


class Level(IntEnum):
    CALM = 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array(3), 3),
        (np.array([[1, 2]]), [[1, 2]]),
        (np.array(["a", None], dtype=object), ["a", None]),
        ((1, (np.int8(2),)), [1, [2]]),
        ({"a": {np.str_("b"): np.int64(1)}}, {"a": {"b": 1}}),
        (Level.CALM, 0),
        (Decimal("7"), 7),
        (Decimal("0.5"), 0.5),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (Decimal(10**19), 10**19),
        (datetime(2030, 3, 4, 9, tzinfo=UTC), "2030-03-04T09:00:00+00:00"),
        (np.datetime64("2026-01-01"), "2026-01-01"),
        (b'{"tool_name": "wait"}', '{"tool_name": "wait"}'),
        (SimpleNamespace(as_py=lambda: 7), 7),
        ("text", "text"),
    ],
)
def test_numbers_and_arrays_become_pythons_own(given: Any, expected: Any) -> None:
    found = plain(given)

    assert found == expected
    assert type(found) is type(expected)


ENDLESS: dict[str, Any] = {}
ENDLESS["a"] = [ENDLESS]


def test_an_action_that_holds_itself_is_an_invalid_action() -> None:
    assert action_of(plain({"tool_name": "wait", "arguments": ENDLESS}))["type"] == "invalid"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("a\ud800b", "seed: text with half a character cannot be sent as JSON"),
        ({"a": ["é", "\udfff"]}, "seed: text with half a character cannot be sent as JSON"),
        ({"\ud800": 1}, "seed: text with half a character cannot be sent as JSON"),
        (ENDLESS, "seed: a value that nests so deep cannot be sent as JSON"),
        (object(), "seed: a value of type object cannot be sent as JSON"),
        (b"\xff", "seed: text with half a character cannot be sent as JSON"),
        ({1, 2}, "seed: a value of type set cannot be sent as JSON"),
        (np.longdouble(1), "seed: a value of type numpy.longdouble cannot be sent as JSON"),
        (1j, "seed: a value of type complex cannot be sent as JSON"),
        (float("nan"), "seed: the number nan cannot be sent as JSON"),
        ({"a": [float("inf")]}, "seed: the number inf cannot be sent as JSON"),
        ({1: 2}, "seed: a name of type int cannot be sent as JSON"),
        ({("a", 1): 2}, "seed: a name of type tuple cannot be sent as JSON"),
        (Decimal("sNaN"), "seed: the number nan cannot be sent as JSON"),
        (Decimal("1e999999999"), "seed: the number inf cannot be sent as JSON"),
        (int, "seed: a value of type type cannot be sent as JSON"),
    ],
)
def test_an_option_that_has_no_json_form_is_refused_by_name_and_type(value: Any, told: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        plain_options({"chaos": 1, "seed": value})

    assert str(refused.value) == f"{told} (invalid_request)"


class NAType:
    """As pandas names the type of its missing value."""


@pytest.mark.parametrize("value", [None, "", float("nan"), NAType(), {"calls": None, "until": float("nan")}])
def test_values_of_tables_for_none_are_missing(value: Any) -> None:
    assert is_missing(value)


def test_a_missing_value_of_pandas_is_none_in_an_argument() -> None:
    assert plain({"assignee": NAType(), "tags": [NAType()]}) == {"assignee": None, "tags": [None]}


@pytest.mark.parametrize("value", [0, False, "0", {}, {"calls": 0, "until": None}, [None]])
def test_a_value_that_looks_empty_is_not_missing(value: Any) -> None:
    assert not is_missing(value)
