"""The part of the playbook that finds out what a request must state under the policy that will decide it."""

from collections.abc import Mapping
from typing import Any

from companyos.sdk.scripts.asking import Answer, Asker, Play
from companyos.sdk.simtime import from_iso


class Terms(Asker):
    """An employee's work with policies and the fields of approval types."""

    def in_force(self, policy: Answer) -> Play[Answer]:
        """Return the policy that decides a request made now, after waiting for an announced change."""
        while True:
            horizon = self.now + 2 * policy["decision_s"]
            coming = [at for change in policy["announced"] if (at := from_iso(change["at"])) <= horizon]
            if not coming:
                return policy
            yield from self.wait_until(max(coming))
            policy = yield from self.ask("approvalflow_get_policy", type_id=policy["id"])

    def stated(self, type_id: str, ticket: Answer, known: Mapping[str, Any]) -> Play[dict[str, Any]]:
        """Return what a request must state, in the type's current names and units.

        Args:
            type_id: The approval type.
            ticket: The ticket that the request is about, from which more values are taken.
            known: The values known so far, by current or former field name, with metrics in DataHub's unit.
        """
        kind = yield from self.ask("approvalflow_get_approval_type", type_id=type_id)
        names = {field["name"]: _known_as(field, known) for field in kind["fields"]}
        stated = {
            field["name"]: _in_unit(field, known[name])
            for field in kind["fields"]
            if (name := names[field["name"]]) is not None
        }
        lacking = [
            field["name"] for field in kind["fields"] if field["required"] and field["name"] not in stated
        ]
        if lacking:
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=ticket["id"])
        return {**stated, **{name: ticket[name] for name in lacking}}


def _known_as(field: Answer, known: Mapping[str, Any]) -> str | None:
    return next((name for name in (field["name"], field["renamed_from"]) if name in known), None)


def _in_unit(field: Answer, value: Any) -> Any:
    return value if field["scale"] == 1 else round(value * field["scale"], 6)
