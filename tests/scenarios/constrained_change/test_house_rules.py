"""The rules of a task in its company: what each does, where it can be read, and when it is active."""

from functools import cache

import pytest

from companyos.company import Company, Person, Row
from companyos.company.areas.automations import rule_of
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.constrained_change.house_rules import HouseRules, tomorrow
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Simulation
from scenarios.constrained_change.statements import FREEZE, LAST, PAGE, UNSTARTED_RETURN

from .hand_built import BADGE, KEY, asset, clearance, hand_over, state

COMPANIES = range(60)


def house(number: int = 0) -> tuple[HouseRules, Company, Person]:
    """Return the rules of an empty company, the company, and its on-call."""
    company = Company(Draws("test", "house", number), SCENARIO.start, SCENARIO.packs, "small")
    oncall = company.hire("Olga Call", "engineer", "Field")
    return HouseRules(company, oncall), company, oncall


@cache
def drawn(number: int) -> tuple[HouseRules, dict[str, Row]]:
    """Return the rules of a company with one of every kind that may stand in no register."""
    rules, company, _ = house(number)
    one, other = (company.add_asset(f"AST-{number}", "Key", KEY.id, None) for number in (1, 2))
    return rules, {
        "page": rules.page(),
        "unstarted": rules.unstarted(KEY),
        "unstarted_return": rules.unstarted(KEY, UNSTARTED_RETURN),
        "freeze": rules.freeze(KEY, SCENARIO.start + HOUR),
        "follows": rules.follows(KEY, {"id": "TD-7"}, "low"),
        "twin": rules.twin(KEY, one, other),
    }


def metric_of(company: Company) -> Row:
    return company.add_metric("signing_key_ceiling", None, 3.0, "pieces", age_s=DAY, ttl_s=DAY)


@pytest.mark.parametrize(("ceiling", "level"), [(1.0, 2), (2.0, 3), (3.0, 3)])
def test_a_person_may_hold_as_many_as_the_ceiling_and_not_one_more(ceiling: float, level: int) -> None:
    rules, company, _ = house()
    metric = metric_of(company)
    row = rules.ceiling(KEY, metric)
    start = state(
        asset(1), asset(2, "ann.lee"), asset(3, "ann.lee", BADGE), clearance("ann.lee"),
        values={metric["id"]: ceiling},
    )  # fmt: skip

    found = Simulation([rule_of("datahub", row)]).after(start, hand_over(1, "ann.lee"))

    assert found.row("datahub", "clearances", "ann.lee")["level"] == level


def test_a_ceiling_does_not_concern_other_classes() -> None:
    rules, company, _ = house()
    metric = metric_of(company)
    row = rules.ceiling(KEY, metric)
    start = state(asset(1, None, BADGE), clearance("ann.lee"), values={metric["id"]: 0.0})

    found = Simulation([rule_of("datahub", row)]).after(start, hand_over(1, "ann.lee"))

    assert found.row("datahub", "clearances", "ann.lee")["level"] == 3


def test_the_ceiling_names_its_metric_and_says_that_the_source_counts() -> None:
    rules, company, _ = house()
    metric = metric_of(company)

    row = rules.ceiling(KEY, metric)

    assert row["listed"]
    assert f"{metric['id']} (signing_key_ceiling)" in row["description"]
    assert "metric's source counts" in row["description"]


def test_the_rule_about_last_assets_is_in_no_register_and_no_arrangement() -> None:
    for number in COMPANIES:
        rules, _, _ = house(number)

        row = rules.last(KEY)

        assert not row["listed"]
        assert (rules.arranged, rules.on_call) == ([], [])
        assert [dict(one) for one in LAST.read(row["description"])] == [
            {"one": "signing key", "class_": "signing_key"}
        ]


@pytest.mark.parametrize("number", COMPANIES)
def test_a_rule_is_in_a_register_or_else_in_the_arrangements_of_its_team(number: int) -> None:
    rules, rows = drawn(number)
    hidden = {name: row["description"] for name, row in rows.items() if not row["listed"]}

    assert rules.on_call == [text for name, text in hidden.items() if name == "page"]
    assert rules.arranged == [text for name, text in hidden.items() if name != "page"]


