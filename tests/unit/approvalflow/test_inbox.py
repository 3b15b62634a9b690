"""Whose requests reach an inbox, and what a decision makes of them."""

from hypothesis import given
from hypothesis import strategies as st

from services.approvalflow.chains import Colleague
from services.approvalflow.inbox.domain import principals

NOW = 1000
NAMES = ("ana", "ben", "cleo", "dan", "eve")


def absent(person: str, delegate: str | None, *, until: int | None = None) -> Colleague:
    return Colleague(person, "head", away=True, away_until=until, delegate=delegate)


colleagues = st.lists(
    st.builds(
        Colleague,
        id=st.sampled_from(NAMES),
        role=st.just("head"),
        away=st.booleans(),
        away_until=st.sampled_from([None, NOW - 1, NOW, NOW + 1]),
        delegate=st.sampled_from([None, *NAMES]),
    ),
    unique_by=lambda one: one.id,
)


def test_an_absence_ends_at_its_last_instant() -> None:
    assert principals("ana", [absent("ben", "ana", until=NOW)], NOW) == ["ana"]
    assert principals("ana", [absent("ben", "ana", until=NOW + 1)], NOW) == ["ana", "ben"]


def test_a_circle_of_delegates_ends() -> None:
    people = [absent("ben", "ana"), absent("ana", "ben"), absent("cleo", "cleo")]

    assert principals("ana", people, NOW) == ["ana", "ben"]


@given(colleagues)
def test_the_order_of_the_directory_does_not_matter(people: list[Colleague]) -> None:
    turned = people[::-1]

    assert principals("ana", people, NOW) == principals("ana", turned, NOW)


@given(colleagues)
def test_everybody_behind_an_inbox_is_absent_and_delegates_into_it(people: list[Colleague]) -> None:
    found = principals("ana", people, NOW)

    known = {one.id: one for one in people}
    assert found == sorted(set(found))
    for person in set(found) - {"ana"}:
        assert known[person].is_away(NOW)
        assert known[person].delegate in found


@given(colleagues)
def test_absent_people_who_delegate_into_an_inbox_are_its_principals(people: list[Colleague]) -> None:
    found = principals("ana", people, NOW)

    assert {one.id for one in people if one.is_away(NOW) and one.delegate in found} <= set(found)
