"""Who stands in, along a chain of delegates: as long as it may be, and wherever it breaks."""

from collections.abc import Collection

import pytest

from services.approvalflow.chains import Colleague, barred_from, may_decide
from services.approvalflow.domain import Policy

TYPES = ("vendor_approval",)


def away(person_id: str, delegate: str | None, limit: float | None = None, role: str = "clerk") -> Colleague:
    return Colleague(person_id, role, True, 100, delegate, TYPES, limit)


def here(person_id: str, role: str = "clerk", delegate: str | None = None) -> Colleague:
    return Colleague(person_id, role, delegate=delegate, delegate_types=TYPES)


def on_duty(*people: Colleague, amount: float | None = None, barred: Collection[str] = ()) -> list[str]:
    known = {person.id: person for person in people}
    return may_decide(known, role="cfo", type_id="vendor_approval", amount=amount, now=0, barred=barred)


def test_the_first_of_a_chain_who_is_here_decides() -> None:
    chain = [away("sarah", "david", role="cfo"), away("david", "mia"), away("mia", "omar"), here("omar")]

    assert on_duty(*chain) == ["omar"]
    assert on_duty(*chain[:2], here("mia", delegate="omar"), here("omar")) == ["mia"]


@pytest.mark.parametrize(("amount", "deciders"), [(50, ["omar"]), (51, []), (None, ["omar"])])
def test_every_delegation_on_the_way_has_to_cover_the_amount(
    amount: float | None, deciders: list[str]
) -> None:
    chain = [away("sarah", "david", 100, role="cfo"), away("david", "mia", 50), away("mia", "omar", 70)]

    assert on_duty(*chain, here("omar"), amount=amount) == deciders


def test_every_delegation_on_the_way_has_to_name_the_type() -> None:
    david = Colleague("david", "clerk", True, 100, "mia", ("expense_approval",))

    assert on_duty(away("sarah", "david", role="cfo"), david, here("mia")) == []


def test_a_chain_that_comes_back_to_somebody_leads_to_nobody_and_another_holder_decides() -> None:
    circle = [away("sarah", "david", role="cfo"), away("david", "mia"), away("mia", "david")]

    assert on_duty(*circle) == []
    assert on_duty(*circle, here("zoe", role="cfo")) == ["zoe"]


def test_somebody_who_stands_in_for_themselves_is_a_circle_too() -> None:
    assert on_duty(away("sarah", "sarah", role="cfo")) == []


def test_barred_people_count_as_away() -> None:
    chain = [here("sarah", role="cfo", delegate="david"), here("david", delegate="mia"), here("mia")]

    assert on_duty(*chain, barred=["sarah"]) == ["david"]
    assert on_duty(*chain, barred=["sarah", "david"]) == ["mia"]
    assert on_duty(*chain, barred=["sarah", "david", "mia"]) == []


def test_requester_reporter_and_verifier_are_barred_where_duties_are_separated() -> None:
    policy = Policy("vendor_approval")

    assert barred_from(policy, requester="ann", involved=["rob", None]) == {"ann", "rob"}
    assert barred_from(Policy("vendor_approval", sod=False), requester="ann", involved=["rob"]) == set()
