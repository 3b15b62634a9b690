"""Whom the oracle asks: the holder of the role, somebody along the delegates, or another holder, and when."""

from typing import Any

import pytest

from companyos.approval_task import Employee
from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso

from .answering import Played, person, played, policy, start
from .made import START


def asked(
    holder: Any, *people: Any, involved: tuple[str, ...] = (), value: float = 5.0, **terms: Any
) -> Played:
    """Return how the oracle finds the approver in a directory of these people."""
    directory = {one["id"]: one for one in people}
    play = Employee(start()).decider(policy(**terms), value, involved)
    answers = {
        "datahub_get_approver": lambda role: holder,
        "datahub_get_person": lambda person_id: directory[person_id],
    }
    return played(play, answers)


def deputy(person_id: str, *, here: bool = True, **columns: Any) -> dict[str, Any]:
    """Return a delegate as the holder's entry shows them, with the delegation's terms."""
    return {
        "id": person_id,
        "available": here,
        "away_until": None if here else to_iso(START + DAY),
        "delegate_types": ["buying"],
        "delegate_limit": None,
        **columns,
    }


@pytest.mark.parametrize(
    ("value", "role"),
    [(99.0, "clerk"), (99.99, "clerk"), (100.0, "chief"), (999.0, "chief"), (1000.0, "board")],
)
def test_the_role_is_that_of_the_first_band_above_the_value(value: float, role: str) -> None:
    bands = [
        {"role": "clerk", "below": 100},
        {"role": "chief", "below": 1000},
        {"role": "board", "below": None},
    ]

    done = asked(person("ann"), value=value, routes=bands)

    assert done.arguments("datahub_get_approver") == [{"role": role}]


def test_a_holder_who_is_here_is_asked_at_once() -> None:
    done = asked(person("ann", delegate=deputy("ben")))

    assert (done.value, done.tools) == ("ann", ["datahub_get_approver"])


@pytest.mark.parametrize(
    ("terms", "value"),
    [
        ({}, "ben"),
        ({"delegate_types": ["selling"]}, "ann"),
        ({"delegate_limit": 5.0}, "ben"),
        ({"delegate_limit": 4.99}, "ann"),
    ],
    ids=["covered", "another type", "up to the limit", "above the limit"],
)
def test_a_delegate_is_asked_for_as_much_as_the_delegation_covers(terms: dict[str, Any], value: str) -> None:
    holder = person("ann", away_s=DAY, delegate=deputy("ben", **terms))

    done = asked(holder, routes=[{"role": "clerk", "below": 100}, {"role": "cfo", "below": None}])

    assert done.value == value
    assert ("wait" in done.tools) == (value == "ann")


def test_a_limit_does_not_matter_where_amounts_do_not() -> None:
    assert asked(person("ann", away_s=DAY, delegate=deputy("ben", delegate_limit=1.0))).value == "ben"


def test_a_chain_is_followed_until_somebody_is_here() -> None:
    holder = person("ann", away_s=DAY, delegate=deputy("ben", here=False))

    done = asked(holder, person("ben", away_s=DAY, delegate="cat"), person("cat", delegate="ben"))

    assert done.value == "cat"
    assert [one["person_id"] for one in done.arguments("datahub_get_person")] == ["ben", "cat"]


def test_a_chain_that_leads_back_is_left_for_another_holder() -> None:
    holder = person("ann", away_s=DAY, delegate=deputy("ben", here=False), others=["yan", "zoe"])

    done = asked(holder, person("ben", away_s=DAY, delegate="ann"), person("yan", away_s=DAY), person("zoe"))

    assert done.value == "zoe"


def test_a_chain_that_breaks_is_waited_for() -> None:
    holder = person("ann", away_s=9 * HOUR, delegate=deputy("ben", here=False))
    broken = person("ben", away_s=5 * HOUR, delegate="cat", types=("selling",))

    done = asked(holder, broken)

    assert done.value == "ben"
    assert done.arguments("wait") == [{"until": to_iso(START + 5 * HOUR)}]


@pytest.mark.parametrize(
    ("away_s", "value", "waits"),
    [(2 * HOUR + MINUTE, "ann", True), (2 * HOUR + MINUTE + 1, "ben", False), (30 * MINUTE, "ann", True)],
    ids=["as the decision falls", "a second later", "soon"],
)
def test_a_delegate_is_not_asked_if_the_holder_is_back_before_the_decision(
    away_s: int, value: str, waits: bool
) -> None:
    done = asked(person("ann", away_s=away_s, delegate=deputy("ben")))

    assert done.value == value
    assert ("wait" in done.tools) is waits


@pytest.mark.parametrize(
    ("sod", "involved", "value"),
    [
        (True, (), "ann"),
        (True, ("ann",), "ben"),
        (False, ("ann",), "ann"),
        (True, ("ben",), "ann"),
    ],
    ids=["nobody involved", "the holder is", "it does not matter", "the delegate is"],
)
def test_somebody_involved_is_passed_over_where_duties_are_separated(
    sod: bool, involved: tuple[str, ...], value: str
) -> None:
    assert asked(person("ann", delegate=deputy("ben")), involved=involved, sod=sod).value == value


def test_the_agent_itself_never_decides_where_duties_are_separated() -> None:
    assert asked(person("ada.moss", delegate=deputy("ben")), sod=True).value == "ben"


def test_a_barred_delegate_hands_on_in_turn() -> None:
    done = asked(
        person("ann", away_s=9 * DAY, delegate=deputy("ben")),
        person("ben", delegate="cat"),
        person("cat"),
        involved=("ben",),
        sod=True,
    )

    assert done.value == "cat"


def test_where_nobody_will_ever_decide_the_agent_gives_up() -> None:
    with pytest.raises(LookupError, match="nobody will ever decide"):
        asked(person("ann"), involved=("ann",), sod=True)


def test_a_chain_is_looked_up_once_and_again_without_an_objector() -> None:
    me, looked_up = Employee(start()), list[str]()

    def holder(role: str) -> Any:
        looked_up.append(role)
        return person("ann", delegate=deputy("ben"))

    first = played(me.decider(policy(), 5.0), {"datahub_get_approver": holder})
    again = played(me.decider(policy(), 5.0), {"datahub_get_approver": holder})
    me.spare("ann")
    second = played(me.decider(policy(), 5.0), {"datahub_get_approver": holder})

    assert (first.value, again.value, second.value) == ("ann", "ann", "ben")
    assert looked_up == ["cfo", "cfo"]
