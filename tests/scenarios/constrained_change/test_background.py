"""The background of a company of equipment: other assets and rules, none of which touches the task."""

import pytest

from companyos.company import Company
from companyos.sdk.draws import Draws
from scenarios.constrained_change import pack
from scenarios.constrained_change.change import FOUR, PlannedChange
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import CHANGING, Simulation, State

from .changes import planned

PAIRS = range(6)


def change_of(pair: int) -> PlannedChange:
    return planned(pair, FOUR)


def classes_of(change: PlannedChange) -> set[str]:
    """Return the classes that the task may use."""
    return {class_ for class_, _ in pack.classes_of_task(change.company)}


def everything(change: PlannedChange) -> State:
    """Return the whole company at the start, with every asset, clearance and ticket."""
    tables = (("datahub", "assets"), ("datahub", "clearances"), ("ticketdesk", "tickets"))
    rows = {
        (service, table, row["id"]): row
        for service, table in tables
        for row in change.company.rows[service][table]
    }
    return State(change.company.start, rows, change.begun.values)


@pytest.mark.parametrize("pair", PAIRS)
def test_with_all_rules_of_the_company_the_order_has_no_other_effect_than_with_those_of_the_task(
    pair: int,
) -> None:
    change = change_of(pair)
    company = Simulation(change.company.automation_rules())
    order = change.order or ()

    whole, part = company.through(everything(change), order), change.simulation.through(change.begun, order)

    assert len(company.rules) > len(change.simulation.rules) + 10
    assert sorted(whole.history) == sorted(part.history)
    for place, row in part.rows.items():
        changing = [column for column in CHANGING if column in row]
        assert [whole.rows[place][column] for column in changing] == [row[column] for column in changing]


@pytest.mark.parametrize("pair", PAIRS)
def test_with_all_rules_of_the_company_the_list_in_its_own_order_still_does_harm(pair: int) -> None:
    change = change_of(pair)
    company = Simulation(change.company.automation_rules())

    after = company.through(everything(change), change.direct(change.moves))

    assert change.aim(change.moves).harmed(after)


@pytest.mark.parametrize("pair", PAIRS)
def test_assets_of_the_background_are_of_other_classes_than_those_of_the_task(pair: int) -> None:
    change = change_of(pair)
    of_task = {move.asset["id"] for move in change.moves} | {one["id"] for one in change.spares}
    person = change.people[0].id

    others = [row for row in change.company.rows["datahub"]["assets"] if row["id"] not in of_task]

    assert {row["asset_class"] for row in others if row["holder"] != person} & classes_of(change) == set()
    assert {row["asset_class"] for row in others} - classes_of(change)


@pytest.mark.parametrize("pair", PAIRS)
def test_rules_of_the_background_name_none_of_the_classes_of_the_task(pair: int) -> None:
    change = change_of(pair)
    of_task = {row["id"] for _, row in change.goal_rules}
    rules = [rule for rule in change.company.automation_rules() if rule.id not in of_task]

    named = {
        term for rule in rules for term in rule.terms if isinstance(term, str) and not term.startswith("$")
    }

    assert not named & classes_of(change)
    assert named & {class_ for class_, _ in pack.CLASSES}


@pytest.mark.parametrize("pair", PAIRS)
def test_background_rules_of_a_service_have_unique_names(pair: int) -> None:
    change = change_of(pair)
    of_task = {row["id"] for _, row in change.goal_rules}

    for tables in change.company.rows.values():
        names = [row["name"] for row in tables["automations"] if row["id"] not in of_task]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("pair", PAIRS)
def test_people_have_at_most_one_clearance(pair: int) -> None:
    people = [row["id"] for row in change_of(pair).company.rows["datahub"]["clearances"]]

    assert len(people) == len(set(people))


@pytest.mark.parametrize("pair", PAIRS)
def test_a_background_ticket_about_an_asset_belongs_to_another_asset_than_the_tasks(pair: int) -> None:
    change = change_of(pair)
    of_task = {move.asset["id"]: move.ticket["id"] for move in change.moves}
    tickets = change.company.rows["ticketdesk"]["tickets"]

    about = {row["id"]: row["subject"] for row in tickets if row["subject"] in of_task}

    assert about == {ticket: asset for asset, ticket in of_task.items()}


@pytest.mark.parametrize("pair", PAIRS)
def test_five_classes_belong_to_the_task_and_the_rest_to_the_background(pair: int) -> None:
    change = change_of(pair)

    drawn = pack.classes_of_task(change.company)

    assert len(set(drawn)) == 5
    assert set(drawn) < set(pack.CLASSES)
    assert {move.asset["asset_class"] for move in change.moves} <= classes_of(change)


def test_every_class_is_the_capped_one_somewhere() -> None:
    companies = [
        Company(Draws("test", "classes", number), SCENARIO.start, SCENARIO.packs, "small")
        for number in range(80)
    ]

    assert {pack.classes_of_task(company)[0] for company in companies} == set(pack.CLASSES)
