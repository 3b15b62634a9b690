"""How an employee comes to do what takes a permission that they lack."""

import re
from typing import Any

from companyos.simtime import from_iso

from .asking import Answer, Asker, Play, Refused


class Access(Asker):
    """What an employee does about permissions."""

    def permitted(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool; where that takes a permission, ask for it, wait until it is granted, and call again.

        Raises:
            Refused: The tool refused for another reason.
        """
        while True:
            try:
                return (yield from self.ask(tool_name, **arguments))
            except Refused as refusal:
                if refusal.code != "permission_required":
                    raise
                lacking = re.findall(r"permission '(\w+)'", str(refusal))[0]
            access = yield from self.ask(
                "datahub_request_access", permission=lacking, reason=f"{self.ticket_id} needs {tool_name}."
            )
            yield from self.wait_until(from_iso(access["due_at"]))
