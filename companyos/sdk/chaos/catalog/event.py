"""Faults in the delivery of an event from one service to another."""

from typing import Final

from .spec import FaultId, FaultSpec, number

#: An event that does not arrive may also be a dead letter, and only this tool shows dead letters.
_RULED_OUT: Final = ("list_dead_letters",)

EVENT: Final = (
    FaultSpec(
        FaultId.DELAY,
        "An event reaches another service later, and what follows it about the same object waits behind it.",
        "the other service still shows the old state; `list_undelivered` names what it waits for",
        "wait, or `replay_events`",
        cost=3,
        coping_tools=("list_undelivered", "replay_events", "wait"),
        supporting_tools=_RULED_OUT,
        most_incidents=10,
        parameters={"ticks_s": number(120, 60, 600, "the longest delay, in simulated seconds")},
    ),
    FaultSpec(
        FaultId.DUPLICATE,
        "An event is delivered several times.",
        "nothing, where consumers are right",
        "nothing",
        cost=0,
        most_incidents=20,
        parameters={"copies": number(2, 2, 4, "how often it is delivered")},
    ),
    FaultSpec(
        FaultId.REORDER,
        "An event arrives after later ones.",
        "an older state is shown for a while; `list_undelivered`",
        "go by versions, and wait or `replay_events`",
        cost=3,
        coping_tools=("list_undelivered", "replay_events", "wait"),
        supporting_tools=_RULED_OUT,
        most_incidents=10,
        parameters={"window_s": number(180, 60, 600, "how late it may come, in simulated seconds")},
    ),
    FaultSpec(
        FaultId.DROP,
        "An event is lost until it is delivered again.",
        "the other service never moves; `list_undelivered` names it",
        "`replay_events`, or wait for the redelivery",
        cost=3,
        coping_tools=("list_undelivered", "replay_events", "wait"),
        supporting_tools=_RULED_OUT,
        most_incidents=5,
        parameters={"redelivery_s": number(21600, 600, 86400, "when it is delivered again by itself")},
    ),
    FaultSpec(
        FaultId.POISON,
        "An event arrives damaged and is set aside, with what follows it about the same object.",
        "the other service never moves; `list_dead_letters` shows what was set aside and why",
        "`redrive_dead_letter` with the value that the publisher shows",
        cost=6,
        coping_tools=("list_dead_letters", "redrive_dead_letter"),
        # Tools that show the publisher's value.
        supporting_tools=("get_person", "get_request", "get_ticket", "query_metric"),
        most_incidents=3,
        parameters={"deliveries": number(3, 1, 5, "how often it is tried before it is set aside")},
    ),
    FaultSpec(
        FaultId.CONSUMER_DOWN,
        "A service does not take events for a while.",
        "it shows old states; `list_undelivered` grows",
        "wait, or read where the fact is kept",
        cost=5,
        coping_tools=("list_undelivered", "wait"),
        supporting_tools=_RULED_OUT,
        most_incidents=3,
        parameters={"window_s": number(600, 60, 3600, "for how long, in simulated seconds")},
        lasts="window_s",
    ),
    FaultSpec(
        FaultId.BROKER_LOSS,
        "The event bus loses what is on its way.",
        "nothing, once it is sent again",
        "nothing",
        cost=0,
        most_incidents=10,
    ),
    FaultSpec(
        FaultId.CLOCK_SKEW,
        "Times in events, on which nothing depends, are wrong.",
        "odd times",
        "go by versions, not by times",
        cost=0,
        most_incidents=20,
        parameters={"skew_s": number(300, 1, 3600, "how far off, in simulated seconds")},
    ),
)
