"""Names are found and masked as whole words, in any case, wherever a JSON value has texts."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from companyos.chassis import mask, mentioned
from companyos.chassis.world.mentions import MASK, masked


@dataclass
class Note:
    """A row with a text and a JSON column."""

    id: str = "N-1"
    text: str | None = None
    facts: Any = field(default_factory=dict)


COLUMNS = ("text", "facts")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada King called.", "[redacted] called."),
        ("ada king, ADA KING", "[redacted], [redacted]"),
        ("Ada Kingsley", "Ada Kingsley"),
        ("(K-48)", "([redacted])"),
        ("K-482", "K-482"),
        ("Ada King Junior", "[redacted]"),
        ("a.k+1@post.example", "[redacted]"),
        ("aXk+1@post.example", "aXk+1@post.example"),
    ],
)
def test_whole_names_are_masked_the_longest_first(text: str, expected: str) -> None:
    assert masked(text, ["Ada King", "Ada King Junior", "K-48", "a.k+1@post.example"]) == expected


def test_names_are_masked_deep_inside_and_keys_stay() -> None:
    value = {"Ada King": ["Ada King", {"age": 7, "of": "Ada King"}], "none": None}

    assert masked(value, ["Ada King"]) == {"Ada King": [MASK, {"age": 7, "of": MASK}], "none": None}


def test_a_row_tells_which_names_it_contains() -> None:
    note = Note(text="Same as K-48.", facts={"by": ["ada king"], "count": 3})

    assert mentioned(note, COLUMNS, ["Ada King", "K-4", "K-48"]) == ["Ada King", "K-48"]
    assert mentioned(Note(), COLUMNS, ["Ada King"]) == []


def test_a_row_without_any_name_is_left_alone() -> None:
    note, untouched = Note(text="Nothing."), Note(text="Nothing.")

    assert not mask(note, COLUMNS, ["Ada King"])
    assert not mask(note, COLUMNS, [])
    assert note == untouched
