"""Sets are graded item by item, and as a whole."""

import pytest

from companyos.sdk.grading.sets import ids_changed, ids_where
from companyos.sdk.scenario import CompanyState, ItemSet, View

ROWS = {"desk": {"boxes": [{"id": f"B-{number}", "state": "open"} for number in range(1, 7)]}}
PICKED = ItemSet("boxes_shut", frozenset({"B-1", "B-2", "B-3"}), ids_where("desk", "boxes", state="shut"))


def shut(*ids: str) -> View:
    state = CompanyState(ROWS)
    rows = [{"table": "boxes", "id": one, "row": {"id": one, "state": "shut"}} for one in ids]
    state.apply("desk", rows)
    return state.view()


def held(view: View) -> int:
    return sum(milestone.holds(view) for milestone in PICKED.milestones(6.0))


@pytest.mark.parametrize(
    ("ids", "milestones", "is_exact"),
    [
        ((), 0, False),
        (("B-1",), 1, False),
        (("B-1", "B-2", "B-3"), 3, True),
        (("B-1", "B-2", "B-3", "B-4"), 2, False),
        (("B-4",), 0, False),
        (("B-1", "B-2", "B-3", "B-4", "B-5", "B-6"), 0, False),
    ],
)
def test_every_right_pick_pays_and_every_wrong_one_takes_as_much(
    ids: tuple[str, ...], milestones: int, is_exact: bool
) -> None:
    view = shut(*ids)

    assert held(view) == milestones
    assert PICKED.must("The right boxes are shut.").holds(view) == is_exact


def test_the_milestones_share_what_the_set_is_worth() -> None:
    found = PICKED.milestones(6.0)

    assert [one.name for one in found] == ["boxes_shut_1", "boxes_shut_2", "boxes_shut_3"]
    assert [one.size for one in found] == [2.0, 2.0, 2.0]


def test_the_card_has_precision_and_recall_and_names_what_is_wrong() -> None:
    assert PICKED.card(shut("B-1", "B-2", "B-4", "B-5")) == {
        "name": "boxes_shut",
        "wanted": 3,
        "chosen": 4,
        "precision": 0.5,
        "recall": 2 / 3,
        "missed": ["B-3"],
        "wrong": ["B-4", "B-5"],
    }


def test_precision_and_recall_of_empty_sets_are_undefined() -> None:
    empty = ItemSet("none", frozenset(), PICKED.chosen)

    assert PICKED.card(shut())["precision"] is None
    assert empty.card(shut("B-1"))["recall"] is None
    assert empty.milestones(6.0) == ()
    assert empty.is_exact()(shut())


def test_changed_objects_can_be_picked_by_a_condition() -> None:
    chosen = ids_changed("desk", "boxes", lambda row: row["state"] == "shut")

    assert list(chosen(shut("B-2", "B-5"))) == ["B-2", "B-5"]
    assert list(chosen(CompanyState(ROWS).view())) == []
