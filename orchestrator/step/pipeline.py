"""Carries out each kind of intent; before a call, the clock advances."""

from __future__ import annotations

from typing import assert_never

from companyos.scenario import Answer
from companyos.sdk.simtime import to_iso

from ..agent.intents import (
    Abandons,
    Asks,
    BadArguments,
    Calls,
    Finishes,
    Intent,
    Lists,
    NoSuchTool,
    Refuses,
    SaysNothing,
    Waits,
)
from ..agent.observations import StepResult, invalid_arguments, no_call, tool_not_found, within_reach
from ..agent.tools import FINISH, REFUSE, WAIT
from ..chaos import injector, recovery_tools
from ..execution.step_execution import StepExecution
from ..execution.tool_calls import StepContext, carry_out


async def play(intent: Intent, execution: StepExecution, context: StepContext) -> StepResult:
    """Carry out an intent, and everything that becomes due in the meantime.

    Raises:
        Outage: A service did not do its part. Nothing is graded; the step may be sent again.
    """
    match intent:
        case Calls():
            return within_reach(
                await _call(intent, execution, context), context.tools.offered, context.tools.catalog
            )
        case Asks():
            return await recovery_tools.ask(intent, execution, context)
        case Waits(until):
            await execution.advance(until)
            return _waited(execution)
        case Lists():
            listed = context.tools.listed(context.episode.start.tools_format)
            return StepResult(text=listed.text, tools=listed.cards)
        case Finishes():
            return _finished(intent, context.prepared.instance.answer)
        case Refuses() | Abandons():
            return _over(intent)
        case NoSuchTool(name, exists):
            return tool_not_found(name, context.tools.offered, exists=exists)
        case BadArguments(name, flaw):
            return invalid_arguments(name, flaw.text, flaw.facts)
        case SaysNothing():
            return no_call()
        case _:
            assert_never(intent)


async def _call(intent: Calls, execution: StepExecution, context: StepContext) -> StepResult:
    await execution.advance(execution.agenda.now + intent.tool.tick)
    if context.plan is None:
        return await carry_out(intent, execution)
    return await injector.inject(intent, execution, context, context.plan)


def _waited(execution: StepExecution) -> StepResult:
    now = to_iso(execution.agenda.now)
    result = {"sim_now": now, "waited_s": execution.elapsed_s}
    return StepResult(WAIT.name, result, text=f"You waited. It is {now} now.")


def _finished(intent: Finishes, wanted: Answer | None) -> StepResult:
    """End the episode, unless the task asks for a typed answer and this is not one."""
    if wanted is not None and (flaw := wanted.flaw(intent.answer)) is not None:
        facts = {"field": "answer", **({} if intent.answer is not None else {"required_field": "answer"})}
        return invalid_arguments(FINISH.name, f"answer: {flaw}.", facts)
    return _over(intent)


def _over(ends: Finishes | Refuses | Abandons) -> StepResult:
    called = {Finishes: FINISH.name, Refuses: REFUSE.name}.get(type(ends))
    return StepResult(called, {"ended": True}, text="Your work on this task has ended.", ends=ends)
