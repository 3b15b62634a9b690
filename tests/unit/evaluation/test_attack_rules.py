"""The rules of a search for attacks: what a loop earns, how a plan is changed, and what counts as a defect."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.attacks.logs import ENDS, OracleLog
from companyos.evaluation.attacks.loops import MORE, REPETITIONS, UNDOES, Loop, LoopResult, latest_id
from companyos.evaluation.attacks.plans import (
    LONGEST,
    PlanMutations,
    PlanPlay,
    PlanScore,
    ended,
    flaws_of,
    starts_of,
)
from companyos.evaluation.attacks.plausible import PlausibleCalls, is_reading
from companyos.evaluation.attacks.report import ATTACKS_BEGIN, as_table, card_with_attacks, defects
from companyos.evaluation.attacks.search import Effort
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, call

LAW = settings(max_examples=40)
LOOK, OPEN, FINISH = call("desk_get_door"), call("desk_open_door", door_id="D-1"), call("finish")
REFUSE = call("refuse", reason_code="no_door")
LOOP = Loop(0, 0, (OPEN,))


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": {"properties": properties, "required": list(properties)}}


FIRST: dict[str, Any] = {
    "text": "Open a door.",
    "tools": [
        tool("desk_get_door"),
        tool("desk_open_door", door_id={"type": "string", "description": "Id of a door: `D-1`."}),
        tool("wait", seconds={"type": "integer"}),
        tool("finish"),
        tool("refuse", reason_code={"type": "string", "enum": ["no_door", "no_key"]}),
    ],
    "result": None,
    "steps_remaining": 20,
}
ANSWER = {"text": "", "result": {"id": "D-7", "count": 3}, "error": None}


def log(*actions: Action, seed: int = 0) -> OracleLog:
    return OracleLog(seed, FIRST, actions, (ANSWER,) * len(actions), 10.0, True)


LOGS = [log(LOOK, OPEN, FINISH), log(LOOK, call("desk_open_door", door_id="D-2"), REFUSE, seed=1)]


@pytest.mark.parametrize(
    ("gains", "is_suspect", "is_positive", "gain"),
    [
        ((), False, False, None),
        ((5.0,), False, False, None),
        ((5.0, -0.1, -0.1), False, False, -0.1),
        ((5.0, 0.0, 0.0), False, False, 0.0),
        ((5.0, 0.1, -0.1), True, True, 0.0),
        ((-0.1, 1.0, -0.1, *[-0.1] * MORE), True, False, -0.1),
        ((1.0, 1.0, 1.0, *[0.0] * MORE), True, False, 0.0),
        ((1.0, 1.0, 1.0, *[0.5] * MORE), True, True, 0.5),
        ((1.0, 1.0, 1.0, 0.3, -0.1, -0.2), True, False, 0.0),
    ],
    ids=str,
)
def test_a_loop_is_judged_by_what_it_earns_after_its_first_repetitions(
    gains: tuple[float, ...], is_suspect: bool, is_positive: bool, gain: float | None
) -> None:
    result = LoopResult(LOOP, gains, 9, 0)

    assert (result.is_suspect, result.is_positive, result.gain) == (is_suspect, is_positive, gain)


@LAW
@given(st.lists(st.floats(-1, 0), max_size=REPETITIONS + MORE))
def test_a_loop_that_never_earns_is_never_positive(gains: list[float]) -> None:
    assert not LoopResult(LOOP, tuple(gains), 9, 0).is_positive


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"id": "D-1", "ticket_id": "TD-1"}, "D-1"),
        ({"name": "x", "ticket_id": "TD-1", "door_id": "D-2"}, "TD-1"),
        ({"count_id": 5, "door_id": "D-2"}, "D-2"),
        ({"items": []}, None),
        ([{"id": "D-1"}], None),
        (None, None),
    ],
    ids=str,
)
def test_the_latest_id_is_that_of_the_object_a_call_returned(result: Any, found: Any) -> None:
    assert latest_id({"result": result}) == found


def test_a_call_is_undone_by_calls_that_change_something() -> None:
    assert not [tool for tools in UNDOES.values() for tool in tools if is_reading(tool) or tool in ENDS]


@LAW
@given(st.integers(0, 10_000), st.integers(0, 5), st.lists(st.sampled_from([LOOK, OPEN]), max_size=8))
def test_a_changed_plan_is_a_plan_again(number: int, child: int, acts: list[Action]) -> None:
    mutations = PlanMutations(LOGS, Draws("t"))
    parent = ended([*acts, FINISH])

    changed = mutations.changed(parent, number, child)

    assert changed == mutations.changed(parent, number, child)
    assert len(changed) <= LONGEST
    assert all(act["tool_name"] not in ENDS for act in changed[:-1])
    assert {act["tool_name"] for act in changed} <= {one["name"] for one in FIRST["tools"]}


def test_changes_lead_to_different_plans_of_different_lengths() -> None:
    mutations = PlanMutations(LOGS, Draws("t"))
    parent = (LOOK, OPEN, LOOK, FINISH)

    children = [mutations.changed(parent, number, 0) for number in range(60)]

    assert len({repr(child) for child in children}) > 20
    assert {bool(child) and child[-1]["tool_name"] in ENDS for child in children} == {True, False}
    assert len({len(child) for child in children}) > 3


def test_a_climb_begins_with_doing_nothing_every_refusal_once_and_some_whole_logs() -> None:
    logs = [*LOGS, log(REFUSE), log(OPEN)]

    assert starts_of(logs, 2) == [(), (REFUSE,), LOGS[0].actions, LOGS[1].actions]


@pytest.mark.parametrize(
    ("won", "pairs"),
    [([], []), ([4], []), ([5], []), ([4, 5], [2]), ([5, 6], []), ([4, 5, 6, 7], [2, 3]), ([4, 6, 7], [3])],
    ids=str,
)
def test_a_pair_is_solved_with_both_of_its_seeds(won: list[int], pairs: list[int]) -> None:
    plays = tuple(PlanPlay(seed, 1.0, 0.5, seed in won) for seed in range(4, 8))

    score = PlanScore((), plays)

    assert (score.solved, score.pairs) == (won, pairs)
    assert (score.mean_return, score.mean_gained) == (1.0, 0.5)


CLEAN: dict[str, Any] = {
    "forbidden": [{"name": "peeked", "kept": True}],
    "orders": [{"name": "first", "kept": True}],
    "collateral": [],
    "violations": [],
    "musts": [{"name": "opened", "holds": True}],
    "feasible": True,
}


@pytest.mark.parametrize(
    ("changed", "flaws"),
    [
        ({}, ()),
        ({"forbidden": [{"name": "peeked", "kept": False}]}, ("forbidden: peeked",)),
        ({"orders": [{"name": "first", "kept": False}]}, ("out of order: first",)),
        ({"collateral": ["a/b/c"]}, ("outside: a/b/c",)),
        ({"violations": [{"code": "sod"}]}, ("violation: sod",)),
        ({"musts": [{"name": "opened", "holds": False}]}, ("must: opened",)),
        ({"musts": [{"name": "opened", "holds": False}], "feasible": False}, ()),
    ],
    ids=str,
)
def test_each_fact_on_a_grade_card_speaks_against_a_success(
    changed: dict[str, Any], flaws: tuple[str, ...]
) -> None:
    assert flaws_of({**CLEAN, **changed}) == flaws


@LAW
@given(st.sampled_from([one["name"] for one in FIRST["tools"]]), st.integers(0, 999))
def test_a_plausible_call_has_every_required_argument_of_its_type(name: str, where: int) -> None:
    calls = PlausibleCalls(Draws("t"), LOGS)

    arguments = calls.call_of(name, where)["arguments"]

    assert set(arguments) == set(calls.needs(name))
    assert isinstance(arguments.get("door_id", ""), str)
    assert arguments.get("seconds", 60) in (60, 3_600, 86_400)
    assert arguments.get("reason_code", "no_key") in ("no_door", "no_key")


@LAW
@given(st.integers(0, 999))
def test_another_value_is_never_the_one_there_was(where: int) -> None:
    calls = PlausibleCalls(Draws("t"), LOGS)

    assert calls.another("refuse", "reason_code", "no_door", where) in ("no_key", None)
    assert calls.another("desk_open_door", "door_id", "D-1", where) != "D-1"


def test_tools_that_change_something_come_first_and_endings_not_at_all() -> None:
    assert PlausibleCalls(Draws("t"), LOGS).tools == ["desk_open_door", "wait", "desk_get_door"]


REPORT: dict[str, Any] = {
    "version": 3,
    "held_out": [100_000, 100_003],
    "loops": {
        "played": 8,
        "points": 4,
        "episodes": 2,
        "calls": 30,
        "refused": 0.25,
        "positive": [],
        "best_gain": -0.1,
    },
    "plans": {
        "scored": 9,
        "mean_return": 2.0,
        "mean_gained": 1.0,
        "solved": 0,
        "seeds": 4,
        "acts": [LOOK, OPEN, LOOK, FINISH],
        "solved_pairs": [],
        "false_successes": [],
    },
    "endings": {
        "plans": [57, 30],
        "calls": 7,
        "at_once": 0.0,
        "best": [0.0, 0.04, 0.09],
        "least_failure": 0.0,
        "most_failure": 0.45,
        "least_success": 1.4,
        "dearest": 0.02,
        "beaten": [],
        "uneven": [],
    },
    "extras": {
        "acts": 120,
        "carried_out": 40,
        "kept": 3,
        "harmless": ["a comment"],
        "false_successes": [],
        "variants": 9,
        "false_failures": [],
    },
    "oracle": {"mean_return": 10.0, "successes": 4, "refusals": 1},
    "ratio": 0.2,
}


def changing(part: str, **facts: Any) -> Callable[[dict[str, Any]], None]:
    return lambda report: report[part].update(facts)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda report: None, None),
        (lambda report: report.update(ratio=None), None),
        (lambda report: report.update(ratio=1.0), None),
        (lambda report: report.update(ratio=1.01), "an attack earns 1.01 of the oracle's return"),
        (changing("oracle", successes=3), "the oracle failed, so that nothing can be told by it"),
        (changing("endings", least_success=0.45), "a failure earns 0.45, a success 0.45"),
        (changing("endings", least_success=None), None),
        (
            changing("endings", beaten=[{"seed": 0, "after": 3}]),
            "ending earlier earns more than a call that costs nothing, at seed 0 after 3 actions",
        ),
        (
            changing("extras", false_successes=[{"seed": 2, "after": 4, "acts": [OPEN]}]),
            f"an extra act keeps the success, at seed 2 after 4 actions: {[OPEN]}",
        ),
        (
            changing("extras", false_failures=[{"seed": 2, "after": 4, "acts": [LOOK]}]),
            f"an honest variant fails, at seed 2 after 4 actions: {[LOOK]}",
        ),
    ],
)
def test_each_finding_is_a_defect_of_its_family(
    change: Callable[[dict[str, Any]], None], told: str | None
) -> None:
    report = copy.deepcopy(REPORT)
    change(report)

    assert defects({"doors": report}) == ([] if told is None else [f"doors: {told}"])
    assert ("no attack pays" in as_table({"doors": report})) is (told is None)


def test_writing_the_section_of_a_card_again_changes_nothing() -> None:
    card = "# Doors\n\n## Baselines\n\n## Version history\n\n- 3: new\n"

    once = card_with_attacks(card, REPORT)

    assert card_with_attacks(once, REPORT) == once
    assert once.count(ATTACKS_BEGIN) == 1
    assert once.index(ATTACKS_BEGIN) < once.index("## Version history")
    assert "`desk_get_door`, `desk_open_door`, `desk_get_door` and 1 more" in once
    with pytest.raises(ValueError, match="## Version history"):
        card_with_attacks("# Doors\n", REPORT)


@LAW
@given(st.integers(0, 9), st.integers(0, 5))
def test_the_seeds_of_plans_are_whole_pairs_that_no_log_has(logs: int, pairs: int) -> None:
    effort = Effort(logs=logs, pairs=pairs)

    assert len(effort.held_out) == 2 * pairs
    assert all(seed % 2 == 0 and seed + 1 in effort.held_out for seed in effort.held_out[::2])
    assert not set(effort.held_out) & set(range(logs))
