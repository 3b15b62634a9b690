"""TRL's environments need no TRL: what its trainer does with them, done here to the letter of its source."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, get_type_hints

import pytest

from companyos import CompanyosEnv
from companyos.embedded.home import Home
from companyos.integrations.trl import CompanyosFactory, TrainingEnvironment
from tests.adapters.programs.oracle import OracleModel

TASK = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1}


@pytest.fixture
def environment(url: str) -> Iterator[Any]:
    """An environment as TRL makes it: from a factory that went to another process."""
    factory: CompanyosFactory = pickle.loads(pickle.dumps(CompanyosFactory(url)))
    made = factory()
    yield made
    made.__del__()


def tools_of(environment: Any) -> dict[str, Any]:
    """Return the tools as GRPOTrainer finds them: the public functions of the class."""
    names = [name for name, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)]
    tools = [name for name in names if name not in ("reset", "get_reward") and not name.startswith("_")]
    return {name: getattr(environment, name) for name in tools}


def test_the_oracle_plays_a_row_to_success_through_methods(environment: Any, url: str) -> None:
    oracle = OracleModel(url, [{**TASK, "rewards": "drill"}])
    tools = tools_of(environment)
    seen = [environment.reset(prompt="Work on this.", **TASK)]

    while call := oracle(seen):
        seen.append(tools[call["name"]](**call["arguments"]))

    assert environment.result.metadata.success is True
    assert environment.get_reward() == pytest.approx(environment.result.metadata.episode_return)


def test_a_rollout_without_a_call_earns_no_more_than_harmless_work(environment: Any) -> None:
    environment.reset(prompt="Work on this.", **TASK)
    nothing = environment.get_reward()
    ended = environment.result
    environment.reset(prompt="Work on this.", **TASK)
    tools_of(environment)["ticketdesk_list_tickets"](limit=1)
    with suppress(ValueError):
        tools_of(environment)["ticketdesk_get_ticket"](ticket_id="TD-9999")

    worked = environment.get_reward()

    assert (ended.done, ended.metadata.success) == (True, False)
    assert nothing == 0.0 <= worked


def test_pictures_are_refused_because_tools_return_text() -> None:
    with pytest.raises(ValueError, match="choose the door text"):
        CompanyosFactory(door="screenshot")()


def test_every_tool_is_a_documented_and_annotated_method(environment: Any) -> None:
    environment.reset(**TASK)

    tools = tools_of(environment)

    assert set(tools) == {tool["name"] for tool in environment.result.observation["tools"]}
    for name, tool in tools.items():
        signature, hints = inspect.signature(tool), get_type_hints(tool)
        assert tool.__name__ == name
        assert "self" not in signature.parameters
        for argument in signature.parameters:
            assert argument in hints
            assert f"\n    {argument}: " in tool.__doc__, f"{name} does not describe {argument}"


@pytest.mark.parametrize("other", [{"scenario": "expense_report"}, {"chaos": 4}])
def test_the_row_of_another_task_offers_the_tools_of_the_class(
    environment: Any, other: dict[str, Any]
) -> None:
    environment.reset(**{**TASK, **other})

    assert {tool["name"] for tool in environment.result.observation["tools"]} == set(tools_of(environment))


def test_a_signature_says_what_is_required_and_which_values_are_allowed(environment: Any) -> None:
    update = inspect.signature(environment.ticketdesk_update_ticket).parameters

    assert update["ticket_id"].default is inspect.Parameter.empty
    assert update["priority"].annotation == Literal["low", "medium", "high", "urgent"] | None
    assert update["priority"].default is None
    verify = inspect.signature(environment.ticketdesk_verify_ticket).parameters
    assert verify["references"].annotation in (list[str], list[str] | None)


def test_a_row_with_a_snapshot_begins_where_that_episode_was(environment: Any, url: str) -> None:
    with CompanyosEnv(url) as env:
        env.reset(**TASK)
        env.call("wait", seconds=60)
        snapshot = env.snapshot(pinned=True)

    environment.reset(prompt="Work on this.", snapshot=snapshot, **TASK)

    assert environment.result.observation.step == 1
    tools_of(environment)["wait"](seconds=60)
    assert environment.result.observation.step == 2
    environment.reset(snapshot=None, **TASK)
    assert environment.result.observation.step == 0


def test_a_row_of_the_task_list_is_that_task(environment: Any, url: str) -> None:
    with CompanyosEnv(url) as env:
        row = next(task for task in env.tasks("train", 0, 100) if task.group == TASK["scenario"])

    environment.reset(prompt="Work on this.", **row)

    metadata = environment.result.metadata
    assert (metadata.scenario, metadata.seed, metadata.ignored) == (row.group, row.seed, [])


def test_columns_that_are_no_options_are_ignored(environment: Any) -> None:
    text = environment.reset(prompt=[{"role": "user", "content": "x"}], answer=42, image=None, **TASK)

    assert text == environment.reset(**TASK)
    assert environment.result.metadata.ignored == []


def test_equal_rows_are_equal_tasks_on_any_instance(url: str) -> None:
    factory = CompanyosFactory(url)
    one, another = factory(), factory()

    assert type(one) is type(another)
    assert one.reset(**TASK) == another.reset(**TASK)
    assert one.result.metadata.trace_hash == another.result.metadata.trace_hash  # type: ignore[union-attr]


def test_a_wrong_call_is_a_step_whose_answer_says_what_is_wrong(environment: Any) -> None:
    environment.reset(**TASK)

    answer = environment.ticketdesk_get_ticket(ticket="TD-1001")

    assert "ticket" in answer
    assert environment.result.observation.step == 1
    assert environment.result.observation.error["error_type"] == "invalid_args"


@pytest.mark.parametrize("tools_format", ["schemas", "signatures"])
def test_arguments_may_come_by_place_in_the_order_of_the_signature(url: str, tools_format: str) -> None:
    environment: Any = CompanyosFactory(url, tools_format=tools_format)()
    environment.reset(**TASK)
    first = next(iter(inspect.signature(environment.ticketdesk_get_ticket).parameters))

    answer = environment.ticketdesk_get_ticket("TD-1001")

    assert first == "ticket_id"
    assert "TD-1001" in answer
    assert environment.result.observation.error is None


def test_a_call_after_the_end_says_so_and_costs_nothing(environment: Any) -> None:
    environment.reset(**TASK)
    environment.finish()
    reward = environment.get_reward()

    with pytest.raises(ValueError, match="ended"):
        environment.wait(seconds=60)

    assert environment.get_reward() == reward


def test_reward_is_none_before_a_reset_and_after_a_lost_episode(environment: Any, url: str) -> None:
    before = environment.get_reward()
    environment.reset(**TASK)
    with CompanyosEnv(url) as elsewhere:
        elsewhere.attach(environment.result.metadata.episode_id)

    with pytest.raises(ValueError, match="unavailable"):
        environment.wait(seconds=60)

    assert before is None
    assert environment.get_reward() is None


def test_a_factory_can_be_given_the_names_of_the_tools(url: str) -> None:
    made = CompanyosFactory(url, tools=("ticketdesk_get_ticket", "finish"))()

    assert set(tools_of(made)) == {"ticketdesk_get_ticket", "finish"}


def test_without_an_address_the_stack_of_this_machine_is_played_on(
    home: Home, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))

    made = CompanyosFactory()()

    assert isinstance(made, TrainingEnvironment)
    assert made.reset(**TASK)
    assert made._env.base_url == url
