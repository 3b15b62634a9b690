"""What a buyer looks up: everything that has to be fresh, and of the remedies only what each one requires."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.simtime import HOUR, MINUTE, to_iso
from scenarios.joint_purchase import agents
from scenarios.joint_purchase.terms import (
    DECLINED,
    NEXT_QUARTER,
    PLAIN,
    RESERVE,
    SMALLER,
    Account,
    Ending,
    Needs,
)
from tests.scenarios.scripted import Conversation, in_turn

from .replies import LATER, ONE, OTHER, RULES, START, office, person, shown, work

LOOKUPS = {"datahub_list_messages", "datahub_get_budget", "datahub_list_budgets"}


def settled(talk: Conversation, *, ways: tuple[str, ...] = RULES.ways, **found: Any) -> Ending:
    """Return the ending that a buyer finds for budgets of which only some is left."""
    known = work(talk.asker(), replace(RULES, ways=ways), **found)
    return talk.run(agents._settled(known))


def asked(talk: Conversation) -> set[str]:
    return {tool for tool, _ in talk.calls}


SHORT: dict[str, Any] = {"committed": {"BUD-11": 1200.0, "BUD-21": 0.0}}


def test_a_brief_says_what_is_wanted_by_whom() -> None:
    talk = office()

    assert agents._asked_for(talk.asker()) == ("first-aid course places B12", "IT-7", 40, [ONE, OTHER])


def test_nothing_is_looked_up_while_the_budgets_cover_their_shares() -> None:
    talk = office()

    assert settled(talk).kind == PLAIN
    assert talk.calls == []


@pytest.mark.parametrize(("committed", "ordered"), [(1000.0, 0.0), (0.0, 1000.0), (400.5, 599.5)])
def test_what_is_left_is_the_limit_less_the_ledger_and_the_orders(committed: float, ordered: float) -> None:
    exactly = {
        "committed": {"BUD-11": committed, "BUD-21": 0.0},
        "ordered": {"BUD-11": ordered, "BUD-21": 0.0},
    }
    more = {**exactly, "ordered": {"BUD-11": ordered + 0.01, "BUD-21": 0.0}}

    assert settled(office(), ways=(), **exactly).short == ()
    assert settled(office(), ways=(), **more).short == ("BUD-11",)


def test_the_reserve_of_the_short_department_is_looked_up_and_its_owner_is_known() -> None:
    talk = office()
    known = work(talk.asker(), **SHORT)

    ending = talk.run(agents._settled(known))

    assert ending.shares == {"BUD-11": 1800.0, "BUD-91": 200.0, "BUD-21": 2000.0}
    assert known.owners == {"BUD-91": "kit"}
    assert talk.calls_of("datahub_list_budgets") == [{"cost_centre": "CC-9"}]
    assert talk.calls_of("datahub_get_budget") == [{"budget_id": "BUD-91"}]


def test_a_department_without_a_reserve_is_not_asked_for_one() -> None:
    talk = office()

    ending = settled(talk, ways=(RESERVE,), committed={"BUD-11": 0.0, "BUD-21": 1200.0})

    assert ending.kind == DECLINED
    assert talk.calls == []


def test_the_reserve_counts_with_what_is_left_of_it() -> None:
    talk = office(datahub_get_budget=lambda asked: shown(asked["budget_id"], remaining=199.99))

    assert settled(talk, ways=(RESERVE,), **SHORT).kind == DECLINED


def test_a_smaller_lot_requires_the_mails_about_the_needs_and_no_budget() -> None:
    talk = office()

    ending = settled(talk, ways=(SMALLER,), **SHORT)

    assert ending.kind == SMALLER
    assert asked(talk) == {"datahub_list_messages", "datahub_get_message"}
    assert talk.calls_of("datahub_list_messages")[0]["about"] == "IT-7"


def test_the_next_quarter_requires_both_budgets_of_it() -> None:
    talk = office()

    ending = settled(talk, ways=(NEXT_QUARTER,), **SHORT)

    assert ending.shares == {"BUD-12": 2000.0, "BUD-22": 2000.0}
    assert talk.calls_of("datahub_get_budget") == [{"budget_id": "BUD-12"}, {"budget_id": "BUD-22"}]


def test_remedies_after_the_one_that_helps_are_not_looked_into() -> None:
    talk = office()

    settled(talk, ways=(SMALLER, RESERVE, NEXT_QUARTER), **SHORT)

    assert not asked(talk) & {"datahub_get_budget", "datahub_list_budgets"}


def test_what_is_known_is_not_looked_up_again() -> None:
    talk = office()
    known = work(talk.asker(), **{**SHORT, "committed": {"BUD-11": 2990.0, "BUD-21": 2990.0}})
    talk.run(agents._settled(known))
    before = len(talk.calls)

    again = talk.run(agents._settled(known))

    assert again.kind == NEXT_QUARTER
    assert before > 0
    assert len(talk.calls) == before


def test_the_needs_are_not_assumed_to_be_smaller_before_the_mails_are_read() -> None:
    known = work(office().asker())

    assert agents._nothing(known) == Needs(40, 40, "")


def test_the_purses_hold_what_was_found_and_nothing_more() -> None:
    accounts = {"BUD-12": Account("BUD-12", 700.0), "CC-9": Account("BUD-91", 50.0)}

    first, second = agents._purses(work(office().asker(), accounts=accounts, weights=[3.0, 2.0]))

    assert (first.following, first.reserve) == (Account("BUD-12", 700.0), Account("BUD-91", 50.0))
    assert (second.following, second.reserve) == (Account("BUD-22", 0.0), None)
    assert (first.weight, second.weight) == (3.0, 2.0)
    assert first.next_starts == "2031-07-01"


def taken_anew(talk: Conversation, metrics: list[str]) -> agents.Work:
    known = work(talk.asker(), committed={}, ordered={}, weights=[])
    talk.run(agents._take_anew(known, metrics))
    return known


def test_both_ledgers_and_the_metrics_of_the_basis_are_refreshed_before_they_are_read() -> None:
    talk = office()

    known = taken_anew(talk, ["MET-1", "MET-2"])

    refreshed = [one["metric_id"] for one in talk.calls_of("datahub_refresh_data")]
    assert refreshed == ["MET-BUD-11", "MET-BUD-21", "MET-1", "MET-2"]
    assert talk.calls_of("wait") == [{"until": LATER}]
    assert known.weights == [20.0, 20.0]
    tools = [tool for tool, _ in talk.calls]
    assert tools.index("wait") < tools.index("datahub_query_metric")


def test_the_last_of_all_refreshes_is_waited_for() -> None:
    due = [{"due_at": to_iso(START + minutes * MINUTE)} for minutes in (15, 40, 20, 15)]
    talk = office(datahub_refresh_data=in_turn(*due))

    taken_anew(talk, ["MET-1", "MET-2"])

    assert talk.calls_of("wait") == [{"until": to_iso(START + 40 * MINUTE)}]


def test_a_ledger_that_is_stale_after_all_is_refreshed_again() -> None:
    first = [shown("BUD-11"), shown("BUD-21")]
    stale, fresh = shown("BUD-11", 9.0, is_stale=True), shown("BUD-11", 70.0, 5.0)
    talk = office(
        datahub_get_budget=in_turn(*first, stale, fresh, shown("BUD-21", 8.0)),
        datahub_refresh_data={"due_at": to_iso(START + HOUR)},
    )

    known = taken_anew(talk, [])

    assert [one["metric_id"] for one in talk.calls_of("datahub_refresh_data")][2:] == ["MET-BUD-11"]
    assert known.committed == {"BUD-11": 70.0, "BUD-21": 8.0}
    assert known.ordered == {"BUD-11": 5.0, "BUD-21": 0.0}


def test_a_metric_that_is_stale_after_all_is_refreshed_again() -> None:
    stale, fresh = {"value": 9.0, "is_stale": True}, {"value": 24, "is_stale": False}
    talk = office(datahub_query_metric=in_turn(stale, stale, fresh))

    value = talk.run(agents._fresh(talk.asker(), "MET-1"))

    assert value == 24.0
    assert talk.calls_of("datahub_refresh_data") == [{"metric_id": "MET-1"}] * 2


@pytest.mark.parametrize(("basis", "name"), [("head_count", "head_count"), ("usage", "monthly_usage_hours")])
def test_the_metric_of_a_basis_is_found_by_its_name_for_each_department(basis: str, name: str) -> None:
    talk = office()

    found = talk.run(agents._metrics(work(talk.asker()), basis))

    assert found == ["MET-1", "MET-2"]
    assert talk.calls_of("datahub_list_metrics") == [
        {"name": name, "subject": "DEP-1"},
        {"name": name, "subject": "DEP-2"},
    ]


def test_a_department_is_the_one_of_exactly_this_name() -> None:
    talk = office()

    assert talk.run(agents._department(talk.asker(), OTHER))["id"] == "DEP-2"


def test_a_price_that_is_split_as_agreed_requires_the_mails_and_no_metrics() -> None:
    talk = office(rules=replace(RULES, bases={"courses": "agreed"}))

    known = talk.run(agents._known(talk.asker()))

    assert known.weights == [40.0, 60.0]
    assert not asked(talk) & {"datahub_list_metrics", "datahub_query_metric"}


def test_a_price_that_is_split_by_a_metric_requires_no_mails() -> None:
    talk = office()

    known = talk.run(agents._known(talk.asker()))

    assert known.weights == [20.0, 20.0]
    assert "datahub_list_messages" not in asked(talk)
    assert [one["id"] for one in known.current] == ["BUD-11", "BUD-21"]


AWAY = to_iso(START + 4 * HOUR)


def signer(amount: float, **facts: Any) -> tuple[str, Conversation]:
    """Return who signs for the first department's budget, and how that was found out."""
    talk = office(datahub_get_person=person("ada", **facts))
    return talk.run(agents._signer(work(talk.asker()), "ada", amount)), talk


