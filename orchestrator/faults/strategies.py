"""What each service fault does to a call: one small strategy each, by its id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

from companyos.chaos import FaultId
from companyos.chassis.errors import OperationUnavailable, RateLimited, ReadOnly, SessionExpired

from ..calls import Done
from ..failures import Failure
from .content import cut_short, show_older, show_older_once
from .delays import delay_of
from .later import accept, stop_halfway
from .meeting import Meeting

#: Does to a call what a fault does; None where it cannot happen to this one, which then goes through.
Strategy = Callable[[Meeting], Awaitable[Done | None]]

#: How long a caller waits for an answer before it gives up, in simulated seconds.
GIVE_UP_S: Final = 30
_CODES: Final[Mapping[int, str]] = {
    500: "internal_error",
    502: "answer_lost",
    503: "database_unavailable",
    504: "answer_late",
}


async def _delay(meeting: Meeting) -> Done:
    seconds = delay_of(meeting)
    await meeting.pass_time(seconds)
    return replace(await meeting.carried_out(), fault=meeting.fault(delay_s=seconds))


async def _fail(meeting: Meeting) -> Done:
    return await meeting.refused(_CODES[meeting.drawn("status", meeting.params["status"])])


async def _time_out_before(meeting: Meeting) -> Done:
    await meeting.pass_time(GIVE_UP_S)
    return meeting.not_sent(Failure.TIMEOUT)


async def _time_out_after(meeting: Meeting) -> Done:
    done = await meeting.not_heard(Failure.TIMEOUT)
    await meeting.pass_time(GIVE_UP_S)
    return done


async def _reset(meeting: Meeting) -> Done:
    if meeting.drawn("direction", meeting.params["direction"]) == "request":
        return meeting.not_sent(Failure.RESET)
    return await meeting.not_heard(Failure.RESET)


async def _close_slowly(meeting: Meeting) -> Done:
    done = await meeting.not_heard(Failure.CLOSED)
    await meeting.pass_time(meeting.params["after_s"])
    return done


async def _truncate(meeting: Meeting) -> Done:
    return await meeting.not_heard(Failure.INCOMPLETE)


async def _refuse_connections(meeting: Meeting) -> Done | None:
    if meeting.lasts is None:
        await meeting.turn.kill(meeting.intent.tool.service)
    left = meeting.incident.length if meeting.lasts is None else meeting.lasts["left"]
    return meeting.not_sent(Failure.REFUSED, lasts={"left": left - 1}) if left else None


async def _expire_session(meeting: Meeting) -> Done:
    return await meeting.refused(SessionExpired.code, lasts={})


async def _limit_rate(meeting: Meeting) -> Done | None:
    return await _refuse_for_a_while(meeting, RateLimited.code, "retry_after_s")


async def _take_no_changes(meeting: Meeting) -> Done | None:
    return await _refuse_for_a_while(meeting, ReadOnly.code, "window_s")


async def _brown_out(meeting: Meeting) -> Done | None:
    if not meeting.intent.tool.instead:
        return None
    return await _refuse_for_a_while(meeting, OperationUnavailable.code, "window_s")


async def _refuse_for_a_while(meeting: Meeting, code: str, parameter: str) -> Done | None:
    until = meeting.now + meeting.params[parameter] if meeting.lasts is None else meeting.lasts["until"]
    left = until - meeting.now
    return await meeting.refused(code, left, lasts={"until": until}) if left > 0 else None


STRATEGIES: Final[Mapping[FaultId, Strategy]] = {
    FaultId.LATENCY: _delay,
    FaultId.HTTP_5XX: _fail,
    FaultId.HTTP_429: _limit_rate,
    FaultId.TIMEOUT_BEFORE: _time_out_before,
    FaultId.LOST_ACK: _time_out_after,
    FaultId.CONN_RESET: _reset,
    FaultId.SLOW_CLOSE: _close_slowly,
    FaultId.TRUNCATED_BODY: _truncate,
    FaultId.STALE_REPLICA: show_older,
    FaultId.PARTIAL_WRITE: stop_halfway,
    FaultId.PARTIAL_RESPONSE: cut_short,
    FaultId.WRONG_CONTENT: show_older_once,
    FaultId.SLOW_ENDPOINT: accept,
    FaultId.READ_ONLY: _take_no_changes,
    FaultId.RESTART: _refuse_connections,
    FaultId.AUTH_EXPIRY: _expire_session,
    FaultId.BROWNOUT: _brown_out,
}
