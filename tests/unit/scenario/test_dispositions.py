"""Dispositions: each object of a pile has its own right end, and the rows show which it came to."""

import pytest

from companyos.sdk.grading.sets import Dispositions
from companyos.sdk.scenario import CompanyState, View

BOXES = ("B-1", "B-2", "B-3")
PILE = Dispositions(
    ("desk", "boxes"),
    BOXES,
    {"B-1": "keep", "B-2": "send:north", "B-3": "send:south"},
    lambda row: row["end"],
)
UNTOUCHABLE = Dispositions(PILE.table, BOXES, {}, PILE.read)


def ended(**ends: str | None) -> View:
    """Return a desk on which boxes, named without their dash, came to these ends."""
    state = CompanyState({"desk": {"boxes": [{"id": one, "end": None} for one in (*BOXES, "B-9")]}})
    rows = [{"id": f"B-{name[1:]}", "end": end} for name, end in ends.items()]
    state.apply("desk", [{"table": "boxes", "id": row["id"], "row": row} for row in rows])
    return state.view()


def test_only_objects_of_the_pile_that_came_to_an_end_count() -> None:
    view = ended(B1="keep", B2=None, B9="keep")

    assert PILE.by_object(view) == {"B-1": "keep"}
    assert PILE.items.card(view)["missed"] == ["B-2=send:north", "B-3=send:south"]
    assert [one.holds(view) for one in PILE.items.milestones(3.0)] == [True, False, False]
    assert not PILE.has_any()(ended(B9="keep"))


@pytest.mark.parametrize(
    ("end", "is_right", "wrong_kinds"),
    [("send:north", True, []), ("send:south", False, ["send"]), ("keep", False, ["keep"]), (None, False, [])],
)
def test_another_end_than_the_right_one_is_wrong_by_its_kind(
    end: str | None, *, is_right: bool, wrong_kinds: list[str]
) -> None:
    view = ended(B2=end)

    assert PILE.is_right("B-2")(view) == is_right
    assert not PILE.is_right("B-2", lambda row: row["id"] == "B-1")(view)
    assert [kind for kind in ("keep", "send") if PILE.has_wrong(kind)(view)] == wrong_kinds


def test_any_end_counts_among_the_objects_that_are_asked_about() -> None:
    view = ended(B2="keep")

    assert PILE.has_any()(view)
    assert PILE.has_any(["B-2"])(view)
    assert not PILE.has_any(["B-1", "B-9"])(view)


def test_every_end_is_wrong_where_nothing_may_be_touched() -> None:
    view = ended(B1="keep")

    assert UNTOUCHABLE.has_wrong("keep")(view)
    assert UNTOUCHABLE.items.milestones(3.0) == ()
