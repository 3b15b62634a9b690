"""The injector: finds the incident that hits a call, either an ongoing one or the plan's."""

from __future__ import annotations

from dataclasses import replace

from companyos.sdk.chaos import FaultPlan, Incident, Reach

from ..agent.intents import Calls
from ..agent.observations import StepResult
from ..execution.step_execution import StepExecution
from ..execution.tool_calls import ClaimNeeded, carry_out, operation_of
from ..progress.fault_memory import FaultMemory
from .injection import Injection
from .ongoing_incidents import ongoing_origin
from .replicas import fill_replicas
from .strategies import STRATEGIES


async def inject(intent: Calls, execution: StepExecution, plan: FaultPlan) -> StepResult:
    """Make a call under the fault plan.

    Raises:
        Outage: A service did not do its part for a reason other than a fault. The step may be sent again.
        ClaimNeeded: A fault hits the call, and the step is not claimed.
    """
    memory = execution.context.progress.memory or FaultMemory()
    incident = _ongoing(intent, execution, memory) or _planned(intent, execution, plan)
    done = None
    if incident is not None:
        if execution.context.claim.token is None:
            raise ClaimNeeded
        injection = Injection(intent, execution, plan, memory, incident)
        done = await STRATEGIES[incident.fault](injection)
    if done is None:
        done = await carry_out(intent, execution)
    armed = await fill_replicas(intent, done, execution, plan)
    return replace(done, armed=armed) if armed else done


def _ongoing(intent: Calls, execution: StepExecution, memory: FaultMemory) -> Incident | None:
    origin = ongoing_origin(memory, operation_of(intent), execution.agenda.now, reads=intent.tool.reads)
    return None if origin is None else Incident(*origin, length=1, params={})


def _planned(intent: Calls, execution: StepExecution, plan: FaultPlan) -> Incident | None:
    reaches = [Reach.ANY, Reach.READS if intent.tool.reads else Reach.WRITES]
    history = execution.context.progress.history
    return plan.decide(operation_of(intent), reaches, history, step=execution.number)
