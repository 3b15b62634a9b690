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