def test_every_kind_of_rule_is_in_no_register_in_about_three_companies_of_five() -> None:
    unlisted = {
        name: sum(not drawn(number)[1][name]["listed"] for number in COMPANIES) for name in drawn(0)[1]
    }

    assert all(0.4 <= count / len(COMPANIES) <= 0.8 for count in unlisted.values()), unlisted


def test_rules_of_one_kind_are_drawn_one_by_one() -> None:
    apart = 0
    for number in COMPANIES:
        rules, _, _ = house(number)
        apart += rules.unstarted(KEY)["listed"] != rules.unstarted(BADGE)["listed"]

    assert 0.25 <= apart / len(COMPANIES) <= 0.75


def test_a_freeze_ends_when_its_sentence_says() -> None:
    row = drawn(0)[1]["freeze"]

    [said] = FREEZE.read(row["description"])

    assert said["until"] == to_iso(SCENARIO.start + HOUR)
    assert (row["active_from"], row["active_until"]) == (None, SCENARIO.start + HOUR)


def test_other_rules_have_no_end() -> None:
    _, rows = drawn(0)

    ends = {name: (row["active_from"], row["active_until"], row["paused"]) for name, row in rows.items()}

    assert {name for name, end in ends.items() if end != (None, None, False)} == {"freeze"}


def test_a_paused_rule_is_listed_and_its_return_is_announced() -> None:
    rules, company, _ = house()

    row = rules.paused(KEY, SCENARIO.start + DAY)

    [change] = company.rows["datahub"]["automation_changes"]
    assert (row["paused"], row["listed"]) == (True, True)
    assert (change["automation_id"], change["at"]) == (row["id"], SCENARIO.start + DAY)
    assert change["changes"] == {"paused": False}
    assert change["notice"] == f"{row['id']} is paused and resumes at {to_iso(SCENARIO.start + DAY)}."


@pytest.mark.parametrize(("paused", "level"), [(True, 3), (False, 2)])
def test_a_review_costs_a_level_only_once_it_has_resumed(*, paused: bool, level: int) -> None:
    rules, _, _ = house()
    row = {**rules.paused(KEY, SCENARIO.start + DAY), "paused": paused}
    start = state(asset(1), asset(2, None, BADGE), clearance("ann.lee"))

    found = Simulation([rule_of("datahub", row)]).through(
        start, [hand_over(1, "ann.lee"), hand_over(2, "ann.lee")]
    )

    assert found.row("datahub", "clearances", "ann.lee")["level"] == level


def test_the_on_call_is_named_in_the_sentence_and_gets_the_ticket() -> None:
    row = drawn(0)[1]["page"]

    assert [dict(one) for one in PAGE.read(row["description"])] == [{"oncall": "olga.call"}]
    assert row["do"] == {"action": "assign", "with": {"ticket": "$id", "to": "olga.call"}}


def test_rules_have_ids_of_their_own_and_follow_each_other_on_their_trigger() -> None:
    rules, company, _ = house()
    rows = [rules.unstarted(KEY), rules.unstarted(BADGE), rules.follows(KEY, {"id": "TD-7"}, "low")]

    assert len({row["id"] for row in rows}) == 3
    assert [row["number"] for row in rows] == [1, 2, 3]
    assert company.rows["ticketdesk"]["automations"] == rows


@pytest.mark.parametrize(
    ("start", "then"),
    [(0, DAY), (1, DAY), (DAY - 1, DAY), (DAY, 2 * DAY), (DAY + 8 * HOUR, 2 * DAY)],
)
def test_tomorrow_is_the_first_midnight_after_an_instant(start: int, then: int) -> None:
    assert tomorrow(start) == then


def test_a_class_is_named_in_sentences_as_in_small_letters() -> None:
    assert KEY.fields == {"name": "Signing key", "one": "signing key", "class_": "signing_key"}
