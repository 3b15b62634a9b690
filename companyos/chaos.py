"""Chaos: how adverse an episode is, as a level, a preset name or a profile, and its digest.

A profile maps faults to their strength. Business faults are written into the company by its scenario; call
failures are decided call by call with `Chaos.fails`. Every fault is bounded, so an episode stays solvable.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from companyos.draws import Draws


class FaultName(StrEnum):
    """The faults that exist."""

    MISSING_FIELDS = "missing_fields"
    STALE = "stale"
    ABSENCE = "absence"
    REJECTION = "rejection"
    CALL_FAILURE = "call_failure"


@dataclass(frozen=True)
class Fault:
    """How strong one fault is; the names are those of the profile.

    `p` is the chance of an incident where one is possible, `B` bounds what one incident costs (attempts that
    fail), `F` bounds the incidents of an episode.
    """

    p: float
    B: int = 1
    F: int = 1


@dataclass(frozen=True)
class Chaos:
    """One chaos setting; equal profiles have equal digests, and equal digests give equal episodes."""

    level: int
    name: str
    profile: Mapping[str, Mapping[str, float | int]] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The profile's identity: 16 hexadecimal digits over its canonical JSON."""
        canonical = json.dumps(self.profile, sort_keys=True, separators=(",", ":"))
        return blake2b(canonical.encode(), digest_size=8).hexdigest()

    def fault(self, name: FaultName) -> Fault | None:
        """Return how strong this fault is, or None if the profile leaves it out."""
        parameters = self.profile.get(name)
        return None if parameters is None else _fault(parameters)

    def fails(
        self, draws: Draws, service: str, operation: str, object_id: str, attempt: int, *, incidents: int = 0
    ) -> bool:
        """Decide whether this call fails before it reaches the service; a call repeated is a new attempt.

        Args:
            draws: The episode's draws.
            service: Name of the service called.
            operation: Name of the operation called.
            object_id: Id of the object the call is about, or "" where there is none.
            attempt: How often this operation was called on this object before, from 0.
            incidents: How many incidents other operations of the episode have had so far.
        """
        fault = self.fault(FaultName.CALL_FAILURE)
        if fault is None or attempt >= fault.B or incidents >= fault.F:
            return False
        where = (service, operation, object_id)
        if not draws.chance(FaultName.CALL_FAILURE, fault.p, *where):
            return False
        return attempt < draws.integer("call_failure.length", 1, fault.B, *where)


class ChaosRefused(ValueError):
    """The chaos asked for is unknown, out of bounds or not available yet; the message says what is."""


PAPERCUTS: Final[Mapping[str, Mapping[str, float | int]]] = {
    FaultName.MISSING_FIELDS.value: {"p": 0.5},
    FaultName.STALE.value: {"p": 0.5, "B": 1},
    FaultName.ABSENCE.value: {"p": 0.3},
    FaultName.REJECTION.value: {"p": 0.2, "B": 2},
    FaultName.CALL_FAILURE.value: {"p": 0.05, "B": 1, "F": 3},
}
PRESETS: Final = {"calm": Chaos(0, "calm"), "papercuts": Chaos(1, "papercuts", PAPERCUTS)}
NAMES: Final = ("calm", "papercuts", "office", "bad-day", "incident", "storm")

_BOUNDS: Final[Mapping[str, Mapping[str, int]]] = {
    FaultName.MISSING_FIELDS.value: {"p": 1},
    FaultName.STALE.value: {"p": 1, "B": 1},
    FaultName.ABSENCE.value: {"p": 1},
    FaultName.REJECTION.value: {"p": 1, "B": 2},
    FaultName.CALL_FAILURE.value: {"p": 1, "B": 3, "F": 9},
}


def parse_chaos(value: int | str | Mapping[str, Any]) -> Chaos:
    """Return the chaos that a level (0-5), a preset's name or a profile object names.

    A profile object is `{"preset": "calm", "rejection": {"p": 0.5, "B": 1}, ...}`: the preset (calm if
    left out) with these faults put in place of its own.

    Raises:
        ChaosRefused: Unknown level, name, fault or parameter, a value out of bounds, or a preset to come.
    """
    if isinstance(value, Mapping):
        return _profile(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ChaosRefused("chaos is a level (0-5), a preset name or a profile object")
    return _preset(value)


def _preset(value: int | str) -> Chaos:
    if isinstance(value, int):
        if not 0 <= value < len(NAMES):
            raise ChaosRefused(f"there is no chaos level {value}; levels go from 0 to {len(NAMES) - 1}")
        value = NAMES[value]
    if value not in NAMES:
        raise ChaosRefused(f"there is no chaos preset {value!r}; the presets are {', '.join(NAMES)}")
    if value not in PRESETS:
        raise ChaosRefused(f"chaos preset {value!r} is not available yet; use 0 (calm) or 1 (papercuts)")
    return PRESETS[value]


def _profile(value: Mapping[str, Any]) -> Chaos:
    preset = parse_chaos(value.get("preset", "calm"))
    own = {name: _checked(name, parameters) for name, parameters in value.items() if name != "preset"}
    profile = {**preset.profile, **own}
    if profile == preset.profile:
        return preset
    return Chaos(preset.level, "custom", profile)


def _checked(name: str, parameters: Any) -> Mapping[str, float | int]:
    if name not in _BOUNDS:
        raise ChaosRefused(f"there is no fault {name!r}; the faults are {', '.join(_BOUNDS)}")
    if not isinstance(parameters, Mapping) or "p" not in parameters:
        raise ChaosRefused(f"fault {name!r} is an object with a chance p")
    for key, number in parameters.items():
        _check_number(name, key, number)
    return dict(parameters)


def _check_number(name: str, key: Any, number: Any) -> None:
    if key not in _BOUNDS[name]:
        raise ChaosRefused(f"fault {name!r} has no parameter {key!r}; it has {', '.join(_BOUNDS[name])}")
    high, kind = _BOUNDS[name][key], (int | float if key == "p" else int)
    if isinstance(number, bool) or not isinstance(number, kind) or not 0 <= number <= high:
        raise ChaosRefused(f"{name}.{key} is a number from 0 to {high}")


def _fault(parameters: Mapping[str, float | int]) -> Fault:
    return Fault(float(parameters["p"]), int(parameters.get("B", 1)), int(parameters.get("F", 1)))
