"""What an agent makes of what it has read: assets to borrow, acts to try, rules that matter, and what to leave out."""

from collections.abc import Mapping
from typing import Any

import pytest

from companyos.sdk.automations import given as condition
from scenarios.constrained_change.documents import LATEST, LOWEST
from scenarios.constrained_change.reading import (
    _LINE,
    Known,
    _metrics,
    limiting,
)
from scenarios.constrained_change.scenario import PARTLY, WHOLE
from scenarios.constrained_change.simulation import Row
from scenarios.constrained_change.statements import FREEZE, LAST, PAGE

from .hand_built import (
    BADGE,
    KEY,
    asset,
    begin,
    hand_over,
    limit,
    raise_to,
    rule,
    stated,
    take_back,
    ticket,
    wait,
)

BRIEF = "You are Ann Lee (ann.lee). Nobody may lose clearance, and olga.call must not be paged, see TD-7."
NOON = "2032-05-03T12:00:00Z"


def known(*assets: Row, wanted: Mapping[str, str], **found: Any) -> Known:
    """Return what an agent knows that has read about these assets, each wanted one with a ticket."""
    tickets = {one: ticket(10 + number, one) for number, one in enumerate(wanted)}
    project = {**ticket(7), "description": found.pop("description", "")}
    return Known(
        found.pop("brief", BRIEF),
        project,
        dict(wanted),
        {one["id"]: one for one in assets},
        {**tickets, **found.pop("tickets", {})},
        **found,
    )


@pytest.mark.parametrize(("rest", "whole"), [(WHOLE, True), (PARTLY, False), ("", False)])
def test_a_brief_says_whether_a_part_may_be_left_out(rest: str, *, whole: bool) -> None:
    assert known(wanted={}, brief=f"{BRIEF} {rest}").all_or_nothing == whole


def test_the_on_call_is_whoever_must_not_be_paged() -> None:
    assert known(wanted={}).oncall == "olga.call"


def test_a_brief_without_an_on_call_is_not_guessed_about() -> None:
    with pytest.raises(LookupError, match="must not be paged"):
        _ = known(wanted={}, brief="You are Ann Lee (ann.lee). Nobody must be paged.").oncall


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("- AST-1 (Signing key 1) to ann.lee", [("AST-1", "ann.lee")]),
        ("- AST-12 (Key (old)) to ann.van.lee", [("AST-12", "ann.van.lee")]),
        ("Intro\n- AST-1 (Key) to ann.lee\n- AST-2 (Key) to bob.ray\n", [("AST-1", "ann.lee"), ("AST-2", "bob.ray")]),
        ("AST-1 (Signing key 1) to ann.lee", []),
        ("- AST-1 (Signing key 1) to ann.lee, perhaps", []),
        ("- AST-1 to ann.lee", []),
        ("- TD-1 (Signing key 1) to ann.lee", []),
        ("- AST-1 (Signing key 1) to Ann Lee", []),
        ("Not: - AST-1 (Signing key 1) to ann.lee", []),
    ],
)  # fmt: skip
def test_only_lines_of_the_list_are_hand_overs(line: str, read: list[tuple[str, str]]) -> None:
    assert _LINE.findall(line) == read


def test_a_spare_is_in_the_pool_and_not_on_the_list_and_one_of_a_class_is_enough() -> None:
    found = known(
        asset(2, "ann.lee"),
        asset(3),
        asset(4),
        asset(5, None, BADGE),
        asset(6, "bob.ray", BADGE),
        asset(1),
        wanted={"AST-1": "ann.lee", "AST-2": "bob.ray"},
    )

    spares = {one["asset_class"]: one["id"] for one in found.spares}

    assert set(spares) == {KEY.id, BADGE.id}
    assert spares[BADGE.id] == "AST-5"
    assert spares[KEY.id] in ("AST-3", "AST-4")


def test_everything_known_is_wanted_where_it_goes_or_else_where_it_is() -> None:
    found = known(
        asset(1), asset(2, "ann.lee"), asset(3, "bob.ray"), wanted={"AST-1": "ann.lee", "AST-2": "bob.ray"}
    )

    wanted = {place[2]: columns["holder"] for place, columns in found.aim(["AST-2"]).wanted.items()}

    assert wanted == {"AST-1": "ann.lee", "AST-2": "ann.lee", "AST-3": "bob.ray"}
    assert found.aim().wanted["datahub", "assets", "AST-2"] == {"holder": "bob.ray"}


@pytest.mark.parametrize(
    ("description", "high"),
    [("This ticket has to stand at priority high when all is done.", True), ("Priority: medium.", False)],
)
def test_the_ticket_has_to_be_high_where_its_text_says_so(description: str, *, high: bool) -> None:
    found = known(asset(1), wanted={"AST-1": "ann.lee"}, description=description).aim()

    assert (("ticketdesk", "tickets", "TD-7") in found.wanted) == high
    assert (raise_to(7, "high") in found.acts) == high


