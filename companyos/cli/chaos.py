"""The `chaos` commands: list faults, and show which ones an episode injects, without a running stack."""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import typer

from companyos.evaluation.public_salt import DEFAULT_SALT
from companyos.sdk.chaos import (
    ALIASES,
    CATALOG,
    NAMES,
    Chaos,
    ChaosRefused,
    FaultPlan,
    FaultSpec,
    Incident,
    Parameter,
    Reach,
    parse_chaos,
)
from companyos.sdk.scenario import Instance, Scenario, ScenarioUnknown, find

from .output import echo, print_columns, print_json

#: Exit code of a usage error.
MISUSED: Final = 2
#: Subjects of events whose names start with another word.
_AGGREGATES: Final = {"approval": "request"}
#: Names of arguments that are not the singular of their table.
_ARGUMENTS: Final = {"people": "person_id", "approval_types": "type_id", "purchase_orders": "order_id"}


def show_list(*, as_json: bool) -> None:
    """Show every fault with its parameters, and every preset."""
    if as_json:
        print_json({"faults": [_fault(spec) for spec in CATALOG.values()], "presets": _presets()})
        return
    for spec in CATALOG.values():
        echo(f"{spec.id.value}: {spec.does}")
        echo(f"    seen by: {spec.detect}\n    overcome by: {spec.repair}")
        for name, parameter in spec.parameters.items():
            echo(f"    {name} ({bounds(parameter)}; {parameter.default}): {parameter.meaning}")
    echo("")
    print_columns([("preset", "level", "digest", "faults"), *(_preset_line(one) for one in _presets())])


def explain(profile: str, *, scenario: str, seed: int, size: str, as_json: bool) -> None:
    """Show the faults of one episode: a scenario and seed under a chaos profile.

    Args:
        profile: A level, the name of a preset or alias, a profile as JSON, or `@` and the path of a JSON file.
        scenario: Name of the scenario.
        seed: Seed of the instance.
        size: The number of rows of the company.
        as_json: Whether to print JSON.
    """
    try:
        chaos = parse_chaos(read_profile(profile))
        task = find(scenario)
    except (ChaosRefused, ScenarioUnknown) as refused:
        echo(f"companyos: {refused}", err=True, color=typer.colors.RED)
        sys.exit(MISUSED)
    salt = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
    instance = task.generate(seed, chaos, salt, size)
    plan = FaultPlan.of_seed(salt, scenario, instance.version, seed, chaos)
    calm = task.generate(seed, parse_chaos(0), salt, size)
    explanation = {**explained(chaos, instance, plan, task), "calm_steps": calm.oracle_steps}
    print_json(explanation) if as_json else _show(explanation)


