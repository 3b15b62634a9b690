"""Where names lead: to the cell that they carry, or to the one that their hash chooses."""

from collections import Counter

from companyos.cells.names import cell_of, named_in

CELLS = ("cell-a", "cell-b", "cell-c")


def test_a_name_leads_to_the_cell_that_it_carries_and_no_other() -> None:
    made = {cell: named_in(cell, "ep-5f0c") for cell in CELLS}

    assert {cell: cell_of(name, CELLS) for cell, name in made.items()} == {cell: cell for cell in CELLS}
    assert named_in("", "ep-5f0c") == "ep-5f0c"
    assert cell_of("cell-z.ep-5f0c", CELLS) == cell_of("cell-z.ep-5f0c", reversed(CELLS))


def test_names_of_trainers_spread_evenly_and_only_those_of_a_lost_cell_move() -> None:
    names = [f"run-{number}" for number in range(3000)]
    before = {name: cell_of(name, CELLS) for name in names}

    after = {name: cell_of(name, CELLS[:2]) for name in names}

    assert all(900 < count < 1100 for count in Counter(before.values()).values())
    assert {before[name] for name in names if before[name] != after[name]} == {"cell-c"}
