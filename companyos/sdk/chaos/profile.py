"""A chaos setting: which faults may happen, how likely and how often, with its canonical form and digest.

A profile is JSON: `{"preset": …, "only" or "except": [layers], "faults": {id: {p, B, F, match, params}},
"limits": {…}}`. Parsing fills in every default, so that equivalent settings have the same digest.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from .catalog import CATALOG, FaultId, Layer


class ChaosRefused(ValueError):
    """The requested chaos is unknown or out of bounds; the message says what is allowed."""


@dataclass(frozen=True)
class Setting:
    """The strength of one fault.

    Attributes:
        p: The probability of an incident at each possible place, from 0 to 1.
        B: The longest burst: how many attempts in a row one incident may spoil.
        F: The most incidents in an episode.
        match: Where it may happen: lists of names, and `steps`, a first and a last step. Empty matches everything.
        params: The fault's own parameters, all of them.
    """

    p: float
    B: int = 1
    F: int = 1
    match: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)

    def matches(self, step: int | None = None, **where: str) -> bool:
        """Say whether it may happen here; coordinates that are not given are not compared."""
        if not self.match:
            return True
        first, last = self.match.get("steps", (0, None))
        if step is not None and (step < first or (last is not None and step > last)):
            return False
        return all(value in self.match[name] for name, value in where.items() if name in self.match)


@dataclass(frozen=True)
class Limits:
    """Limits across all faults.

    Attributes:
        business: The fewest and the most business faults in an episode, as far as its scenario supports them.
        service: The most service incidents in an episode.
        event: The most event incidents in an episode at one consumer.
        stack: The most consecutive incidents at one operation.
        cooldown: The fewest steps between the starts of two service incidents.
    """

    business: tuple[int, int] = (0, 14)
    service: int = 20
    event: int = 20
    stack: int = 1
    cooldown: int = 0


@dataclass(frozen=True)
class Chaos:
    """A chaos setting; equal profiles have equal digests, and equal digests give equal episodes.

    Attributes:
        level: 0 to 5; a custom profile has the level of its preset.
        name: The name of the preset or alias, or `custom`.
        profile: The canonical profile as plain JSON; empty if nothing can happen.
    """

    level: int
    name: str
    profile: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The profile's digest: 16 hexadecimal digits, computed from its canonical JSON."""
        canonical = json.dumps(self.profile, sort_keys=True, separators=(",", ":"))
        return blake2b(canonical.encode(), digest_size=8).hexdigest()

    @cached_property
    def settings(self) -> Mapping[FaultId, Setting]:
        """The faults that may happen, in the order of the catalog."""
        faults = self.profile.get("faults", {})
        return {known: Setting(**faults[known]) for known in CATALOG if known in faults}

    @cached_property
    def limits(self) -> Limits:
        """The limits across all faults."""
        limits = dict(self.profile.get("limits", {}))
        if "business" in limits:
            limits["business"] = tuple(limits["business"])
        return Limits(**limits)

    def of(self, layer: Layer) -> Mapping[FaultId, Setting]:
        """Return the possible faults of one layer."""
        return self._by_layer[layer]

    @cached_property
    def _by_layer(self) -> Mapping[Layer, Mapping[FaultId, Setting]]:
        found: dict[Layer, dict[FaultId, Setting]] = {layer: {} for layer in Layer}
        for known, setting in self.settings.items():
            found[CATALOG[known].layer][known] = setting
        return found

    def fault(self, known: FaultId) -> Setting | None:
        """Return the setting of a fault, or None if it cannot happen."""
        return self.settings.get(known)


def canonical(faults: Mapping[str, Setting], limits: Limits) -> dict[str, Any]:
    """Return the canonical profile of faults and limits, without faults that cannot happen."""
    happening = {
        str(known): asdict(faults[known]) for known in CATALOG if known in faults and faults[known].p > 0
    }
    if not happening:
        return {}
    return {"faults": happening, "limits": {**asdict(limits), "business": list(limits.business)}}


def restrict(faults: Mapping[str, Setting], layers: Sequence[Layer]) -> dict[str, Setting]:
    """Return the faults of these layers."""
    return {known: setting for known, setting in faults.items() if CATALOG[FaultId(known)].layer in layers}
