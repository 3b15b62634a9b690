"""Where a call meets its incident: one that goes on from before, or the one that the plan decides."""

from __future__ import annotations

from dataclasses import replace

from companyos.chaos import FaultPlan, Incident, Reach

from ..calls import Done, Scene, carry_out, operation_of
from ..intents import Calls
from ..turn import Turn
from .conditions import hit
from .meeting import Meeting
from .memory import Memory
from .replicas import filled
from .strategies import STRATEGIES


async def meet(intent: Calls, turn: Turn, scene: Scene, plan: FaultPlan) -> Done:
    """Make a call, and let happen to it what is to happen.

    Raises:
        Outage: A service did not do its part, and that was not to be. The step may be sent again.
    """
    memory = scene.company.memory or Memory()
    incident = _going_on(intent, turn, memory) or _decided(intent, turn, scene, plan)
    done = None
    if incident is not None:
        meeting = Meeting(intent, turn, scene, plan, memory, incident)
        done = await STRATEGIES[incident.fault](meeting)
    if done is None:
        done = await carry_out(intent, turn)
    armed = await filled(intent, done, turn, scene, plan)
    return replace(done, armed=armed) if armed else done


def _going_on(intent: Calls, turn: Turn, memory: Memory) -> Incident | None:
    origin = hit(memory, operation_of(intent), turn.agenda.now, reads=intent.tool.reads)
    return None if origin is None else Incident(*origin, length=1, params={})


def _decided(intent: Calls, turn: Turn, scene: Scene, plan: FaultPlan) -> Incident | None:
    reaches = [Reach.ANY, Reach.READS if intent.tool.reads else Reach.WRITES]
    return plan.decide(operation_of(intent), reaches, scene.company.history, step=turn.number)
