"""Runs as training data: the right conversations, each once, in the form that trainers read."""

import json
from dataclasses import replace
from typing import Any

import pytest

from companyos.evaluation.runs import AgentSpec, EpisodeEnding, FolderUnusable, Run
from companyos.evaluation.runs.export.formats import FORMATS

from .conftest import FINISH, Make, types_in
from .test_trajectory import CALL, TOOL, Agent


def rows(form: str, *runs: Run) -> list[dict[str, Any]]:
    """Return the rows of a format as a reader of the file gets them."""
    return [json.loads(json.dumps(row)) for row in FORMATS[form](runs)]


def test_a_successful_episode_is_a_conversation_that_ends_with_the_agents_last_call(make: Make) -> None:
    (row,) = rows("sft", make((0, 0, [CALL, FINISH], True), agent=Agent("You work here.")))

    assert [message["role"] for message in row["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert row["messages"][2]["tool_calls"][0]["function"] == {
        "name": "ticketdesk_get_ticket",
        "arguments": '{"ticket_id": "TD-1"}',
    }
    assert row["messages"][3]["content"] == "Result 1."
    assert row["messages"][3]["name"] == "ticketdesk_get_ticket"
    assert json.loads(row["tools"]) == [TOOL]


def test_training_formats_omit_failed_episodes(make: Make) -> None:
    run = make((0, 0, [CALL, FINISH], False), (1, 0, [FINISH], True))

    assert len(rows("sft", run)) == len(rows("openai", run)) == len(rows("hf", run)) == 1


def test_equal_conversations_are_exported_once(make: Make) -> None:
    run = make((0, 0, [CALL, FINISH], True), (0, 1, [CALL, FINISH], True), (0, 2, [FINISH], True))
    again = make((0, 0, [CALL, FINISH], True))

    assert len(rows("sft", run, again)) == 2


def test_hidden_reasoning_is_in_the_data_set_apart_from_what_was_said_and_not_trained_on(make: Make) -> None:
    run = make((0, 0, [CALL, "<think>Sh.</think>Not sure.", FINISH], True), (0, 1, [FINISH], False))

    (row,) = rows("hf", run)
    said = [message for message in row["messages"] if message["role"] == "assistant"]

    assert [(one["content"], one["reasoning_content"]) for one in said] == [
        ("Hm.", "Sh."),
        ("Not sure.", "Sh.\n\nSh."),
        ("Hm.", "Sh."),
    ]
    assert all("Sh." not in str(rows(form, run)) for form in ("sft", "openai", "preferences"))


def test_an_invalid_action_and_its_answer_stay_in_the_conversation(make: Make) -> None:
    (row,) = rows("sft", make((0, 0, ["I am not sure.", FINISH], True)))

    assert [(one["role"], one["content"]) for one in row["messages"]] == [
        ("user", "Task 0."),
        ("assistant", "I am not sure."),
        ("user", "Result 1."),
        ("assistant", "Hm."),
    ]


def test_openai_gets_arguments_as_strings_and_no_names(make: Make) -> None:
    (row,) = rows("openai", make((0, 0, [CALL, FINISH], True)))

    called, answered = row["messages"][1], row["messages"][2]
    assert json.loads(called["tool_calls"][0]["function"]["arguments"]) == {"ticket_id": "TD-1"}
    assert answered == {"role": "tool", "tool_call_id": called["tool_calls"][0]["id"], "content": "Result 1."}
    assert row["parallel_tool_calls"] is False
    assert row["tools"] == [TOOL]


@pytest.mark.parametrize("form", FORMATS)
def test_columns_have_one_type_in_the_rows_of_all_tools(make: Make, form: str) -> None:
    other = {
        **TOOL,
        "function": {**TOOL["function"], "parameters": {"properties": {"n": {"type": "integer"}}}},
    }
    second = Agent("")
    second.tools = [TOOL, other]
    runs = [
        make(
            (seed, 0, [CALL, {"tool_name": "b", "arguments": arguments}, FINISH], True),
            (seed, 1, [FINISH], False),
            agent=agent,
        )
        for seed, arguments, agent in (
            (0, {"n": 1}, Agent("")),
            (1, {"n": "1", "all": [{"a": None}]}, second),
            (2, {}, second),
        )
    ]

    found = rows(form, *runs)
    if form == "openai":
        # It is uploaded, and OpenAI takes tools as objects only.
        found = [{**row, "tools": None} for row in found]

    assert len(found) == 3
    assert {path: kinds for path, kinds in types_in(found).items() if len(kinds) > 1} == {}


def test_a_preference_is_a_success_and_a_failure_of_the_same_task(make: Make) -> None:
    run = make(
        (0, 0, [CALL, FINISH], True), (0, 1, [FINISH], False), (1, 0, [FINISH], False), (2, 0, [FINISH], True)
    )

    (row,) = rows("preferences", run)

    assert row["prompt"] == [{"role": "user", "content": "Task 0."}]
    assert [len(row["chosen"]), len(row["rejected"])] == [3, 1]
    assert json.loads(row["tools"]) == [TOOL]


def test_preferences_pair_the_runs_of_several_agents_under_the_prompt_of_the_one_that_failed(
    make: Make,
) -> None:
    oracle = make((0, 0, [CALL, FINISH], True))
    model = make((0, 0, [FINISH], False), (0, 1, [CALL], False), agent=Agent("You are a model."))

    found = rows("preferences", oracle, model)

    assert len(found) == 2
    assert all(row["prompt"][0] == {"role": "system", "content": "You are a model."} for row in found)


def test_a_model_that_writes_its_calls_as_text_learns_text(make: Make) -> None:
    spec = AgentSpec("openai", "m", {"model": "m", "tool_mode": "json"})

    (row,) = rows("sft", make((0, 0, [CALL, FINISH], True), spec=spec, agent=Agent("Tools: finish.")))

    assert "tools" not in row
    assert [one["role"] for one in row["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert row["messages"][2]["content"] == (
        'Hm.\n{"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1"}}'
    )


def test_environment_failures_are_in_no_format(make: Make) -> None:
    run = make((0, 0, [CALL, FINISH], True), (0, 1, [FINISH], False))
    failed = replace(
        run, episodes=tuple(replace(e, ended=EpisodeEnding.ENVIRONMENT_FAILURE) for e in run.episodes)
    )

    assert all(rows(form, failed) == [] for form in FORMATS)


def test_a_trajectory_that_is_missing_is_told(make: Make) -> None:
    run = make((0, 0, [FINISH], True))
    (run.path / "trajectories" / f"{run.episodes[0].key}.json").unlink()

    with pytest.raises(FolderUnusable, match="cannot be read"):
        rows("sft", run)
