"""What an approver's own objection asks for, as the explanation of the rejection says it."""

import re


def wants_evidence(explanation: str) -> bool:
    """Say whether something is to be attached."""
    return "add_evidence" in explanation


def field_wanted(explanation: str) -> str | None:
    """Return the field that the request is to state besides, or None; it bears the name it has on the ticket."""
    match = re.search(r"Resubmit it with (\w+) in its fields", explanation)
    return match[1] if match else None


def wants_somebody_else(explanation: str) -> bool:
    """Say whether somebody else than who turned it down is to be asked."""
    return "Resubmit it to somebody else" in explanation
