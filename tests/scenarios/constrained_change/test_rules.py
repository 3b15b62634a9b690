"""The kinds of rules: their sentences are told apart by a reader, and each does what its sentence says."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.constrained_change import pack
from scenarios.constrained_change.rules import (
    FOLLOWS,
    FREEZE,
    LAST,
    PAGE,
    STATED,
    TWIN,
    UNSTARTED,
    UNSTARTED_RETURN,
    RuleKind,
)
from scenarios.constrained_change.simulation import Act

from .hand_built import BADGE, KEY, asset, clearance, effects, hand_over, raise_to, state, ticket

#: Values for every field that a sentence may have, those of the class in one.
FIELDS = st.fixed_dictionaries(
    {
        "class": st.sampled_from(pack.CLASSES),
        "oncall": st.sampled_from(["sarah.chen", "li.van.dam"]),
        "until": st.sampled_from(["2032-05-03T12:00:00Z", "2033-01-01T23:00:00Z"]),
        "ticket": st.integers(1, 99_999).map("TD-{}".format),
        "to": st.sampled_from(pack.PRIORITIES),
        "asset": st.integers(1, 999).map("AST-{}".format),
        "other": st.integers(1000, 1999).map("AST-{}".format),
    }
)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(STATED), FIELDS), max_size=5))
def test_sentences_of_a_list_are_read_in_order_and_as_no_other_kind(
    points: list[tuple[RuleKind, dict[str, Any]]],
) -> None:
    stated = [(one, {**values["class"].fields, **values}) for one, values in points]
    body = (
        "# Rules\n\n" + "\n".join(f"- {one.text.format(**fields)}" for one, fields in stated) + "\n\nOurs.\n"
    )

    for kind in STATED:
        wanted = [
            {name: fields[name] for name in one.sentence.parts} for one, fields in stated if one is kind
        ]
        assert list(kind.sentence.find(body)) == wanted


FIELDS_OF = {
    PAGE.name: {"oncall": "sarah.chen"},
    FREEZE.name: {**KEY.fields, "until": "2032-05-03T12:00:00Z"},
    FOLLOWS.name: {**KEY.fields, "ticket": "TD-5", "to": "low"},
    TWIN.name: {"name": "Signing key", "asset": "AST-1", "other": "AST-2"},
}
TO_BOB, BACK = hand_over("AST-1", "bob.ray"), hand_over("AST-1", None)
LOSES, PAGES = {("ann.lee", "level"): 2}, {("TD-1", "assignee"): "sarah.chen"}
URGENT, LOW = {("TD-1", "priority"): "urgent"}, {("TD-5", "priority"): "low"}
RETURNS = {("AST-2", "holder"): None}
MY_KEY, MY_BADGE = asset(1, "ann.lee"), asset(1, "ann.lee", BADGE)
NEW, BEGUN = ticket(1, "AST-1", status="new"), ticket(1, "AST-1")


@pytest.mark.parametrize(
    ("kind", "rows", "act", "wanted"),
    [
        (LAST, [MY_KEY], TO_BOB, LOSES),
        (LAST, [MY_KEY], BACK, LOSES),
        (LAST, [MY_KEY, asset(2, "ann.lee")], BACK, {}),
        (LAST, [MY_KEY, asset(2, "bob.ray"), asset(3, "ann.lee", BADGE)], BACK, LOSES),
        (LAST, [MY_BADGE], BACK, {}),
        (LAST, [asset(1)], TO_BOB, {}),
        (PAGE, [ticket(1)], raise_to("TD-1", "urgent"), PAGES),
        (PAGE, [ticket(1)], raise_to("TD-1", "high"), {}),
        (PAGE, [ticket(1, priority="urgent", status="new")], Act("TD-1", "status", "in_progress"), {}),
        (UNSTARTED, [MY_KEY, NEW], TO_BOB, URGENT),
        (UNSTARTED, [MY_KEY, NEW], BACK, {}),
        (UNSTARTED, [MY_BADGE, NEW], TO_BOB, {}),
        (UNSTARTED, [MY_KEY, {**NEW, "status": "triage"}], TO_BOB, URGENT),
        (UNSTARTED, [MY_KEY, BEGUN, ticket(2, "AST-1", status="new")], TO_BOB, {}),
        (UNSTARTED, [MY_KEY, ticket(1, "AST-2", status="new")], TO_BOB, {}),
        (UNSTARTED_RETURN, [MY_KEY, NEW], BACK, URGENT),
        (UNSTARTED_RETURN, [MY_KEY, NEW], TO_BOB, {}),
        (FREEZE, [asset(1), BEGUN], TO_BOB, URGENT),
        (FREEZE, [asset(1), ticket(1, "AST-2")], TO_BOB, {}),
        (FREEZE, [MY_BADGE, BEGUN], TO_BOB, {}),
        (FREEZE, [MY_KEY, BEGUN], BACK, {}),
        (FOLLOWS, [asset(1), ticket(5)], TO_BOB, LOW),
        (FOLLOWS, [MY_BADGE, ticket(5)], TO_BOB, {}),
        (FOLLOWS, [MY_KEY, ticket(5)], BACK, {}),
        (TWIN, [asset(1), asset(2, "ann.lee")], TO_BOB, RETURNS),
        (TWIN, [asset(1), asset(2, "bob.ray")], TO_BOB, {}),
        (TWIN, [asset(1), asset(2)], TO_BOB, {}),
        (TWIN, [asset(3), asset(2, "ann.lee")], hand_over("AST-3", "bob.ray"), {}),
    ],
)
def test_a_rule_alone_has_the_effects_that_its_sentence_names(
    kind: RuleKind, rows: list[Any], act: Act, wanted: dict[tuple[str, str], Any]
) -> None:
    rule = kind.rule("AUT-1", FIELDS_OF.get(kind.name, KEY.fields))
    start = state(*rows, clearance("ann.lee"), clearance("bob.ray"), rules=(rule,))

    assert effects(start, act) == wanted
