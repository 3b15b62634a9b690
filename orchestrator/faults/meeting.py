"""A call that meets an incident, and the ways in which it can come out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from companyos.chaos import FaultId, FaultPlan, Incident
from companyos.chassis.verdicts import verdict

from ..calls import Done, Scene, answered, carry_out, operation_of
from ..failures import Failure
from ..intents import Calls
from ..observations import answered_badly, unanswered
from ..options import Latency
from ..records import Fault
from ..rewards import Call
from ..turn import Turn
from .memory import Memory

#: Simulated seconds in a second of who waits for them, where delays are slept.
SLEPT_PACE: Final = 60


@dataclass(frozen=True)
class Meeting:
    """An attempt at an operation, in a step that is being played, and the incident it meets.

    Attributes:
        incident: Begun here or, where it lasts, at an earlier call.
    """

    intent: Calls
    turn: Turn
    scene: Scene
    plan: FaultPlan
    memory: Memory
    incident: Incident

    @property
    def now(self) -> int:
        """Simulated time."""
        return self.turn.agenda.now

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the fault."""
        return self.incident.params

    @property
    def lasts(self) -> Mapping[str, Any] | None:
        """What the incident said of how long it lasts when it was last met; None at its beginning."""
        return self.memory.lasting.get((self.incident.fault, self.incident.where))

    @property
    def began_at(self) -> int:
        """The step at which the incident began."""
        landed = self.scene.company.history.landed
        return landed.get((self.incident.fault, self.incident.where), self.turn.number)

    def drawn(self, name: str, options: Sequence[Any]) -> Any:
        """Return one of the options, always the same for this incident."""
        return self.plan.draw(self.incident, name, options)

    def fault(self, **memo: Any) -> Fault:
        """Return the incident as the record of this step tells it, with what is to be remembered of it."""
        where = self.incident.where
        spoilt = self.scene.company.history.attempts.get((where[0], where[1], where[2]), 0)
        return Fault(FaultId(self.incident.fault), where, spoilt, memo)

    async def pass_time(self, seconds: int) -> None:
        """Let the call take so much longer."""
        if self.scene.episode.start.latency is Latency.SLEPT:
            await asyncio.sleep(seconds / SLEPT_PACE)
        await self.turn.advance(self.now + seconds)

    async def carried_out(self, *, hold: bool = False) -> Done:
        """Make the call as if nothing were the matter."""
        return await carry_out(self.intent, self.turn, hold=hold)

    async def refused(self, code: str, after_s: int = 0, **memo: Any) -> Done:
        """Have the service answer as it does when it fails or declines with this code."""
        tool = self.intent.tool
        answer = await self.turn.call(
            tool.service, tool.request(self.intent.arguments), verdict=verdict(code, after_s)
        )
        if answer.problem is None or answer.code != code:
            return answered(self.intent, answer)
        said = answered_badly(tool.name, answer.problem)
        return Done(said, Call.FAILED, operation_of(self.intent), self.fault(**memo))

    def not_sent(self, failure: Failure, **memo: Any) -> Done:
        """Lose the request."""
        return Done(self._unheard(failure), Call.FAILED, operation_of(self.intent), self.fault(**memo))

    async def not_heard(self, failure: Failure, **memo: Any) -> Done:
        """Make the call and lose what it is answered; it is graded for what it did."""
        done = await self.carried_out()
        return replace(done, said=self._unheard(failure), fault=self.fault(**memo))

    def _unheard(self, failure: Failure) -> Any:
        tool = self.intent.tool
        return unanswered(tool.name, tool.service, failure, reads=tool.reads)
