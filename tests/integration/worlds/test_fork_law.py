"""The fork law on the product: whichever way leads to the same actions, everything is the same afterwards."""

from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from companyos.sdk.scenario import Action, call
from orchestrator.agent.actions import ActionRefused, parse_action
from tests.approval_tasks import APPROVAL_TASKS
from tests.families import SOME, SOME_AND_CHAOS
from tests.sizes import size

from .malformed_calls import MalformedCaller
from .plans import instance_of, plan_of
from .plausible_calls import WAITS, PlausibleCaller
from .stack import Stack, episode_id, told
from .state import State, state_of
from .tree import Branch, Rule, Tree, answers_again, played_alone

TICKET = {"kind": "task", "title": "Call back", "description": "They rang."}
#: Calls under keys of the agent's own: the same one again, and the same key for something else.
KEYED: list[Action] = [
    call("ticketdesk_create_ticket", **TICKET, idempotency_key="mine"),
    call("ticketdesk_create_ticket", **TICKET, idempotency_key="mine"),
    call("ticketdesk_create_ticket", **{**TICKET, "title": "Ring them"}, idempotency_key="mine"),
    call("ticketdesk_create_ticket", **TICKET, idempotency_key="s1"),
]
#: Layers of a chain that is left alone.
FOLDED = 8
ENDINGS = [call("finish", answer="Done."), call("refuse", reason_code="policy_forbids")]

#: Shrinking would take longer than a test may: the sequence that failed is told as it was found.
FINDING = (Phase.explicit, Phase.reuse, Phase.generate)
_rules: dict[str, int] = {
    "advance": 6,
    "act": 6,
    "act_while_folding": 1,
    "snapshot": 3,
    "restore": 3,
    "detour": 3,
    "fork": 3,
    "begin": 2,
    "deepen": 1,
    "reset": 1,
    "drop": 1,
    "close": 1,
}
names = st.sampled_from([name for name, weight in _rules.items() for _ in range(weight)])
rules = st.lists(st.tuples(names, st.integers(0, 7), st.integers(0, 99)), min_size=8, max_size=24)


async def pool_of(stack: Stack, plan: list[Action], options: dict[str, Any]) -> list[Action]:
    """Return actions worth trying in any order: the oracle's, a clerk's, malformed ones, waits and endings."""
    begun = await stack.begin(**options)
    instance = instance_of(options["scenario"], options["seed"], options["chaos"])
    wild = MalformedCaller(PlausibleCaller(str(options), begun.observation["tools"], instance))
    drawn = [wild.act(begun.observation) for _ in range(60)]
    await stack.replicas[0].close(episode_id(begun))
    waits = [call("wait", seconds=seconds) for seconds in WAITS]
    return [*plan[:-1], *KEYED, *waits, *ENDINGS, *filter(is_action, drawn)]


def is_action(value: Any) -> bool:
    """Return whether a value is an action at all."""
    try:
        parse_action(value)
    except ActionRefused:
        return False
    return True


async def assert_law(stack: Stack, options: dict[str, Any], branches: list[Branch]) -> None:
    """Assert that every branch is what an episode of its own with the same actions is."""
    alone: dict[bytes, tuple[State, list[Any]]] = {}
    for number, branch in enumerate(branches):
        path = orjson.dumps(branch.path)
        if path not in alone:
            solo = await played_alone(stack, options, branch.path)
            replies = [told(reply) for reply in solo.replies]
            alone[path] = await state_of(stack, stack.replicas[0], solo.id), replies
            await stack.replicas[0].close(solo.id)
        expected, replies = alone[path]
        replica = stack.replicas[number % len(stack.replicas)]
        assert await state_of(stack, replica, branch.id) == expected
        assert [told(reply) for reply in branch.replies] == replies
        assert await answers_again(replica, branch) == replies


@pytest.mark.proof
@pytest.mark.parametrize("share", range(size(1, 4)))
@pytest.mark.parametrize("scenario", SOME)
@settings(
    max_examples=size(3, 25),
    deadline=None,
    phases=FINDING,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=rules, seed=st.integers(0, 3), chaos=st.integers(0, 1))
async def test_every_branch_is_what_an_episode_of_its_own_is(
    stack: Stack, scenario: str, share: int, steps: list[Rule], seed: int, chaos: int
) -> None:
    options = {"scenario": scenario, "seed": seed, "chaos": chaos, "max_steps": 100}
    plan = await plan_of(stack, **options)
    tree = Tree(stack, options, await pool_of(stack, plan, options), plan)

    note(f"{options}\n{steps}")

    for step in steps:
        await tree.do(step)
    for number in range(min(2, len(tree.kept))):
        await tree.do(("begin", 0, number))

    await assert_law(stack, options, tree.branches)
    await tree.felled()


@pytest.mark.proof
@pytest.mark.parametrize(("scenario", "chaos"), SOME_AND_CHAOS)
async def test_a_task_is_solved_the_same_whatever_was_tried_and_undone_before_every_step(
    stack: Stack, scenario: str, chaos: int
) -> None:
    options = {"scenario": scenario, "seed": 0, "chaos": chaos}
    plan = await plan_of(stack, **options)
    tree = Tree(stack, options, plan, plan)

    for number, _ in enumerate(plan):
        await tree.do(("detour", 0, 0))
        await tree.do(("act_while_folding", 0, number))
    for number in (len(plan) // 2, len(plan) - 1):
        await tree.do(("begin", 0, number))
        for left in range(number, len(plan)):
            await tree.do(("act", len(tree.branches) - 1, left))

    await tree.episodes._background_jobs.fold()

    assert len(tree.kept) == len(plan)
    assert len(plan) > FOLDED or scenario not in APPROVAL_TASKS, "chains of approval tasks get folded"
    assert len((await tree.episodes._episode(tree.branches[0].id)).chain) <= FOLDED
    assert [branch.replies[-1].metadata["success"] for branch in tree.branches] == [True] * 3
    assert {orjson.dumps(branch.path) for branch in tree.branches} == {orjson.dumps(plan)}
    await assert_law(stack, options, tree.branches)
    await tree.felled()
