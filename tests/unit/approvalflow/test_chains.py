"""Who stands in, along a chain of delegates: as long as it may be, and wherever it breaks."""

from collections.abc import Collection

import pytest

from services.approvalflow.chains import Colleague, may_decide

TYPES = ("vendor_approval",)


def away(person_id: str, delegate: str | None, limit: float | None = None, role: str = "clerk") -> Colleague:
    return Colleague(person_id, role, True, 100, delegate, TYPES, limit)


def here(person_id: str, role: str = "clerk", delegate: str | None = None) -> Colleague:
    return Colleague(person_id, role, delegate=delegate, delegate_types=TYPES)


def on_duty(*people: Colleague, amount: float | None = None, barred: Collection[str] = ()) -> list[str]:
    known = {person.id: person for person in people}
    return may_decide(known, role="cfo", type_id="vendor_approval", amount=amount, now=0, barred=barred)


@pytest.mark.parametrize(("amount", "deciders"), [(50, ["omar"]), (51, []), (None, ["omar"])])
def test_every_delegation_on_the_way_has_to_cover_the_amount(
    amount: float | None, deciders: list[str]
) -> None:
    chain = [away("sarah", "david", 100, role="cfo"), away("david", "mia", 50), away("mia", "omar", 70)]

    assert on_duty(*chain, here("omar"), amount=amount) == deciders


def test_every_delegation_on_the_way_has_to_name_the_type() -> None:
    david = Colleague("david", "clerk", True, 100, "mia", ("expense_approval",))

    assert on_duty(away("sarah", "david", role="cfo"), david, here("mia")) == []


def test_somebody_who_stands_in_for_themselves_is_a_circle_too() -> None:
    assert on_duty(away("sarah", "sarah", role="cfo")) == []
