"""Other tickets block the goal's, one behind the other; the last of them waits for nothing any more."""

from dataclasses import replace
from typing import Any, Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Row, names
from companyos.scenario import Trouble

from .befalling import Befalling

#: Steps: look at a blocker, verify it, take it to its end, resolve it.
_COST_EACH: Final = 4
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
        """Write the chain: each ticket waits for the next but the last, which is finished."""
        depth = setting.draws.integer(f"{self.fault}.depth", 1, self.params(setting)["depth"])
        titles = setting.draws.sample(f"{self.fault}.titles", names.GROUNDWORK, depth)
        chain = tuple(self._write(case, setting, place, titles) for place in range(depth))
        waiting = [case.ticket, *case.blockers, *chain]
        for blocked, blocker in zip(waiting[len(case.blockers) :], chain, strict=False):
            setting.company.block(blocked, blocker)
        trouble = Trouble(
            fault=self.fault,
            shown_by=tuple(blocker["id"] for blocker in chain),
            repairs=("ticketdesk_resolve_blocker", "ticketdesk_verify_ticket"),
            overcome=checks.is_unblocked(case),
            cost=_COST_EACH * depth,
            codes=("ticket_blocked", "blocker_unresolved"),
        )
        return replace(case, blockers=(*case.blockers, *chain), troubles=(*case.troubles, trouble))

    def _write(self, case: Case, setting: Setting, place: int, titles: list[tuple[str, str]]) -> Row:
        title, outcome = titles[place]
        worker = setting.cast.offices["chief_of_staff"]
        last = place == len(titles) - 1
        return setting.new_ticket(
            "task",
            title.format(name=case.record["name"]),
            outcome if last else f"{outcome} It only waits for what blocks it.",
            case.record,
            priority="medium",
            assignee=worker.id,
            **(self._ended(setting) if last else _WAITING),
        )

    def _ended(self, setting: Setting) -> dict[str, Any]:
        if setting.draws.chance(f"{self.fault}.verified", 0.25):
            return {**_VERIFIED, "verified_by": setting.cast.offices["manager"].id}
        return _UNVERIFIED


BEFALLING = BlockedTicket()
