"""What is expected of an operation's next unit: the lookups of those before, under keys made of its arguments."""

from dataclasses import dataclass

from companyos.chassis.world.prefetching import MOST_BELIEVED, MOST_PATTERNS, Lookup, LookupPredictor


@dataclass
class Row:
    id: str


def played(predictor: LookupPredictor, *lookups: Lookup, **arguments: object) -> list[Lookup]:
    """Play a unit that makes these lookups and return those that were expected."""
    expected = predictor.expect("close", arguments)
    expected.learn(set(lookups))
    return expected.lookups


def test_predictor_expects_nothing_before_a_second_unit() -> None:
    predictor = LookupPredictor()

    assert played(predictor, Lookup(Row, ("TD-1",)), ticket="TD-1") == []
    assert played(predictor, Lookup(Row, ("TD-2",)), ticket="TD-2") == []


def test_a_lookup_is_expected_again_under_a_key_made_of_the_arguments() -> None:
    predictor = LookupPredictor()
    for ticket in ("TD-1", "TD-2"):
        played(predictor, Lookup(Row, (ticket,)), Lookup(Row, (f"history/{ticket}-H",)), ticket=ticket)

    expected = predictor.expect("close", {"ticket": "TD-77"}).lookups

    assert set(expected) == {Lookup(Row, ("TD-77",)), Lookup(Row, ("history/TD-77-H",))}
    assert predictor.expect("open", {"ticket": "TD-77"}).lookups == []


def test_a_list_is_expected_with_the_values_of_its_columns() -> None:
    predictor = LookupPredictor()
    for ticket in ("TD-1", "TD-2"):
        played(predictor, Lookup(Row, (ticket, None, "open"), ("about", "by", "status")), ticket=ticket)

    assert predictor.expect("close", {"ticket": "TD-9"}).lookups == [
        Lookup(Row, ("TD-9", None, "open"), ("about", "by", "status"))
    ]


def test_the_longest_argument_in_a_key_makes_it() -> None:
    predictor = LookupPredictor()
    for number in ("1", "2"):
        arguments = {"short": f"TD-{number}", "long": f"TD-{number}-H"}
        played(predictor, Lookup(Row, (f"TD-{number}-H7",)), **arguments)

    assert predictor.expect("close", {"short": "TD-5", "long": "TD-6-H"}).lookups == [
        Lookup(Row, ("TD-6-H7",))
    ]


def test_predictor_forgets_lookups_that_no_longer_happen() -> None:
    predictor = LookupPredictor()
    for _ in range(10):
        played(predictor, Lookup(Row, ("same",)))

    expected = [played(predictor) for _ in range(MOST_BELIEVED)]

    assert expected[0] == [Lookup(Row, ("same",))]
    assert expected[-1] == []


def test_keys_that_never_come_again_are_never_expected_and_do_not_pile_up() -> None:
    predictor = LookupPredictor()
    for number in range(10 * MOST_PATTERNS):
        assert played(predictor, Lookup(Row, (f"R-{number}",)), Lookup(Row, ("same",))) in (
            [],
            [Lookup(Row, ("same",))],
        )

    assert predictor.expect("close", {}).lookups == [Lookup(Row, ("same",))]


def test_arguments_that_are_no_texts_or_no_part_of_a_key_make_none() -> None:
    predictor = LookupPredictor()
    for _ in range(3):
        odd = {"count": 3, "short": "TD", "long": "x" * 1000, "unstorable": "TD-1\0"}
        played(predictor, Lookup(Row, ("TD-1",)), **odd)

    assert predictor.expect("close", {"short": "XX"}).lookups == [Lookup(Row, ("TD-1",))]


def test_a_lookup_whose_argument_is_missing_is_not_expected() -> None:
    predictor = LookupPredictor()
    for ticket in ("TD-1", "TD-2"):
        played(predictor, Lookup(Row, (ticket,)), ticket=ticket)

    assert predictor.expect("close", {}).lookups == []


def test_lists_by_other_values_than_texts_are_no_lookups() -> None:
    assert Lookup.listing(Row, {"at": 7}) is None
    assert Lookup.listing(Row, {"by": None}) == Lookup(Row, (None,), ("by",))
