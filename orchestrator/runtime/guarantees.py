"""Properties that whoever runs a stack may require of it (OpenEnv RFC 009): each holds, or the start is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PUBLIC_SALT: Final = "companyos-public"
_PROC: Final = Path("/proc")
#: `RTF_REJECT`, the flag of a route that leads nowhere.
_REJECT: Final = 0x200

#: What is missing for a property, each with what would provide it.
Lacks = Iterator[str]


@dataclass(frozen=True)
class Exposure:
    """What a process gives away: whether its trainer API needs a token, and the salt of its companies."""

    needs_token: bool
    salt: str


def _control_plane_isolation(exposure: Exposure) -> Lacks:
    """Agents reach no route of the trainer API."""
    if not exposure.needs_token:
        yield "the trainer API is open: set COMPANYOS_TRAINER_TOKEN and not COMPANYOS_OPEN_ACCESS"


def _asset_isolation(exposure: Exposure) -> Lacks:
    """Agents can neither read grades and answers nor compute them from what is published."""
    yield from _control_plane_isolation(exposure)
    if exposure.salt == PUBLIC_SALT:
        yield "anybody can generate the companies and their answers: set COMPANYOS_SALT to a secret"


def _privilege_drop(exposure: Exposure) -> Lacks:
    """The process is not root, has no capabilities, and cannot regain them."""
    if os.geteuid() == 0:
        yield "the process runs as root: run it as another user"
    status = dict(line.split(":\t", 1) for line in _lines("self/status") if ":\t" in line)
    if int(status.get("CapEff", "f"), 16):
        yield "the process has capabilities: drop all of them"
    if status.get("NoNewPrivs", "0").strip() != "1":
        yield "the process can gain privileges: run it with no-new-privileges"


def _egress_control(exposure: Exposure) -> Lacks:
    """No route leads out of the stack's own networks."""
    if any(_is_default(line.split()) for line in _lines("net/route")[1:]) or any(
        _is_default_6(line.split()) for line in _lines("net/ipv6_route")
    ):
        yield "the process has a default route to other networks: attach it to internal networks only"


_CHECKS: Final[Mapping[str, Callable[[Exposure], Lacks]]] = {
    "asset_isolation": _asset_isolation,
    "control_plane_isolation": _control_plane_isolation,
    "egress_control": _egress_control,
    "privilege_drop": _privilege_drop,
}
NAMES: Final = tuple(_CHECKS)


def check_guarantees(names: str, exposure: Exposure) -> None:
    """Check the properties that `COMPANYOS_REQUIRE` names, separated by commas.

    Raises:
        ValueError: There is no such property, or one does not hold; the message says what is missing.
    """
    required = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in required if name not in _CHECKS]:
        raise ValueError(f"there is no property {unknown[0]!r}. Choose from {', '.join(NAMES)}.")
    lacks = [f"{name} ({lack})" for name in required for lack in _CHECKS[name](exposure)]
    if lacks:
        raise ValueError(f"COMPANYOS_REQUIRE is not met: {'; '.join(lacks)}.")


def _lines(name: str) -> list[str]:
    try:
        return (_PROC / name).read_text(encoding="ascii").splitlines()
    except OSError:
        return []


def _is_default(route: list[str]) -> bool:
    """Return whether a line of `/proc/net/route` is a default route: destination and mask are zero."""
    return len(route) > 7 and (route[1], route[7]) == ("00000000", "00000000")


def _is_default_6(route: list[str]) -> bool:
    """Return whether a line of `/proc/net/ipv6_route` is a default route that leads somewhere."""
    is_default = len(route) > 8 and (set(route[0]), route[1]) == ({"0"}, "00")
    return is_default and not int(route[8], 16) & _REJECT and route[9:10] != ["lo"]
