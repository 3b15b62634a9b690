"""Other tickets block the goal's, one behind the other; the last waits for nothing any more, or for what comes."""

from dataclasses import replace
from typing import Any, Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Row, names
from companyos.scenario import Trouble

from .befalling import Befalling
from .waits import wait_for_decision, wait_for_figure

_TICKET: Final = "ticket"
#: Steps: look at a blocker, verify it, take it to its end, resolve it.
_COST_OF_TICKET: Final = 4
#: Steps: as for any ticket; look, wait, look again, resolve; read, refresh, wait, read again, resolve. Where the last
#: is no ticket, one that blocked before has come to wait as well, and is to be taken to its end.
_COST_OF_LAST: Final = {_TICKET: _COST_OF_TICKET, "approval": 4, "data": 5}
#: What makes a ticket wait for what is no ticket.
_WAITS: Final = {"approval": wait_for_decision, "data": wait_for_figure}
#: What has become of the last blocker: finished, and perhaps verified as well.
_UNVERIFIED: Final[dict[str, Any]] = {
    "status": "done",
    "acts": ("assigned", "transitioned", "transitioned"),
}
_VERIFIED: Final[dict[str, Any]] = {
    "status": "done",
    "acts": ("assigned", "verified", "transitioned", "transitioned"),
    "evidence": "Checked the result.",
}
#: What has become of one that waits for another itself.
_WAITING: Final[dict[str, Any]] = {"status": "triage", "acts": ("assigned", "transitioned", "blocked")}


class BlockedTicket(Befalling):
    """Puts a chain of blockers before the goal's ticket, or behind the one that blocks it already."""

    fault = FaultId.BLOCKED_TICKET

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the chain: each ticket waits for the next; the last thing of it is of the drawn kind."""
        params, draws = self.params(setting), setting.draws
        depth = draws.integer(f"{self.fault}.depth", 1, params["depth"])
        kind = draws.choice(f"{self.fault}.kind", params["kind"])
        chain = self._chain(case, setting, depth, ends=kind == _TICKET)
        waiting = [case.ticket, *case.blockers, *chain]
        for blocked, blocker in zip(waiting[len(case.blockers) :], chain, strict=False):
            setting.company.block(blocked, blocker)
        awaits = None if kind == _TICKET else _WAITS[kind](setting, waiting[-1], str(self.fault))
        trouble = Trouble(
            fault=self.fault,
            shown_by=(*(blocker["id"] for blocker in chain), *((awaits.id,) if awaits else ())),
            repairs=("ticketdesk_resolve_blocker", "ticketdesk_verify_ticket"),
            overcome=checks.is_unblocked(case),
            cost=_COST_OF_TICKET * (depth - 1) + _COST_OF_LAST[kind] + (len(case.blockers) if awaits else 0),
            codes=("ticket_blocked", "blocker_unresolved"),
        )
        blockers, troubles = (*case.blockers, *chain), (*case.troubles, trouble)
        return replace(case, blockers=blockers, awaits=awaits, troubles=troubles)

    def _chain(self, case: Case, setting: Setting, depth: int, *, ends: bool) -> tuple[Row, ...]:
        """Write the tickets of a chain of this depth, the last of which ends it or waits for something else."""
        titles = setting.draws.sample(f"{self.fault}.titles", names.GROUNDWORK, depth)
        chain = [self._write(case, setting, title, ended=False) for title in titles[:-1]]
        return (*chain, *([self._write(case, setting, titles[-1], ended=True)] if ends else ()))

    def _write(self, case: Case, setting: Setting, named: tuple[str, str], *, ended: bool) -> Row:
        title, outcome = named
        worker = setting.cast.offices["chief_of_staff"]
        return setting.new_ticket(
            "task",
            title.format(name=case.record["name"]),
            outcome if ended else f"{outcome} It only waits for what blocks it.",
            case.record,
            priority="medium",
            assignee=worker.id,
            **(self._ended(setting) if ended else _WAITING),
        )

    def _ended(self, setting: Setting) -> dict[str, Any]:
        if setting.draws.chance(f"{self.fault}.verified", 0.25):
            return {**_VERIFIED, "verified_by": setting.cast.offices["manager"].id}
        return _UNVERIFIED


BEFALLING = BlockedTicket()
