"""How an employee comes to do what takes a permission that they lack."""

import re
from typing import Any, Final

from companyos.scenario import Observation
from companyos.simtime import MINUTE, from_iso

from .asking import Answer, Asker, Play, Refused

#: How long news takes to get about when nothing is in its way, simulated seconds.
NEWS_S: Final = 10 * MINUTE


class Access(Asker):
    """What an employee does about permissions."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._granted: set[str] = set()

    def permitted(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool; where that takes a permission, come by it and call again.

        Raises:
            Refused: The tool refused for another reason.
        """
        while True:
            try:
                return (yield from self.ask(tool_name, **arguments))
            except Refused as refusal:
                yield from self.come_by_permission(refusal)

    def come_by_permission(self, refusal: Refused) -> Play[None]:
        """Ask for the permission that a tool wants and wait for it; where it is granted, let the service hear of it.

        Raises:
            Refused: The tool refused for another reason.
        """
        if refusal.code != "permission_required":
            raise refusal
        lacking = re.findall(r"permission '(\w+)'", str(refusal))[0]
        if lacking in self._granted:
            yield from self.heard_of(lacking, refusal.service)
            return
        reason = f"{self.ticket_id} needs {refusal.tool}."
        access = yield from self.ask("datahub_request_access", permission=lacking, reason=reason)
        yield from self.wait_until(from_iso(access["due_at"]))
        self._granted.add(lacking)

    def heard_of(self, permission: str, service: str) -> Play[None]:
        """See to it that a service hears of a grant: let the news get about."""
        yield from self.wait_until(self.now + NEWS_S)