def test_lost_levels_and_on_call_pages_are_always_harms() -> None:
    assert known(wanted={}).aim().never == {("lowered", ""), ("assignee:olga.call", "")}


def test_a_spare_is_lent_to_those_who_lose_an_asset_of_a_class_whose_rows_start_a_rule() -> None:
    found = known(
        asset(1, "ann.lee"),
        asset(2),
        asset(3),
        asset(4, "bob.ray", BADGE),
        asset(5, None, BADGE),
        wanted={"AST-1": "bob.ray", "AST-2": "carl.moe", "AST-4": "ann.lee"},
        rules=[stated(LAST, KEY.fields)],
    )

    acts = found.aim().acts

    moves = [hand_over(1, "bob.ray"), hand_over(2, "carl.moe"), hand_over(4, "ann.lee")]
    assert acts == [*moves, hand_over(3, "ann.lee"), take_back(3)]
    assert found.aim(["AST-1"]).acts == [moves[1], moves[2], take_back(3)]


def test_assets_are_lent_only_if_a_rule_concerns_the_last_one() -> None:
    found = known(asset(1, "ann.lee"), asset(2), wanted={"AST-1": "bob.ray"})

    assert found.aim().acts == [hand_over(1, "bob.ray")]


def test_only_new_tickets_of_assets_that_move_are_begun() -> None:
    found = known(
        *(asset(number) for number in (1, 2, 3)),
        wanted={f"AST-{number}": "ann.lee" for number in (1, 2, 3)},
        tickets={"AST-1": ticket(10, "AST-1", status="new"), "AST-3": ticket(12, "AST-3", status="new")},
    )

    assert [act for act in found.aim(["AST-3"]).acts if act.kind == "begin"] == [begin(10)]


def test_the_ends_of_rules_that_matter_are_waited_for_once_and_in_order() -> None:
    found = known(
        asset(1),
        wanted={"AST-1": "ann.lee"},
        rules=[
            stated(FREEZE, {**KEY.fields, "until": NOON}, until=300),
            stated(FREEZE, {**BADGE.fields, "until": NOON}, until=200),
            stated(FREEZE, {**KEY.fields, "until": NOON}, until=100),
            stated(FREEZE, {**KEY.fields, "until": NOON}, until=300),
        ],
    )

    assert [act for act in found.aim().acts if act.kind == "wait"] == [wait(100), wait(300)]


def test_rules_about_other_classes_do_not_matter() -> None:
    rules = [limit(KEY.id, "MET-1"), limit("lab_tablet", "MET-2"), stated(PAGE, {"oncall": "olga.call"})]

    found = known(asset(1), wanted={"AST-1": "ann.lee"}, rules=rules)

    assert found._relevant() == [rules[0], rules[2]]


def test_the_limiting_rule_is_the_one_with_a_metric_that_matters() -> None:
    rules = [stated(LAST, KEY.fields), limit(BADGE.id, "MET-2"), limit(KEY.id, "MET-1")]

    assert limiting(known(asset(1), wanted={"AST-1": "ann.lee"}, rules=rules)) is rules[2]


def test_the_values_that_a_rule_depends_on_are_live_metrics() -> None:
    other = condition({"value": "other", "of": "MET-3"}, "gt", {"count": "assets", "where": {}})

    assert _metrics(limit(KEY.id, "MET-1")) == ["MET-1"]
    assert _metrics(rule("datahub", "assets", "return_asset", other)) == []


@pytest.mark.parametrize(
    ("body", "order"),
    [
        (f"the one {LATEST}.", ["AST-4", "AST-3", "AST-2", "AST-1"]),
        (f"the one {LOWEST}.", ["AST-3", "AST-1", "AST-4", "AST-2"]),
        (None, ["AST-3", "AST-1", "AST-4", "AST-2"]),
    ],
    ids=["latest", "lowest", "no policy"],
)
def test_order_of_leaving_out_follows_the_policy(body: str | None, order: list[str]) -> None:
    """Where priorities are equal, the list decides."""
    priorities = {"AST-1": "medium", "AST-2": "high", "AST-3": "low", "AST-4": "medium"}
    found = known(
        wanted=dict.fromkeys(priorities, "ann.lee"),
        tickets={one: ticket(10, one, priority=priority) for one, priority in priorities.items()},
        policy=body and {"id": "DOC-1", "body": body},
    )

    assert found._dispensable() == order


def test_everything_is_tried_first_and_then_all_but_one_in_the_policys_order() -> None:
    """Two keys for somebody who may have one: either can be left out, and the policy names the later."""
    found = known(
        asset(1),
        asset(2),
        wanted={"AST-1": "ann.lee", "AST-2": "ann.lee"},
        levels={"ann.lee": {"id": "ann.lee", "level": 3}},
        rules=[limit(KEY.id, "MET-1")],
        values={"MET-1": 1.0},
        policy={"id": "DOC-1", "body": LATEST},
    )

    tried = list(found.orders(now=0))

    assert tried == [(None, ""), ([hand_over(1, "ann.lee")], "AST-2"), ([hand_over(2, "ann.lee")], "AST-1")]
