"""SPL, and the fewest known steps that it is measured by: the oracle's or a verified success's, kept beside the cards.

The steps that are kept are of one version of a scenario, in a company of the usual size that is drawn from
the public salt, played from its brief through the scenario's tools. Runs of another kind neither use nor change them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import orjson

from companyos.sdk.scenario import ScenariosUnusable, ScenarioUnknown, find, folder_of

from .agents.omissions import OMISSIONS
from .public_salt import DEFAULT_SALT, salt_digest
from .runs.folder import Run
from .runs.intervals import Estimate, share
from .runs.records import EpisodeRecord
from .runs.request import Door, Instance
from .stored_json import read_file

FILE: Final = "fewest_steps.json"
#: Agents that call the scenario's tools only, whatever else is offered.
_OF_THE_PACKAGE: Final = frozenset({"oracle", *OMISSIONS})


class Attempt(NamedTuple):
    """An episode, as far as SPL depends on it."""

    instance: Instance
    success: bool
    steps: int


def spl_of(attempts: Sequence[Attempt], known: Mapping[Instance, int]) -> Estimate | None:
    """Return success weighted by the fewest known steps divided by those taken; repetitions are averaged.

    It is None if no steps are known of an instance that was solved. Those of a success here may be fewer still.
    """
    solved = [one for one in attempts if one.success]
    if not all(one.instance in known for one in solved):
        return None
    fewest = dict(known)
    for one in solved:
        fewest[one.instance] = min(one.steps, fewest[one.instance])
    found: dict[Instance, list[float]] = defaultdict(list)
    for one in attempts:
        found[one.instance].append(fewest[one.instance] / max(one.steps, 1) if one.success else 0.0)
    return share([fmean(weighted) for weighted in found.values()])


def fewest_steps_of(run: Run) -> dict[Instance, int]:
    """Return the fewest known steps of a run's instances, as far as they are kept.

    Raises:
        FolderUnusable: A file in which they are kept is damaged.
    """
    if not _is_usual(run):
        return {}
    found: dict[Instance, int] = {}
    for name, version in run.request.scenarios.items():
        found |= _steps_on_file(name, version)
    return found


def with_fewer(known: Mapping[Instance, int], records: Iterable[EpisodeRecord]) -> dict[Instance, int]:
    """Return the fewest steps of each instance: those known, those of a success, or those of the oracle beside it."""
    fewest = dict(known)
    for record in records:
        for steps in (record.steps if record.success else None, record.oracle_steps):
            if steps is not None:
                fewest[record.instance] = min(steps, fewest.get(record.instance, steps))
    return fewest


def keep_fewest_steps(run: Run, verified: Iterable[EpisodeRecord]) -> list[Path]:
    """Keep the steps of verified episodes, and the oracle's, where they are the fewest; return the files changed.

    Args:
        run: The run that they are of.
        verified: Those of its records that are known to be true.

    Raises:
        FolderUnusable: A file in which they are kept is damaged.
        OSError: A file cannot be written.
    """
    if not _is_usual(run):
        return []
    found: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for record in verified:
        if isinstance(record.chaos, int) and record.version == find(record.scenario).version:
            found[record.scenario].append(record)
    written = []
    for name, records in sorted(found.items()):
        version, path = find(name).version, folder_of(find(name)) / FILE
        kept = _steps_on_file(name, version)
        if kept != (fewer := with_fewer(kept, records)):
            path.write_bytes(_text(version, fewer))
            written.append(path)
    return written


def _is_usual(run: Run) -> bool:
    request, stack = run.request, run.about.get("stack", {})
    tools_are_usual = request.tools == "scenario" or request.agent.kind in _OF_THE_PACKAGE
    parts = (request.size, request.start, request.snapshot)
    return (
        tools_are_usual
        and parts == (None, None, None)
        and request.door is Door.TOOLS
        and stack.get("salt_digest") == salt_digest(DEFAULT_SALT)
    )


def _steps_on_file(name: str, version: int) -> dict[Instance, int]:
    """Return the steps that are kept of a version of a scenario."""
    try:
        path = folder_of(find(name)) / FILE
    except (ScenarioUnknown, ScenariosUnusable):
        return {}
    if not path.exists():
        return {}
    kept = read_file(path, remedy="Restore the file")
    if kept.get("version") != version:
        return {}
    return {
        (name, int(level), int(seed)): steps
        for level, seeds in kept["steps"].items()
        for seed, steps in seeds.items()
    }


def _text(version: int, fewest: Mapping[Instance, int]) -> bytes:
    """Return a file's content, with a line for each level."""
    levels: dict[int, dict[str, int]] = defaultdict(dict)
    for (_, level, seed), steps in sorted(fewest.items()):
        levels[int(level)][str(seed)] = steps
    lines = [b'"%d": %b' % (level, orjson.dumps(seeds)) for level, seeds in levels.items()]
    return b'{"version": %d, "steps": {\n%b\n}}\n' % (version, b",\n".join(lines))