def test_an_owner_who_is_present_signs_whatever_the_delegation_says() -> None:
    found, talk = signer(900.0, delegate="dan", delegate_types=["purchase"], delegate_limit=1000.0)

    assert found == "ada"
    assert talk.calls_of("wait") == []


@pytest.mark.parametrize(
    ("limit", "found"), [(None, "dan"), (900.01, "dan"), (900.0, "dan"), (899.99, "ada"), (0.0, "ada")]
)
def test_the_delegate_of_an_absent_owner_signs_up_to_the_limit(limit: float | None, found: str) -> None:
    told = {"delegate": "dan", "delegate_types": ["leave", "purchase"], "delegate_limit": limit}

    assert signer(900.0, is_away=True, away_until=AWAY, **told)[0] == found


@pytest.mark.parametrize(
    "facts",
    [{"delegate": None}, {"delegate": "dan", "delegate_types": ["leave"]}],
    ids=["nobody", "other types"],
)
def test_an_absent_owner_whom_nobody_represents_is_waited_for(facts: dict[str, Any]) -> None:
    found, talk = signer(900.0, is_away=True, away_until=AWAY, **facts)

    assert found == "ada"
    assert talk.calls_of("wait") == [{"until": AWAY}]


def test_an_owner_who_is_known_to_be_back_is_not_looked_up_again() -> None:
    talk = office(datahub_get_person=person("ada", is_away=True, away_until=AWAY))
    known = work(talk.asker())
    talk.run(agents._signer(known, "ada", 900.0))

    again = talk.run(agents._signer(known, "ada", 900.0))

    assert again == "ada"
    assert len(talk.calls_of("datahub_get_person")) == 1


def test_a_delegate_is_asked_about_anew_because_another_share_may_be_too_large() -> None:
    told = {"delegate": "dan", "delegate_types": ["purchase"], "delegate_limit": 1000.0}
    talk = office(datahub_get_person=person("ada", is_away=True, away_until=AWAY, **told))
    known = work(talk.asker())

    found = [talk.run(agents._signer(known, "ada", amount)) for amount in (900.0, 1100.0)]

    assert found == ["dan", "ada"]
