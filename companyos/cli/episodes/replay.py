"""The `replay` command: replay the actions of a trace on a stack, and compare every hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from companyos.chaos import NAMES, ChaosRefused, parse_chaos
from companyos.client import CompanyosEnv, CompanyosError, Refused, Result
from companyos.embedded.errors import Misuse, StackError

from ..audit import broken_links_of, read_trace, title_of
from ..demo import checked_url, trainer_stack
from ..output import print_json

DIFFERS: Final = 1
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


def run(file: str, *, url: str | None, token: str | None, home: Path | None, as_json: bool) -> None:
    """Replay a trace, and exit with 1 if the episode differs from it.

    Args:
        file: JSON or JSON Lines from `GET /episodes/{id}/trace`; `-` reads standard input.
        url: Trainer API to play on; by default the home's stack, or one started for the purpose.
        token: Its token.
        home: Home of the stack.
        as_json: Whether to print JSON.

    Raises:
        StackError: The stack failed, or cannot play the trace.
    """
    url, trace = checked_url(url), read_trace(file)
    if broken := broken_links_of(trace):
        # If the hashes of a file do not match its records, there is nothing to compare with.
        _leave(trace, Difference(None, broken), as_json=as_json)
    with trainer_stack(home, url, token) as (address, key), CompanyosEnv(address, token=key) as env:
        try:
            difference = first_difference(env, trace)
        except CompanyosError as failure:
            if isinstance(failure, Refused) and failure.status in UNPLAYABLE:
                raise Misuse(f"The stack cannot play this trace again: {failure}") from failure
            raise StackError(str(failure)) from failure
    _leave(trace, difference, as_json=as_json)


def first_difference(env: CompanyosEnv, trace: Sequence[Document]) -> Difference | None:
    """Replay a trace and return the first difference, or None if every hash is equal.

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


def _leave(trace: Sequence[Document], difference: Difference | None, *, as_json: bool) -> None:
    """Show the outcome, and exit with 1 if anything differs."""
    if as_json:
        step, reasons = (None, []) if difference is None else (difference.step, list(difference.reasons))
        steps = {"steps": len(trace) - 1, "trace_hash": trace[-1]["hash"]}
        print_json({"equal": difference is None, **steps, "step": step, "differences": reasons})
    else:
        title = title_of(trace)
        typer.echo(f"{title}: {difference.text if difference else 'played again, and every hash is equal.'}")
    if difference:
        raise typer.Exit(DIFFERS)


def _hash(result: Result) -> str:
    return str(result.metadata["trace_hash"])


def _short(value: Any, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
