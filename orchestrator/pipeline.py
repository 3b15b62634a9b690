"""What a step does: the clock first, then the call, unless the action comes to something else."""

from __future__ import annotations

from typing import assert_never

from companyos.simtime import to_iso

from .calls import Done, Scene, carry_out
from .faults import desk, on_calls
from .intents import Asks, BadArguments, Calls, Finishes, Intent, Lists, NoSuchTool, Refuses, Waits
from .observations import Said, invalid_arguments, tool_not_found
from .render import tools_text
from .rewards import Call
from .tools import FINISH, REFUSE, WAIT
from .turn import Turn


async def play(intent: Intent, turn: Turn, scene: Scene) -> Done:
    """Do what an action amounts to, and everything that falls due on the way.

    Raises:
        Outage: A service did not do its part. Nothing is graded; the step may be sent again.
    """
    match intent:
        case Calls():
            return await _call(intent, turn, scene)
        case Asks():
            return await desk.ask(intent, turn, scene)
        case Waits(until):
            await turn.advance(until)
            return Done(_waited(turn))
        case Lists():
            cards = scene.catalog.cards
            return Done(Said(text=tools_text(cards), tools=cards))
        case Finishes():
            return Done(_over(FINISH.name), ends=intent)
        case Refuses():
            return Done(_over(REFUSE.name), ends=intent)
        case NoSuchTool(name):
            return Done(tool_not_found(name, list(scene.catalog.tools)), Call.UNKNOWN_TOOL)
        case BadArguments(name, flaw):
            return Done(invalid_arguments(name, flaw), Call.BAD_ARGUMENTS)
        case _:
            assert_never(intent)


async def _call(intent: Calls, turn: Turn, scene: Scene) -> Done:
    await turn.advance(turn.agenda.now + intent.tool.tick)
    if scene.plan is None:
        return await carry_out(intent, turn)
    return await on_calls.meet(intent, turn, scene, scene.plan)


def _waited(turn: Turn) -> Said:
    now = to_iso(turn.agenda.now)
    result = {"sim_now": now, "waited_s": turn.elapsed_s}
    return Said(WAIT.name, result, text=f"You waited. It is {now} now.")


def _over(tool_name: str) -> Said:
    return Said(tool_name, {"ended": True}, text="The episode is over.")
