"""Cause ids and event ids; only this module writes and parses them.

A cause is a step's call (`s5`), an action of the orchestrator around that call (`s5.chaos`), or a tick of the clock
within the step (`s5.t3600`, and `s5.t3600.2` in the second round at that instant). An event id is its cause, the
service that recorded the event, and the event's number there: `s5.ticketdesk.1`. A reaction's cause is the event's
id, so the events it records are named `s5.ticketdesk.1.approvalflow.1`.
"""

import re
from typing import Any, Final

_EVENT_ID: Final = re.compile(r"(s(\d+)(?:\.t(\d+)(?:\.(\d+))?)?)\.(\D.*)", re.DOTALL)


def of_step(number: int) -> str:
    """Return the cause id of a step's own call."""
    return f"s{number}"


def within_step(number: int, label: str) -> str:
    """Return the cause id of an action around a step's call, named by `label`."""
    return f"s{number}.{label}"


def tick_label(at: int, round_: int) -> str:
    """Return the label of a clock tick at a simulated instant; rounds count from 1."""
    return f"t{at}" if round_ == 1 else f"t{at}.{round_}"


def event_id(cause: str, service: str, number: int) -> str:
    """Return the id of the event that a service records under a cause; numbers count from 1."""
    return f"{cause}.{service}.{number}"


def publisher(event_id: str) -> str:
    """Return the name of the service that recorded an event."""
    return event_id.rpartition(".")[0].rpartition(".")[2]


def group_of(event_id: str) -> str:
    """Return the call or tick that caused an event, directly or through other events."""
    found = _EVENT_ID.fullmatch(event_id)
    return found[1] if found else event_id


def is_direct(event_id: str) -> bool:
    """Return whether a call or tick recorded an event itself, rather than a reaction."""
    found = _EVENT_ID.fullmatch(event_id)
    return found is not None and found[5].count(".") == 1


def hops(cause: str) -> int:
    """Return the number of events between a call or tick and the effects of this cause."""
    found = _EVENT_ID.fullmatch(cause)
    return 0 if found is None else (found[5].count(".") + 1) // 2


def place(event_id: str, at: int) -> tuple[Any, ...]:
    """Return a sort key by recording order: at the same instant, ticks precede the call."""
    found = _EVENT_ID.fullmatch(event_id)
    if found is None:
        return (at, 0, 0, 0, (event_id,))
    _, step, tick, round_, rest = found.groups()
    path = tuple(f"{int(part):09}" if part.isdecimal() else part for part in rest.split("."))
    return (at, int(step), 0 if tick else 1, int(round_ or 1), path)
