"""The options of `companyos run` as values: seeds, splits, chaos, tools, and options that contradict each other."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.cli.commands.dataset_options import DatasetOptions
from companyos.cli.commands.numbers import span
from companyos.cli.commands.run_options import AgentOptions, EpisodeOptions, ModelOptions, RunOptions
from companyos.cli.episodes.typed_calls import NotACall, parse_call
from companyos.cli.run.contradictions import (
    OWNERS,
    refuse_named_tools_for_scripts,
    refuse_options_of_other_agents,
    refuse_ray,
)
from companyos.cli.run.dataset import Plan, plan_of
from companyos.cli.run.options import (
    names_in_split,
    parsed_chaos,
    parsed_seeds,
    parsed_tools,
    request_of,
)
from companyos.evaluation.runs import AgentSpec, RunRequest
from companyos.evaluation.runs.export.splits import SplitRule
from companyos.sdk.scenario import load_scenarios
from companyos.sdk.splits import HELD_OUT, SEEDS, Split


def planned(**options: Any) -> Plan:
    """What a data set is to be that these options ask for."""
    return plan_of(DatasetOptions(out=Path("no such folder"), **options))


def refused(does: Callable[[], Any]) -> str:
    """The complaint about an option, with the option."""
    with pytest.raises(typer.BadParameter) as complaint:
        does()
    return f"{complaint.value.param_hint}: {complaint.value.message}"


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("1", range(1)), ("20", range(20)), ("0-0", range(1)), ("100-199", range(100, 200)), ("007", range(7))],
)
def test_seeds_are_a_number_or_a_range(text: str, seeds: range) -> None:
    assert parsed_seeds(text) == seeds


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0", "0 seeds play nothing"),
        ("", "'' is neither a number nor a range"),
        ("ten", "'ten' is neither"),
        ("²", "'²' is neither"),
        ("9-3", "9-3 is empty"),
        ("-5", "'' is neither"),
        ("1-", "'' is neither"),
        ("1-2-3", "'2-3' is neither"),
        ("9" * 19, "is neither"),
        ("1.5", "'1.5' is neither"),
    ],
)
def test_invalid_seed_lists_are_refused(text: str, told: str) -> None:
    assert told in refused(lambda: parsed_seeds(text))


@pytest.mark.parametrize("split", Split)
def test_the_seeds_of_a_split_are_counted_from_its_first(split: Split) -> None:
    most = len(SEEDS[split])

    first, last = parsed_seeds("5", split), parsed_seeds(f"{most - 1}-{most - 1}", split)

    assert list(first) == list(SEEDS[split])[:5]
    assert list(last) == [SEEDS[split][-1]]
    assert f"the {split} split has {most} seeds" in refused(lambda: parsed_seeds(str(most + 1), split))


@pytest.mark.parametrize(("most", "is_fine"), [(None, True), (5, True), (4, False)])
def test_a_range_keeps_below_what_is_allowed(most: int | None, is_fine: bool) -> None:
    if is_fine:
        assert span("0-5", "--levels", most=most) == range(6)
    else:
        assert refused(lambda: span("0-5", "--levels", most=most)) == "--levels: 5 is above 4"


FAMILIES = {"open": tuple(Split), "kept": HELD_OUT}


@pytest.mark.parametrize(
    ("named", "split", "names"),
    [
        ((), None, ["open", "kept"]),
        ((), "train", ["open"]),
        ((), "test", ["open", "kept"]),
        (("kept", "open"), "test", ["kept", "open"]),
        (("open",), "train", ["open"]),
    ],
)
def test_a_split_leaves_out_families_that_are_held_out(
    named: tuple[str, ...], split: str | None, names: list[str]
) -> None:
    assert names_in_split(FAMILIES, named, split) == names


def test_a_family_that_was_asked_for_by_name_is_not_left_out_silently() -> None:
    told = refused(lambda: names_in_split(FAMILIES, ("open", "kept"), "train"))

    assert told == "scenarios: kept does not belong to the train split; it is held out for test"


@pytest.mark.parametrize(
    ("texts", "chaos"),
    [
        (["1"], [1]),
        (["0-3", "2"], [0, 1, 2, 3]),
        (["storm", "5", "storm"], ["storm", 5]),
        (["bad-day"], ["bad-day"]),
        (['{"preset": "calm"}'], [{"preset": "calm"}]),
    ],
    ids=str,
)
def test_chaos_is_levels_names_and_profiles_each_once(texts: list[str], chaos: list[Any]) -> None:
    assert parsed_chaos(texts) == chaos


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("6", "there is no chaos level 6"),
        ("0-6", "6 is above 5"),
        ("mild", "there is no chaos preset 'mild'"),
        ("{", "the profile is not JSON"),
        ('{"faults": {"svc.none": {}}}', "there is no fault 'svc.none'"),
    ],
)
def test_chaos_that_there_is_not_is_refused(text: str, told: str) -> None:
    assert refused(lambda: parsed_chaos([text])).startswith("--chaos: " + told)


def test_tools_are_a_set_or_names_and_not_both() -> None:
    assert parsed_tools(["all"]) == "all"
    assert parsed_tools(["wait", "finish"]) == ("wait", "finish")
    assert "'all' is a whole set and stands alone" in refused(lambda: parsed_tools(["wait", "all"]))
    assert "'scenario' is a whole set" in refused(lambda: parsed_tools(["scenario", "all"]))


@pytest.mark.parametrize(
    ("part", "value", "option"),
    [
        ("rewards", "dense", "--rewards"),
        ("guidance", "some", "--guidance"),
        ("split", "dev", "--split"),
        ("tools_format", "short", "--tools-format"),
        ("observation_format", "short", "--observation-format"),
    ],
)
def test_a_choice_that_there_is_not_names_those_there_are(part: str, value: str, option: str) -> None:
    choice: dict[str, Any] = {part: value}
    options = RunOptions(EpisodeOptions(**choice))

    told = refused(lambda: request_of(options, AgentSpec("oracle", "oracle"), {"errand": 1}))

    assert told.startswith(f"{option}: there is no '{value}'. Choose from: ")


@pytest.mark.parametrize("name", OWNERS)
@pytest.mark.parametrize("kind", ["oracle", "openai", "anthropic", "command", "python", "mcp"])
def test_an_option_is_taken_by_the_agents_it_is_for_and_refused_by_others(name: str, kind: str) -> None:
    given_option: dict[str, Any] = {name: "x"}
    about_models = name not in ("program", "target")
    options = AgentOptions(
        kind, **({"model": ModelOptions(**given_option)} if about_models else given_option)
    )

    if kind in OWNERS[name]:
        refuse_options_of_other_agents(options)
    else:
        told = refused(lambda: refuse_options_of_other_agents(options))
        flag = f"--{name.replace('_', '-')}"
        assert told == f"{flag}: '{kind}' does not take it; it is for --agent {' or '.join(OWNERS[name])}"


@pytest.mark.parametrize(
    ("kind", "tools", "oracle", "is_fine"),
    [
        ("oracle", "all", False, True),
        ("oracle", ("wait",), False, False),
        ("believes_claims", ("wait",), False, False),
        ("ignores_messages", ("wait",), False, False),
        ("random", ("wait",), False, True),
        ("openai", ("wait",), False, True),
        ("openai", ("wait",), True, False),
        ("openai", "scenario", True, True),
    ],
)
def test_a_script_that_plays_needs_all_tools_of_its_scenario(
    kind: str, tools: Any, oracle: bool, is_fine: bool
) -> None:
    asked = RunRequest(AgentSpec(kind, kind), {"errand": 1}, (0,), (0,), tools=tools, oracle=oracle)

    if is_fine:
        refuse_named_tools_for_scripts(asked)
    else:
        assert "plays a script" in refused(lambda: refuse_named_tools_for_scripts(asked))


def test_workers_have_nothing_to_play_where_agents_come_by_themselves() -> None:
    assert "comes by itself" in refused(lambda: refuse_ray(AgentOptions("mcp"), RunOptions(ray=True), None))


TOOLS = {
    "desk_open": {
        "description": "Open a door.",
        "input_schema": {
            "properties": {
                "door": {"type": "string", "description": "Which."},
                "count": {"type": "integer"},
                "how": {"enum": ["fast", "slow"], "type": "string"},
            },
            "required": ["door"],
        },
    }
}
PLAIN = st.text(alphabet="abcxyz0123456789-_.", min_size=1, max_size=8)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(["door", "how"]), PLAIN), st.integers(0, 99))
def test_plain_words_are_typed_as_they_are(texts: dict[str, str], count: int) -> None:
    line = " ".join(["desk_open", *(f"{name}={text}" for name, text in texts.items()), f"count = {count}"])

    assert parse_call(line, TOOLS)["arguments"] == {**texts, "count": count}


@settings(max_examples=40)
@given(st.text(alphabet="ab '\"\\{}=", max_size=10))
def test_any_line_is_a_call_or_is_explained(rest: str) -> None:
    complaint = "."
    action: dict[str, Any] = {"arguments": {}}
    try:
        action = parse_call(f"desk_open {rest}", TOOLS)
    except NotACall as refusal:
        complaint = str(refusal)

    assert complaint.endswith(".")
    assert isinstance(action["arguments"], dict)


def test_a_data_set_has_every_family_that_may_be_learned_unless_told_otherwise() -> None:
    plan = planned()

    learned = {name for name, scenario in load_scenarios().items() if Split.TRAIN in scenario.splits}
    assert set(plan.scenarios) == learned
    assert plan.seeds == range(20)
    assert (plan.rule, plan.card.license) == (SplitRule(Fraction(1, 10)), "apache-2.0")


def test_a_held_out_family_is_played_beside_those_to_learn_from_even_if_it_is_one_of_them() -> None:
    plan = planned(
        scenarios=["bug_escalation", "expense_report"],
        held_out=["approver_desk", "bug_escalation"],
        seeds="100-103",
        validation=0.5,
    )

    assert plan.scenarios == ["approver_desk", "bug_escalation", "expense_report"]
    assert plan.seeds == range(100, 104)
    assert plan.rule == SplitRule(Fraction(1, 2), frozenset({"approver_desk", "bug_escalation"}))
    assert list(plan.card.splits) == list(Split)
