"""Replays the actions of a trace on a stack, and compares every hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.client import CompanyosEnv, Result
from companyos.sdk.chaos import NAMES, ChaosRefused, parse_chaos

#: The most differences shown for a step.
MOST_SHOWN: Final = 5
#: Options of the reset that have the same name in the head of a trace: those that decide the world, and the others.
WORLD: Final = ("scenario", "seed", "size")
FREE: Final = (
    "rewards",
    "reward_mode",
    "max_steps",
    "tools",
    "guidance",
    "tools_format",
    "observation_format",
)
#: Not compared: real time, and fields derived from all others.
NOT_COMPARED: Final = frozenset({"took_ms", "previous", "hash", "seal"})
#: Parts of the head that describe the episode as a whole, and not its start.
WHOLE_EPISODE: Final = frozenset({"chaos_now", "faults", "not_offered", "origin"})

ANOTHER_COMPANY: Final = (
    "the stack generates another company for these options; start it with COMPANYOS_SALT, the release and the "
    "scenario as they were where the trace was played"
)
#: Statuses with which a stack refuses to play something that a trace names.
UNPLAYABLE: Final = (404, 422)

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """The first step at which a replayed episode differs from its trace.

    Attributes:
        step: Its number; 0 is the start, and None means that the file itself was altered.
        reasons: What differs, one sentence each.
    """

    step: int | None
    reasons: Sequence[str]

    @property
    def text(self) -> str:
        """The step and the reasons, one on each line."""
        place = {None: "the file", 0: "the start"}.get(self.step, f"step {self.step}")
        return "\n".join([f"{place} differs:", *(f"  {reason}" for reason in self.reasons)])


def first_difference(env: CompanyosEnv, trace: Sequence[Document]) -> Difference | None:
    """Replay a trace, or its first part, and return the first difference, or None if every hash is equal.

    Raises:
        CompanyosError: The stack did not accept the start or a step, or stopped responding.
    """
    head, *records = trace
    played, origin = 0, Origin()
    for part in (*head.get("earlier", ()), head):
        until = part.get("until", len(records))
        if part.get("by") == "oracle":
            played, origin = until, Origin(start=until)
            continue
        result = env.reset(**reset_options(head, part, origin))
        if part is head and _hash(result) != head["hash"]:
            return Difference(0, _reasons_at_start(head, env.trace()[0]))
        for record in records[played:until]:
            if result.done:
                return Difference(record["step"], ["the episode was over before this step"])
            if "chaos" in record:
                env.set_chaos(chaos_option(record["chaos"]))
            result = env.step(record["action"])
            if _hash(result) != record["hash"]:
                live = env.trace()[record["step"]]
                return Difference(record["step"], list(shortened(differences(record, live))))
        if until > len(records):
            return None
        if part is not head:
            played, origin = until, Origin(snapshot=env.snapshot())
    return None


@dataclass(frozen=True)
class Origin:
    """Where a part of an episode begins: at the brief, after calls of the oracle, or at a snapshot."""

    start: int | None = None
    snapshot: str | None = None


def reset_options(head: Document, part: Document | None = None, origin: Origin = Origin()) -> dict[str, Any]:
    """Return the reset options with which a part of the episode of a trace began, by default the last one."""
    part = head if part is None else part
    free = {name: part[name] for name in FREE if name in part}
    if origin.snapshot is not None:
        return {**free, "snapshot": origin.snapshot}
    world = {**{name: head[name] for name in WORLD}, "chaos": chaos_option(head["chaos"])}
    start = {} if origin.start is None else {"start": {"calls": origin.start}}
    return {**world, **free, **start}


def chaos_option(chaos: Document) -> Any:
    """Return the setting that reproduces the chaos of a trace: its name, or its profile at its level."""
    try:
        if parse_chaos(chaos["name"]).profile == chaos["profile"]:
            return chaos["name"]
    except ChaosRefused:
        pass
    return {"preset": NAMES[chaos["level"]], "only": [], **chaos["profile"]}


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Yield the differences of two JSON values with their paths, except in fields that no hash covers."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        skipped = NOT_COMPARED if not path else frozenset()
        for name in sorted((expected.keys() | found.keys()) - skipped):
            yield from _field(expected, found, name, f"{path}.{name}" if path else name)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, (before, now) in enumerate(zip(expected, found, strict=True)):
            yield from differences(before, now, f"{path}[{number}]")
    elif expected != found:
        yield f"{path} was {_short(expected)}, and is now {_short(found)}"


def _field(expected: Document, found: Document, name: str, path: str) -> Iterator[str]:
    if name not in found:
        yield f"{path} was {_short(expected[name])}, and is now missing"
    elif name not in expected:
        yield f"{path} was missing, and is now {_short(found[name])}"
    else:
        yield from differences(expected[name], found[name], path)


def shortened(found: Iterator[str]) -> Iterator[str]:
    """Yield the first differences, and the number of the others."""
    every = list(found)
    yield from every[:MOST_SHOWN]
    if len(every) > MOST_SHOWN:
        yield f"and {len(every) - MOST_SHOWN} more"


def _reasons_at_start(head: Document, live: Document) -> Sequence[str]:
    if head["version"] != live["version"]:
        return [
            f"the trace is of version {head['version']} of the scenario, and the stack has {live['version']}"
        ]
    if head["base"] != live["base"]:
        return [ANOTHER_COMPANY]
    start, now = ({k: v for k, v in one.items() if k not in WHOLE_EPISODE} for one in (head, live))
    return list(shortened(differences(start, now)))


def _hash(result: Result) -> str:
    return str(result.metadata["trace_hash"])


def _short(value: Any, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
