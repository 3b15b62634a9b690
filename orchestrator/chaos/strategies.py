"""The effect of each service fault on a call: one small strategy each, by the fault's id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

from companyos.chassis.errors import OperationUnavailable, RateLimited, ReadOnly, SessionExpired
from companyos.sdk.chaos import FaultId

from ..agent.observations import StepResult
from ..protocol.failures import Failure
from .altered_content import cut_short, show_older, show_older_once
from .async_operations import accept, stop_halfway
from .delays import delay_of
from .injection import Injection

#: Ends a call as a fault dictates; None if the fault does not apply and the call should go through.
Strategy = Callable[[Injection], Awaitable[StepResult | None]]

#: Simulated seconds after which a caller times out.
GIVE_UP_S: Final = 30
_CODES: Final[Mapping[int, str]] = {
    500: "internal_error",
    502: "answer_lost",
    503: "database_unavailable",
    504: "answer_late",
}


async def _delay(injection: Injection) -> StepResult:
    seconds = delay_of(injection)
    await injection.pass_time(seconds)
    return replace(await injection.carried_out(), fault=injection.fault(delay_s=seconds))


async def _fail(injection: Injection) -> StepResult:
    return await injection.refused(_CODES[injection.drawn("status", injection.params["status"])])


async def _time_out_before(injection: Injection) -> StepResult:
    await injection.pass_time(GIVE_UP_S)
    return injection.not_sent(Failure.TIMEOUT)


async def _time_out_after(injection: Injection) -> StepResult:
    done = await injection.not_heard(Failure.TIMEOUT)
    await injection.pass_time(GIVE_UP_S)
    return done


async def _reset(injection: Injection) -> StepResult:
    if injection.drawn("direction", injection.params["direction"]) == "request":
        return injection.not_sent(Failure.RESET)
    return await injection.not_heard(Failure.RESET)


async def _close_slowly(injection: Injection) -> StepResult:
    done = await injection.not_heard(Failure.CLOSED)
    await injection.pass_time(injection.params["after_s"])
    return done


async def _truncate(injection: Injection) -> StepResult:
    return await injection.not_heard(Failure.INCOMPLETE)


async def _refuse_connections(injection: Injection) -> StepResult | None:
    if injection.lasts is None:
        await injection.execution.kill(injection.intent.tool.service)
    left = injection.incident.length if injection.lasts is None else injection.lasts["left"]
    return injection.not_sent(Failure.REFUSED, lasts={"left": left - 1}) if left else None


async def _expire_session(injection: Injection) -> StepResult:
    return await injection.refused(SessionExpired.code, lasts={})


async def _limit_rate(injection: Injection) -> StepResult | None:
    return await _refuse_for_a_while(injection, RateLimited.code, "retry_after_s")


async def _take_no_changes(injection: Injection) -> StepResult | None:
    return await _refuse_for_a_while(injection, ReadOnly.code, "window_s")


async def _brown_out(injection: Injection) -> StepResult | None:
    if not injection.intent.tool.instead:
        return None
    return await _refuse_for_a_while(injection, OperationUnavailable.code, "window_s")


async def _refuse_for_a_while(injection: Injection, code: str, parameter: str) -> StepResult | None:
    until = (
        injection.now + injection.params[parameter] if injection.lasts is None else injection.lasts["until"]
    )
    left = until - injection.now
    return await injection.refused(code, left, lasts={"until": until}) if left > 0 else None


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
