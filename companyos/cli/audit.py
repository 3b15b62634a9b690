"""The `verify` and `regrade` commands: check a trace's hashes and recompute its grade, offline."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
import typer

from companyos.embedded.errors import Misuse
from companyos.evaluation.public_salt import DEFAULT_SALT
from companyos.evaluation.stored_json import FolderUnusable, object_in, read_lines
from companyos.sdk.chaos import Chaos
from companyos.sdk.scenario import Instance, ScenarioUnknown, find

from .output import echo, print_json

if TYPE_CHECKING:
    from orchestrator.audit.regrading import Regraded, Rules
    from orchestrator.audit.verification import Trace

ALTERED: Final = 1
#: What the code that reads a trace raises where a record has another shape.
MALFORMED: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
GET_ONE: Final = "Save a trace as GET /episodes/{id}/trace?format=jsonl answers it."


def verify(file: str, *, as_json: bool) -> None:
    """Check the hashes of a trace.

    Args:
        file: JSON or JSON Lines from `GET /episodes/{id}/trace`; `-` reads standard input.
        as_json: Whether to print JSON.
    """
    trace = read_trace(file)
    broken = broken_links_of(trace)
    if as_json:
        print_json({**_summary(trace), "intact": not broken, "problems": broken})
    else:
        echo("\n".join(broken) or f"{title_of(trace)}: the trace is unaltered.")
    _leave(broken)


def regrade(file: str, *, as_json: bool) -> None:
    """Check the hashes of a trace and recompute its ledger, rewards and outcome.

    Args:
        file: As for `verify`.
        as_json: Whether to print JSON.
    """
    trace = read_trace(file)
    instance = instance_of(trace[0])
    broken = broken_links_of(trace)
    result = regraded_trace(trace, instance)
    problems = [*broken, *result.differences]
    if as_json:
        outcome = {"episode_return": result.episode_return, "success": result.success}
        print_json(
            {**_summary(trace), **outcome, "intact": not broken, "agrees": not problems, "problems": problems}
        )
    else:
        echo("\n".join(problems) or _agreement(trace, result))
    _leave(problems)


def read_trace(file: str) -> Trace:
    """Read a trace from a file, or from standard input for `-`.

    Raises:
        Misuse: There is none.
    """
    from orchestrator.audit.verification import NotATrace, checked

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        data = data.removeprefix(codecs.BOM_UTF8)
        return checked(_parsed(file, data))
    except OSError as error:
        raise Misuse(f"{file} cannot be read: {error.strerror}.") from None
    except orjson.JSONDecodeError as error:
        raise Misuse(f"{file} is neither JSON nor JSON lines: {error}. {GET_ONE}") from None
    except FolderUnusable as error:
        raise Misuse(f"{error}") from None
    except NotATrace as error:
        raise Misuse(f"{file}: {error}") from None


def _parsed(file: str, data: bytes) -> Any:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        if data.count(b"\n") < 2:
            raise
        return read_lines(Path(file), data, object_in, remedy=GET_ONE)
    # A single line is the head alone: the trace of an episode without steps.
    return [value] if isinstance(value, dict) and value.get("step") == 0 else value


def broken_links_of(trace: Trace) -> list[str]:
    from orchestrator.audit.verification import broken_links

    return broken_links(trace)


def regraded_trace(trace: Trace, instance: Instance) -> Regraded:
    """Grade a trace again.

    Raises:
        Misuse: A record does not have the format of this release.
    """
    from orchestrator.audit.regrading import regraded

    try:
        return regraded(trace, instance, rules())
    except MALFORMED as error:
        raise Misuse(f"A record of the trace does not have this release's format: {error!r}.") from None


def instance_of(head: Mapping[str, Any]) -> Instance:
    """Regenerate the task of a trace.

    Raises:
        Misuse: The task that was played is another, or the head cannot be read.
    """
    from orchestrator.worlds.instances import generated

    try:
        scenario, recorded = find(head["scenario"]), head["chaos"]
        chaos = Chaos(recorded["level"], recorded["name"], recorded["profile"])
        salt = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
        beginning = generated(scenario, head["seed"], chaos, head["size"], salt)
    except ScenarioUnknown as unknown:
        raise Misuse(str(unknown)) from None
    except MALFORMED as error:
        raise Misuse(f"The head of the trace does not have this release's format: {error!r}.") from None
    if beginning.instance.version != head["version"]:
        raise Misuse(
            f"The trace is of version {head['version']} of {scenario.name}; installed is version "
            f"{beginning.instance.version}."
        )
    if beginning.initial_state.base != head["base"]:
        raise Misuse(
            f"The company generated here for {scenario.name}, seed {head['seed']}, is another than the trace was "
            "played in. Set COMPANYOS_SALT as it was there, and install the same release."
        )
    return beginning.instance


@cache
def rules() -> Rules:
    """Return the rules that the services of this release declare, without starting them."""
    from orchestrator.audit.regrading import Rules
    from orchestrator.services.catalog import Catalog
    from services import manifests

    errors = [error for manifest in manifests() for error in manifest["errors"]]
    violations, mistakes = (
        {one["code"] for one in errors if one["violation"] is kind} for kind in (True, False)
    )
    catalog = Catalog(manifests())
    return Rules(catalog.journals, catalog.maintained, frozenset(violations - mistakes))


def _summary(trace: Trace) -> dict[str, Any]:
    head, last = trace[0], trace[-1]
    names = {name: head.get(name) for name in ("scenario", "version", "seed")}
    return {**names, "steps": len(trace) - 1, "trace_hash": last.get("hash")}


def title_of(trace: Trace) -> str:
    summary = _summary(trace)
    return f"{summary['scenario']} (version {summary['version']}), seed {summary['seed']}, {summary['steps']} steps"


def _agreement(trace: Trace, result: Regraded) -> str:
    outcome = {True: "success", False: "no success", None: "unfinished, or not scored"}[result.success]
    return f"{title_of(trace)}: the recorded grade is correct: return {result.episode_return:g}, {outcome}."


def _leave(problems: list[str]) -> None:
    if problems:
        raise typer.Exit(ALTERED)