def read_profile(text: str) -> Any:
    """Parse a chaos profile given on the command line: a level, a name or an object.

    Raises:
        ChaosRefused: Its file cannot be read, or it is not JSON.
    """
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8-sig")
        if text.isascii() and text.isdigit():
            return int(text)
        return json.loads(text) if text.lstrip().startswith(("{", "[", '"')) else text
    except OSError as error:
        raise ChaosRefused(f"{text[1:]} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ChaosRefused(f"the profile is not JSON: {error}") from None


def explained(chaos: Chaos, instance: Instance, plan: FaultPlan, task: Scenario) -> dict[str, Any]:
    """Return an episode's faults in the company, in calls about the goal, and in its events.

    Args:
        chaos: The chaos setting.
        instance: The episode's instance.
        plan: The episode's plan of service and event faults.
        task: The episode's scenario; only calls of the tools that it offers under this chaos are listed.
    """
    stack = _Stack.known(task, chaos)
    objects = objects_of(instance)
    return {
        "chaos": {"level": chaos.level, "name": chaos.name, "digest": chaos.digest, "profile": chaos.profile},
        "scenario": instance.scenario,
        "seed": instance.seed,
        "business": [
            {
                "fault": one.fault,
                "objects": list(one.shown_by),
                "repairs": list(one.repairs),
                "cost": one.cost,
            }
            for one in instance.faults
        ],
        "not_offered": list(instance.not_offered),
        "service": list(_at_calls(plan, stack, objects)),
        "event": list(_at_events(plan, stack, objects)),
        "oracle_steps": instance.oracle_steps,
        "max_steps": instance.max_steps,
    }


def objects_of(instance: Instance) -> dict[str, list[str]]:
    """Return the ids of the objects that a task is about, keyed by the argument name under which tools take them.

    They are what the allowances, the refusal and the faults name, and the next new row of each table in which the
    task creates one.
    """
    named = set(_names(instance))
    found: dict[str, set[str]] = {}
    for tables in instance.rows.values():
        for table, rows in tables.items():
            ids = {row["id"] for row in rows if "id" in row}
            found.setdefault(_argument(table), set()).update(ids & named)
    for service, table in (one.table for one in instance.allowances if one.created):
        known = [str(row["id"]) for row in instance.rows.get(service, {}).get(table, ())]
        found.setdefault(_argument(table), set()).update(_next_id(known))
    return {name: sorted(ids) for name, ids in found.items()}


def _names(instance: Instance) -> Iterator[str]:
    yield instance.persona.id
    yield from instance.private
    yield from instance.refusal.evidence if instance.refusal else ()
    for fault in instance.faults:
        yield from fault.shown_by
    for one in instance.allowances:
        yield from (value for value in (one.key, *one.columns.values()) if isinstance(value, str))


def _argument(table: str) -> str:
    return _ARGUMENTS.get(table, f"{table.removesuffix('s')}_id")


def _next_id(ids: Sequence[str]) -> Iterator[str]:
    """Yield the id after the last, if ids are a word and a number of four digits."""
    numbers = [match for match in map(re.compile(r"(\w+)-(\d{4,})").fullmatch, ids) if match]
    if numbers:
        yield f"{numbers[0][1]}-{max(int(match[2]) for match in numbers) + 1:04}"


@dataclass(frozen=True)
class _Stack:
    """The services' manifests: their tools, and which service consumes which event."""

    tools: Sequence[Any]
    events: Sequence[tuple[str, str]]

    @classmethod
    def known(cls, task: Scenario, chaos: Chaos) -> "_Stack":
        # Imported late: listing the faults needs neither the services nor the orchestrator.
        from orchestrator.agent.toolsets import Toolsets
        from orchestrator.services.catalog import Catalog
        from services import manifests

        catalog = Catalog(manifests())
        events = [
            (name, consumer)
            for name in sorted({event for manifest in manifests() for event in manifest["consumes"]})
            for consumer in catalog.consumers(name)
        ]
        offered = Toolsets(catalog.tools).chosen("scenario", task, chaos).offered
        return cls([tool for tool in offered.values() if tool.service], events)


def _at_calls(
    plan: FaultPlan, stack: _Stack, objects: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    for tool in stack.tools:
        reaches = [Reach.ANY, Reach.READS if tool.reads else Reach.WRITES]
        for subject in _subjects(tool, objects):
            for incident in plan.incidents((tool.service, tool.operation, subject), reaches):
                yield {"tool": tool.name, "object": subject, **_incident(incident)}


def _subjects(tool: Any, objects: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the goal's objects that calls of a tool can concern; "" if none."""
    names = [name for name, place in tool.places.items() if place in ("path", "body") and name in objects]
    calls = product(*(objects[name] for name in names))
    return sorted({tool.subject(dict(zip(names, ids, strict=True))) for ids in calls})


def _at_events(
    plan: FaultPlan, stack: _Stack, objects: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    for name, consumer in stack.events:
        kind = name.partition(".")[0]
        for subject in objects.get(f"{_AGGREGATES.get(kind, kind)}_id", ()):
            incident = plan.event(name, subject, consumer, ())
            if incident is not None:
                yield {"event": name, "object": subject, "consumer": consumer, **_incident(incident)}


def _incident(incident: Incident) -> dict[str, Any]:
    return {"fault": incident.fault.value, "attempts": incident.length, "params": dict(incident.params)}


def _fault(spec: FaultSpec) -> dict[str, Any]:
    return {
        "id": spec.id.value,
        "layer": str(spec.layer),
        "does": spec.does,
        "detect": spec.detect,
        "repair": spec.repair,
        "cost": spec.cost,
        "B": spec.longest_burst,
        "F": spec.most_incidents,
        "parameters": {
            name: {"default": one.default, "bounds": bounds(one), "meaning": one.meaning}
            for name, one in spec.parameters.items()
        },
        "levels": levels_with(spec),
    }


def levels_with(spec: FaultSpec) -> list[int]:
    """Return the levels at which a fault may occur."""
    return [level for level in range(len(NAMES)) if parse_chaos(level).fault(spec.id) is not None]


def bounds(parameter: Parameter) -> str:
    """Describe a parameter's allowed values."""
    if parameter.options:
        options = ", ".join(json.dumps(option) for option in parameter.options)
        return f"some of {options}" if parameter.several else f"one of {options}"
    return f"{parameter.low:g} to {parameter.high:g}"


def _presets() -> list[dict[str, Any]]:
    found = [parse_chaos(name) for name in (*NAMES, *ALIASES)]
    return [
        {
            "name": one.name,
            "level": one.level,
            "digest": one.digest,
            "faults": [fault.value for fault in one.settings],
            "profile": one.profile,
        }
        for one in found
    ]


def _preset_line(preset: Mapping[str, Any]) -> tuple[str, ...]:
    return preset["name"], str(preset["level"]), preset["digest"], str(len(preset["faults"]))


def _show(explanation: Mapping[str, Any]) -> None:
    chaos = explanation["chaos"]
    echo(
        f"{explanation['scenario']}, seed {explanation['seed']}, chaos {chaos['name']} (digest {chaos['digest']})"
    )
    echo(
        f"the oracle needs at most {explanation['oracle_steps']} steps, "
        f"{explanation['calm_steps']} where nothing goes wrong; the episode ends after {explanation['max_steps']}"
    )
    _section(
        "in the company", (f"{one['fault']}: {', '.join(one['objects'])}" for one in explanation["business"])
    )
    if explanation["not_offered"]:
        _section("asked for, but not offered by this scenario", explanation["not_offered"])
    calls = (f"{one['tool']} {one['object']}: {_fault_text(one)}" for one in explanation["service"])
    _section("at calls about the goal, where their budgets allow", calls)
    events = (
        f"{one['event']} {one['object']} to {one['consumer']}: {_fault_text(one)}"
        for one in explanation["event"]
    )
    _section("to events about the goal, where their budgets allow", events)


def _section(title: str, lines: Iterable[str]) -> None:
    echo(f"\n{title}:")
    for line in list(lines) or ["nothing"]:
        echo(f"  {line}")


def _fault_text(one: Mapping[str, Any]) -> str:
    return f"{one['fault']}, {one['attempts']} attempts" if one["attempts"] > 1 else str(one["fault"])
