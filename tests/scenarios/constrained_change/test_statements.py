"""The sentences that state rules: written and read back, and what each rule does."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.constrained_change import pack
from scenarios.constrained_change.house_rules import AssetClass
from scenarios.constrained_change.simulation import Act, Simulation
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

#: Values for every field that a sentence may have.
FIELDS = st.fixed_dictionaries(
    {
        "class": st.sampled_from([AssetClass(*one) for one in pack.CLASSES]),
        "oncall": st.sampled_from(["sarah.chen", "li.van.dam"]),
        "until": st.sampled_from(["2032-05-03T12:00:00Z", "2033-01-01T23:00:00Z"]),
        "ticket": st.integers(1, 99_999).map("TD-{}".format),
        "to": st.sampled_from(pack.PRIORITIES),
        "asset": st.integers(1, 999).map("AST-{}".format),
        "other": st.integers(1000, 1999).map("AST-{}".format),
    }
)


def sentence(statement: Statement, values: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return a statement about these things, and the fields that it names."""
    fields = {**values["class"].fields, **{name: str(one) for name, one in values.items() if name != "class"}}
    named = {name: value for name, value in fields.items() if "{" + name + "}" in statement.text}
    return statement.text.format(**fields), named


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(STATEMENTS), FIELDS), max_size=5))
def test_sentences_of_a_list_are_read_in_order_and_as_no_other_kind(
    points: list[tuple[Statement, dict[str, object]]],
) -> None:
    written = [(statement, *sentence(statement, values)) for statement, values in points]
    body = "# Arrangements\n\n" + "\n".join(f"- {text}" for _, text, _ in written) + "\n\nChanges go to us.\n"

    for statement in STATEMENTS:
        assert list(statement.read(body)) == [fields for one, _, fields in written if one is statement]


MINE = ("ann.lee", "bob.ray")
FREEZE_FIELDS = {**KEY.fields, "until": "2032-05-03T12:00:00Z"}
FOLLOWS_FIELDS = {**KEY.fields, "ticket": "TD-5", "to": "low"}
TWIN_FIELDS = {"name": "Signing key", "asset": "AST-1", "other": "AST-2"}
TO_BOB, BACK = hand_over(1, "bob.ray"), take_back(1)
LOSES, URGENT, PAGES = (
    [("lowered", "ann.lee"), ("level:2", "ann.lee")],
    [("priority:urgent", "TD-1")],
    [("assignee:sarah.chen", "TD-1")],
)
LOW, RETURNS = [("priority:low", "TD-5")], [("holder:None", "AST-2")]
MY_KEY, MY_BADGE = asset(1, "ann.lee"), asset(1, "ann.lee", BADGE)
NEW = ticket(1, "AST-1", status="new")


@pytest.mark.parametrize(
    ("statement", "fields", "rows", "act", "effects"),
    [
        (LAST, KEY.fields, [MY_KEY], TO_BOB, LOSES),
        (LAST, KEY.fields, [MY_KEY], BACK, LOSES),
        (LAST, KEY.fields, [MY_KEY, asset(2, "ann.lee")], BACK, []),
        (LAST, KEY.fields, [MY_KEY, asset(2, "bob.ray")], BACK, LOSES),
        (LAST, KEY.fields, [MY_KEY, asset(2, "ann.lee", BADGE)], BACK, LOSES),
        (LAST, KEY.fields, [MY_BADGE], BACK, []),
        (LAST, KEY.fields, [asset(1)], TO_BOB, []),
        (PAGE, {"oncall": "sarah.chen"}, [ticket(1)], raise_to(1, "urgent"), PAGES),
        (PAGE, {"oncall": "sarah.chen"}, [ticket(1)], raise_to(1, "high"), []),
        (PAGE, {"oncall": "sarah.chen"}, [ticket(1, priority="urgent", status="new")], begin(1), []),
        (UNSTARTED, KEY.fields, [MY_KEY, NEW], TO_BOB, URGENT),
        (UNSTARTED, KEY.fields, [MY_KEY, NEW], BACK, []),
        (UNSTARTED, KEY.fields, [MY_BADGE, NEW], TO_BOB, []),
        (UNSTARTED, KEY.fields, [MY_KEY, ticket(1, "AST-1", status="triage")], TO_BOB, URGENT),
        (UNSTARTED, KEY.fields, [MY_KEY, ticket(1, "AST-1")], TO_BOB, []),
        (UNSTARTED, KEY.fields, [MY_KEY, ticket(1, "AST-1"), ticket(2, "AST-1", status="new")], TO_BOB, []),
        (UNSTARTED, KEY.fields, [MY_KEY, ticket(1, "AST-2", status="new")], TO_BOB, []),
        (UNSTARTED_RETURN, KEY.fields, [MY_KEY, NEW], BACK, URGENT),
        (UNSTARTED_RETURN, KEY.fields, [MY_KEY, NEW], TO_BOB, []),
        (FREEZE, FREEZE_FIELDS, [asset(1), ticket(1, "AST-1")], TO_BOB, URGENT),
        (FREEZE, FREEZE_FIELDS, [asset(1), ticket(1, "AST-2")], TO_BOB, []),
        (FREEZE, FREEZE_FIELDS, [MY_BADGE, ticket(1, "AST-1")], TO_BOB, []),
        (FREEZE, FREEZE_FIELDS, [MY_KEY, ticket(1, "AST-1")], BACK, []),
        (FOLLOWS, FOLLOWS_FIELDS, [asset(1), ticket(5)], TO_BOB, LOW),
        (FOLLOWS, FOLLOWS_FIELDS, [MY_BADGE, ticket(5)], TO_BOB, []),
        (FOLLOWS, FOLLOWS_FIELDS, [MY_KEY, ticket(5)], BACK, []),
        (TWIN, TWIN_FIELDS, [asset(1), asset(2, "ann.lee")], TO_BOB, RETURNS),
        (TWIN, TWIN_FIELDS, [asset(1), asset(2, "bob.ray")], TO_BOB, []),
        (TWIN, TWIN_FIELDS, [asset(1), asset(2)], TO_BOB, []),
        (TWIN, TWIN_FIELDS, [asset(3), asset(2, "ann.lee")], hand_over(3, "bob.ray"), []),
        (TWIN, TWIN_FIELDS, [MY_KEY, asset(2, "bob.ray")], BACK, []),
    ],
)
def test_a_rule_alone_has_the_effects_that_its_sentence_names(
    statement: Statement, fields: dict[str, str], rows: list[Any], act: Act, effects: list[tuple[str, str]]
) -> None:
    start = state(*rows, *map(clearance, MINE))

    found = Simulation([stated(statement, fields)]).after(start, act)

    alone = Simulation([]).after(start, act)
    assert list(found.history[len(alone.history) :]) == effects
