"""The sentences that state rules: written and read back, what is not one of them, and what each rule requires."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.constrained_change import pack
from scenarios.constrained_change.house_rules import AssetClass
from scenarios.constrained_change.simulation import Act, Simulation, State
from scenarios.constrained_change.statements import (
    FOLLOWS,
    FREEZE,
    LAST,
    PAGE,
    STATEMENTS,
    TWIN,
    UNSTARTED,
    UNSTARTED_RETURN,
    Statement,
)

from .hand_built import (
    BADGE,
    KEY,
    asset,
    begin,
    clearance,
    hand_over,
    raise_to,
    state,
    stated,
    take_back,
    ticket,
)

BY_NAME = {
    "last": LAST,
    "page": PAGE,
    "unstarted": UNSTARTED,
    "unstarted return": UNSTARTED_RETURN,
    "freeze": FREEZE,
    "follows": FOLLOWS,
    "twin": TWIN,
}
CLASSES = [AssetClass(*one) for one in pack.CLASSES]
#: Values for every field that a sentence may have.
FIELDS = st.fixed_dictionaries(
    {
        "class": st.sampled_from(CLASSES),
        "oncall": st.sampled_from(["sarah.chen", "li.van.dam"]),
        "until": st.sampled_from(["2032-05-03T12:00:00Z", "2033-01-01T23:00:00Z"]),
        "ticket": st.integers(1, 99_999).map("TD-{}".format),
        "to": st.sampled_from(pack.PRIORITIES),
        "asset": st.integers(1, 999).map("AST-{}".format),
        "other": st.integers(1000, 1999).map("AST-{}".format),
    }
)


def sentence(statement: Statement, drawn: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    """Return a statement about these things, and the fields that it names."""
    class_ = drawn["class"]
    assert isinstance(class_, AssetClass)
    fields = {**class_.fields, **{name: str(value) for name, value in drawn.items() if name != "class"}}
    named = {name: value for name, value in fields.items() if "{" + name + "}" in statement.text}
    return statement.text.format(**fields), named


def readers(text: str) -> list[Statement]:
    """Return the kinds of statements that are read in a text."""
    return [statement for statement in STATEMENTS if any(True for _ in statement.read(text))]


@pytest.mark.parametrize("name", BY_NAME)
@settings(max_examples=20)
@given(drawn=FIELDS)
def test_a_sentence_is_read_as_it_was_written_and_as_no_other_kind(
    name: str, drawn: dict[str, object]
) -> None:
    statement = BY_NAME[name]
    text, fields = sentence(statement, drawn)

    assert list(statement.read(text)) == [fields]
    assert readers(text) == [statement]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(STATEMENTS), FIELDS), max_size=5))
def test_the_points_of_a_list_are_read_one_by_one_and_in_order(
    points: list[tuple[Statement, dict[str, object]]],
) -> None:
    written = [(statement, *sentence(statement, drawn)) for statement, drawn in points]
    body = "# Arrangements\n\n" + "\n".join(f"- {text}" for _, text, _ in written) + "\n\nChanges go to us.\n"

    for statement in STATEMENTS:
        assert list(statement.read(body)) == [fields for one, _, fields in written if one is statement]


def test_a_sentence_within_a_paragraph_is_read() -> None:
    text = f"Please note. {LAST.text.format(**KEY.fields)} The register does not show it."

    assert list(LAST.read(text)) == [{"one": "signing key", "class_": "signing_key"}]


#: Prose that says something else, by what differs.
PROSE = {
    "nothing": "",
    "the former edition about last pieces": (
        "A person who gives away their last signing key (`signing_key`) tells the "
        "security office within a week."
    ),
    "last pieces without returns and at once": (
        "A person who gives away their last signing key of the class `signing_key` loses "
        "one level of clearance."
    ),
    "a class without code marks": (
        "A person who gives away or returns their last signing key of the class "
        "signing_key loses one level of clearance at once."
    ),
    "a sentence over two lines": (
        "A person who gives away or returns their last signing key of the class "
        "`signing_key`\nloses one level of clearance at once."
    ),
    "an on-call without a name": "A ticket that becomes urgent is assigned to whoever is on call.",
    "another priority": "A ticket that becomes high is assigned to sarah.chen, who is on call, and pages them.",
    "any ticket, not the first": (
        "When a signing key of the class `signing_key` is assigned and its ticket is "
        "still new or in triage, the ticket becomes urgent."
    ),
    "lent, not assigned": (
        "When a signing key of the class `signing_key` is lent and its first ticket is "
        "still new or in triage, the ticket becomes urgent."
    ),
    "a freeze without an end": "When a signing key of the class `signing_key` is assigned, its ticket becomes urgent.",
    "a permission until a time": "Until midnight a signing key of the class `signing_key` may be assigned.",
    "a priority at a return": "When a signing key of the class `signing_key` is returned, TD-1 gets priority low.",
    "another asset returns": "When AST-1 is assigned and somebody else holds AST-2, AST-3 returns to the pool.",
    "an asset without its id returns": "When AST-1 is assigned and somebody else holds AST-2, it returns to the pool.",
    "within a sentence": "when AST-1 is assigned and somebody else holds AST-2, AST-2 returns to the pool.",
    "a name over two lines": (
        "A ticket that becomes urgent is assigned to its reporter.\n"
        "Ask the lead, who is on call, and pages them."
    ),
    "a code mark within a name": (
        "When a `signing_key` is assigned and somebody else holds AST-2, AST-2 returns to the pool."
    ),
}


@pytest.mark.parametrize("prose", PROSE)
def test_prose_that_says_something_else_is_no_rule(prose: str) -> None:
    assert readers(PROSE[prose]) == []


MINE = ("ann.lee", "bob.ray")
FREEZE_FIELDS = {**KEY.fields, "until": "2032-05-03T12:00:00Z"}
FOLLOWS_FIELDS = {**KEY.fields, "ticket": "TD-5", "to": "low"}
TWIN_FIELDS = {"name": "Signing key", "asset": "AST-1", "other": "AST-2"}


def effects(statement: Statement, fields: Mapping[str, str], start: State, act: Act) -> list[tuple[str, str]]:
    """Return what a rule alone makes of an act, without the act itself."""
    found = Simulation([stated(statement, fields)]).after(start, act)
    alone = Simulation([]).after(start, act)
    return list(found.history[len(alone.history) :])


@pytest.mark.parametrize(
    ("start", "act", "loses"),
    [
        (state(asset(1, "ann.lee")), hand_over(1, "bob.ray"), ["ann.lee"]),
        (state(asset(1, "ann.lee")), take_back(1), ["ann.lee"]),
        (state(asset(1, "ann.lee"), asset(2, "ann.lee")), take_back(1), []),
        (state(asset(1, "ann.lee"), asset(2, "bob.ray")), take_back(1), ["ann.lee"]),
        (state(asset(1, "ann.lee"), asset(2, "ann.lee", BADGE)), take_back(1), ["ann.lee"]),
        (state(asset(1, "ann.lee", BADGE)), take_back(1), []),
        (state(asset(1)), hand_over(1, "bob.ray"), []),
    ],
    ids=[
        "given away",
        "returned",
        "one is left",
        "somebody else has one left",
        "one of another class is left",
        "of another class",
        "out of the pool",
    ],
)
def test_the_last_asset_of_a_class_costs_its_giver_a_level(start: State, act: Act, loses: list[str]) -> None:
    start = State(0, {**start.rows, **state(*(clearance(one) for one in MINE)).rows}, {})

    found = effects(LAST, KEY.fields, start, act)

    assert [person for kind, person in found if kind == "lowered"] == loses


@pytest.mark.parametrize(
    ("before", "to", "pages"),
    [("medium", "urgent", True), ("medium", "high", False), ("urgent", "urgent", False)],
)
def test_a_ticket_pages_as_it_becomes_urgent(before: str, to: str, *, pages: bool) -> None:
    found = effects(PAGE, {"oncall": "sarah.chen"}, state(ticket(1, priority=before)), raise_to(1, to))

    assert found == ([("assignee:sarah.chen", "TD-1")] if pages else [])


def test_an_urgent_ticket_that_changes_otherwise_pages_nobody() -> None:
    start = state(ticket(1, priority="urgent", status="new"))

    assert effects(PAGE, {"oncall": "sarah.chen"}, start, begin(1)) == []


@pytest.mark.parametrize(
    ("tickets", "urgent"),
    [
        ([ticket(1, "AST-1", status="new")], ["TD-1"]),
        ([ticket(1, "AST-1", status="triage")], ["TD-1"]),
        ([ticket(1, "AST-1", status="in_progress")], []),
        ([ticket(1, "AST-1", status="blocked")], []),
        ([ticket(1, "AST-1"), ticket(2, "AST-1", status="new")], []),
        ([ticket(1, "AST-1", status="new"), ticket(2, "AST-1")], ["TD-1"]),
        ([ticket(1, "AST-2", status="new")], []),
        ([], []),
    ],
    ids=["new", "triage", "begun", "blocked", "first begun", "first new", "of another asset", "none"],
)
@pytest.mark.parametrize(
    ("statement", "act", "opposite"),
    [
        (UNSTARTED, hand_over(1, "bob.ray"), take_back(1)),
        (UNSTARTED_RETURN, take_back(1), hand_over(1, "bob.ray")),
    ],
    ids=["assigned", "returned"],
)
def test_an_asset_that_moves_before_its_first_ticket_has_begun_makes_it_urgent(
    statement: Statement, act: Act, opposite: Act, tickets: list[dict[str, str]], urgent: list[str]
) -> None:
    start = state(asset(1, "ann.lee"), *tickets)

    assert effects(statement, KEY.fields, start, act) == [("priority:urgent", one) for one in urgent]
    assert effects(statement, KEY.fields, start, opposite) == []
    assert effects(statement, BADGE.fields, start, act) == []


@pytest.mark.parametrize(
    ("start", "act", "urgent"),
    [
        (state(asset(1), ticket(1, "AST-1")), hand_over(1, "ann.lee"), ["TD-1"]),
        (state(asset(1), ticket(1, "AST-2")), hand_over(1, "ann.lee"), []),
        (state(asset(1, None, BADGE), ticket(1, "AST-1")), hand_over(1, "ann.lee"), []),
        (state(asset(1, "ann.lee"), ticket(1, "AST-1")), take_back(1), []),
    ],
    ids=["assigned", "without a ticket", "of another class", "returned"],
)
def test_a_freeze_makes_the_ticket_of_an_assigned_asset_urgent(
    start: State, act: Act, urgent: list[str]
) -> None:
    assert effects(FREEZE, FREEZE_FIELDS, start, act) == [("priority:urgent", one) for one in urgent]


@pytest.mark.parametrize(
    ("start", "act", "follows"),
    [
        (state(asset(1), ticket(5)), hand_over(1, "ann.lee"), True),
        (state(asset(1, None, BADGE), ticket(5)), hand_over(1, "ann.lee"), False),
        (state(asset(1, "ann.lee"), ticket(5)), take_back(1), False),
        (state(asset(1), ticket(5, priority="low")), hand_over(1, "ann.lee"), False),
    ],
    ids=["assigned", "of another class", "returned", "as low before"],
)
def test_a_priority_follows_the_assets_of_a_class(start: State, act: Act, *, follows: bool) -> None:
    assert effects(FOLLOWS, FOLLOWS_FIELDS, start, act) == ([("priority:low", "TD-5")] if follows else [])


@pytest.mark.parametrize(
    ("number", "other", "to", "returns"),
    [
        (1, "bob.ray", "ann.lee", True),
        (1, "ann.lee", "ann.lee", False),
        (1, None, "ann.lee", False),
        (3, "bob.ray", "ann.lee", False),
    ],
    ids=["somebody else holds it", "the same person holds it", "it is in the pool", "a third asset moves"],
)
def test_an_asset_goes_back_as_its_twin_goes_to_somebody_else(
    number: int, other: str | None, to: str, *, returns: bool
) -> None:
    start = state(asset(1), asset(2, other), asset(3))

    found = effects(TWIN, TWIN_FIELDS, start, hand_over(number, to))

    assert found == ([("holder:None", "AST-2")] if returns else [])


def test_a_twin_does_not_follow_into_the_pool() -> None:
    start = state(asset(1, "ann.lee"), asset(2, "bob.ray"))

    assert effects(TWIN, TWIN_FIELDS, start, take_back(1)) == []
