"""The part of the playbook that obtains missing permissions."""

from typing import Any, Final

from companyos.sdk.scenario import Observation
from companyos.sdk.scripts.asking import Answer, Asker, Play, Refused
from companyos.sdk.simtime import MINUTE, from_iso

#: How long an event takes to arrive if nothing disturbs it, in simulated seconds.
NEWS_S: Final = 10 * MINUTE


class Access(Asker):
    """An employee's work with permissions."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._granted: set[str] = set()

    def permitted(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool; if a permission is missing, obtain it and call again.

        Raises:
            Refused: The tool refused for another reason.
        """
        while True:
            try:
                return (yield from self.ask(tool_name, **arguments))
            except Refused as refusal:
                yield from self.come_by_permission(refusal)

    def come_by_permission(self, refusal: Refused) -> Play[None]:
        """Request the permission that a tool needs, and wait until it is granted and the service knows it.

        Raises:
            Refused: The tool refused for another reason.
        """
        if refusal.code != "permission_required":
            raise refusal
        lacking = refusal.facts["permission"]
        if lacking in self._granted:
            yield from self.heard_of(lacking, refusal.service)
            return
        reason = f"{self.ticket_id} needs {refusal.tool}."
        access = yield from self.ask("datahub_request_access", permission=lacking, reason=reason)
        yield from self.wait_until(from_iso(access["due_at"]))
        self._granted.add(lacking)

    def heard_of(self, permission: str, service: str) -> Play[None]:
        """Make sure that a service has received a grant's event."""
        yield from self.wait_until(self.now + NEWS_S)

    def attach(self, status: Answer, ticket: Answer, metric: Answer) -> Play[None]:
        """Attach the evidence that the approver of a rejected request asked for."""
        kind, reference = status["required_evidence"], metric["id"]
        if kind != "metric":
            verified = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
            reference = verified["subject"] if kind == "record" else verified["id"]
        yield from self.ask(
            "approvalflow_add_evidence", request_id=status["id"], kind=kind, reference=reference
        )
