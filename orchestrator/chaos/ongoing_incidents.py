"""Incidents that outlast their first call: a restart, read-only mode, an expired session, a brownout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from companyos.sdk.chaos import FaultId

from ..progress.fault_memory import FaultMemory, Origin
from ..protocol.trace_records import Operation

#: Tests whether an incident hits a call, given where it began, its duration, the operation and the time.
Holds = Callable[[tuple[str, ...], Mapping[str, Any], Operation, int], bool]


def _refuses(where: tuple[str, ...], lasts: Mapping[str, Any], called: Operation, _now: int) -> bool:
    return where[0] == called[0] and lasts["left"] > 0


def _is_expired(where: tuple[str, ...], _lasts: Mapping[str, Any], called: Operation, _now: int) -> bool:
    return where[0] == called[0]


def _takes_nothing(where: tuple[str, ...], lasts: Mapping[str, Any], called: Operation, now: int) -> bool:
    return where[0] == called[0] and now < lasts["until"]


def _is_out(where: tuple[str, ...], lasts: Mapping[str, Any], called: Operation, now: int) -> bool:
    return where[:2] == called[:2] and now < lasts["until"]


#: The faults that outlast a call, each with its test of whether it hits another call.
_GOES_ON: Final[Mapping[FaultId, Holds]] = {
    FaultId.RESTART: _refuses,
    FaultId.AUTH_EXPIRY: _is_expired,
    FaultId.READ_ONLY: _takes_nothing,
    FaultId.BROWNOUT: _is_out,
}


def ongoing_origin(memory: FaultMemory, called: Operation, now: int, *, reads: bool) -> Origin | None:
    """Return the ongoing incident that hits a call, or None."""
    for fault, holds in _GOES_ON.items():
        if fault is FaultId.READ_ONLY and reads:
            continue
        for (known, where), lasts in memory.lasting.items():
            if known is fault and holds(where, lasts, called, now):
                return known, where
    return None
