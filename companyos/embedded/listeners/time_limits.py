"""What a connection waits for, and for how long."""

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """What a connection waits for."""

    OPENED = "first byte"
    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"
    READER = "reader"
    IDLE = "next request"
    END = "end"
    WEBSOCKET = "websocket"


@dataclass(frozen=True)
class TimeLimits:
    """How long a connection may wait for its client, in seconds."""

    head_s: float
    body_s: float
    idle_s: float

    def of(self, phase: Phase) -> float | None:
        """Return the limit of a phase; None if its length is not the client's doing."""
        match phase:
            case Phase.OPENED | Phase.HEAD | Phase.END:
                return self.head_s
            case Phase.BODY | Phase.READER:
                return self.body_s
            case Phase.IDLE:
                return self.idle_s
            case Phase.ANSWER | Phase.WEBSOCKET:
                return None
