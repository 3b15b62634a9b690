"""Plays without harm and without success, of which none may earn less than doing nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from companyos.sdk.scenario import Action, call

TASK = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1}
NOTHING = "nothing"
#: The calls of each play; most leave their episode before its end.
PLAYS: dict[str, Sequence[Action]] = {
    NOTHING: (),
    "work": (call("ticketdesk_list_tickets", limit=1), call("wait", seconds=60)),
    "mistakes": (
        call("ticketdesk_get_ticket", ticket_id="TD-9999"),
        call("ticketdesk_get_ticket", ticket="TD-1001"),
        call("ticketdesk_no_such_tool"),
    ),
    "finish": (call("finish"),),
}


def earned(play: Callable[[Sequence[Action]], Any]) -> dict[str, Any]:
    """Return what a function says of each play: its return in the episode that it plays."""
    return {name: play(calls) for name, calls in PLAYS.items()}
