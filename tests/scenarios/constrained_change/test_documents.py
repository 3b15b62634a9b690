"""The policy and the arrangements: what editions in force state, what former ones and drafts state, and their order."""

import pytest

from companyos.company import Row
from scenarios.constrained_change.change import FOUR, PlannedChange
from scenarios.constrained_change.documents import ARRANGEMENTS, LATEST, LOWEST, ON_CALL, TITLE
from scenarios.constrained_change.statements import FOLLOWS, LAST, PAGE, STATEMENTS, UNSTARTED

from .changes import planned

PAIRS = range(6)
TEAMS = (ARRANGEMENTS, ON_CALL)
USUAL = (
    "Whoever takes a shift reads the log of the shift before.",
    "Equipment is charged overnight, in the cupboard next to the door.",
    "Broken pieces get a red label and a ticket.",
    "Vans are refueled before they are parked.",
)


def change_of(pair: int) -> PlannedChange:
    return planned(pair, FOUR)


def editions(change: PlannedChange, title: str) -> dict[str, Row]:
    """Return the documents of a title by status; there is one of each."""
    found = [row for row in change.company.rows["datahub"]["documents"] if row["title"] == title]
    assert len(found) == len({row["status"] for row in found})
    return {row["status"]: row for row in found}


def rules_in(document: Row) -> list[str]:
    """Return the sentences of a document that state rules."""
    return [
        statement.text.format(**fields)
        for statement in STATEMENTS
        for fields in statement.read(document["body"])
    ]


def points(document: Row) -> list[str]:
    return [line[2:] for line in document["body"].splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_policy_has_a_former_edition_and_a_draft(pair: int) -> None:
    change = change_of(pair)

    found = editions(change, TITLE)

    assert set(found) == {"superseded", "in_force", "draft"}
    assert found["in_force"]["supersedes"] == found["superseded"]["id"]
    assert [found[status]["version"] for status in ("superseded", "in_force", "draft")] == [1, 2, 1]
    assert change.policy_id == found["in_force"]["id"]


@pytest.mark.parametrize("pair", PAIRS)
def test_only_the_policy_in_force_states_the_rule_about_last_pieces(pair: int) -> None:
    change = change_of(pair)
    found = editions(change, TITLE)
    [hidden] = [row for _, row in change.goal_rules if row["trigger"] == "assets"]

    assert rules_in(found["in_force"]) == [hidden["description"]]
    assert rules_in(found["superseded"]) == rules_in(found["draft"]) == []


@pytest.mark.parametrize("pair", PAIRS)
def test_the_former_policy_names_the_class_and_a_milder_consequence(pair: int) -> None:
    change = change_of(pair)
    found = editions(change, TITLE)
    [fields] = LAST.read(found["in_force"]["body"])

    former = f"gives away their last {fields['one']} (`{fields['class_']}`) tells the security office within a week"

    assert former in found["superseded"]["body"]
    assert "last pieces of every class are of no consequence" in found["draft"]["body"]


@pytest.mark.parametrize("pair", PAIRS)
def test_editions_that_do_not_apply_leave_out_another_hand_over(pair: int) -> None:
    change = change_of(pair)
    other = {LOWEST: LATEST, LATEST: LOWEST}[change.which]

    said = {
        status: (LOWEST in row["body"], LATEST in row["body"])
        for status, row in editions(change, TITLE).items()
    }

    assert said["in_force"] == (change.which == LOWEST, change.which == LATEST)
    assert said["superseded"] == said["draft"] == (other == LOWEST, other == LATEST)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("title", TEAMS)
def test_the_arrangements_of_a_team_have_one_former_edition(title: str, pair: int) -> None:
    found = editions(change_of(pair), title)

    assert set(found) == {"superseded", "in_force"}
    assert found["in_force"]["supersedes"] == found["superseded"]["id"]
    assert found["superseded"]["written_at"] < found["in_force"]["written_at"]


@pytest.mark.parametrize("pair", PAIRS)
def test_each_rule_of_no_register_is_in_the_arrangements_of_its_team(pair: int) -> None:
    change = change_of(pair)
    hidden = [
        row["description"] for _, row in change.goal_rules if not row["listed"] and row["trigger"] != "assets"
    ]
    pages = [text for text in hidden if any(True for _ in PAGE.read(text))]

    teams, oncall = (editions(change, title)["in_force"] for title in TEAMS)

    assert sorted(rules_in(oncall)) == sorted(pages)
    assert sorted(rules_in(teams)) == sorted(set(hidden) - set(pages))


@pytest.mark.parametrize("pair", PAIRS)
def test_former_arrangements_state_rules_that_no_service_runs(pair: int) -> None:
    change = change_of(pair)
    running = {row["description"] for tables in change.company.rows.values() for row in tables["automations"]}

    stated = [sentence for title in TEAMS for sentence in rules_in(editions(change, title)["superseded"])]

    assert len(stated) == 3
    assert not running & set(stated)


@pytest.mark.parametrize("pair", PAIRS)
def test_former_arrangements_of_the_field_teams_concern_classes_of_the_task(pair: int) -> None:
    change = change_of(pair)
    body = editions(change, ARRANGEMENTS)["superseded"]["body"]
    last = next(LAST.read(editions(change, TITLE)["in_force"]["body"]))

    [unstarted], [follows] = UNSTARTED.read(body), FOLLOWS.read(body)

    assert unstarted["class_"] == last["class_"]
    assert follows["class_"] != last["class_"]
    assert (follows["ticket"], follows["to"]) == ("the project's ticket", "low")


@pytest.mark.parametrize("pair", PAIRS)
def test_a_former_arrangement_pages_somebody_else(pair: int) -> None:
    change = change_of(pair)

    [said] = PAGE.read(editions(change, ON_CALL)["superseded"]["body"])

    assert said["oncall"] == change.cast.offices["operations_lead"].id != change.oncall.id


@pytest.mark.parametrize("pair", PAIRS)
def test_rules_are_among_points_of_no_consequence(pair: int) -> None:
    documents = [row for title in TEAMS for row in editions(change_of(pair), title).values()]

    for row in documents:
        assert sorted(points(row)) == sorted([*rules_in(row), *USUAL])


def test_the_points_are_listed_in_an_order_of_their_own() -> None:
    orders = {
        tuple(USUAL.index(point) for point in points(row) if point in USUAL)
        for pair in PAIRS
        for title in TEAMS
        for row in editions(change_of(pair), title).values()
    }

    assert len(orders) >= 10


@pytest.mark.parametrize("pair", PAIRS)
def test_other_documents_state_no_rule_of_the_task(pair: int) -> None:
    titles = (TITLE, *TEAMS)
    others = [
        row for row in change_of(pair).company.rows["datahub"]["documents"] if row["title"] not in titles
    ]

    assert others
    assert [row["title"] for row in others if rules_in(row)] == []


def test_sentences_name_the_two_ways_to_choose_apart() -> None:
    """Readers look for one of them in the text, so neither may occur within the other."""
    assert LATEST not in LOWEST
    assert LOWEST not in LATEST
