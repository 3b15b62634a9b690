"""The fewest known steps of each instance: the oracle's or those of a verified success, kept beside the cards.

SPL is measured against them. They are of one version of a scenario, in a company of the usual size that is drawn from
the public salt, played from its brief through the scenario's tools. Runs of another kind neither use nor change them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import orjson

from companyos.sdk.scenario import ScenariosUnusable, ScenarioUnknown, find, folder_of

from .agents.omissions import OMISSIONS
from .public_salt import DEFAULT_SALT, salt_digest
from .runs.folder import Run
from .runs.records import EpisodeRecord
from .runs.request import Door, Instance
from .stored_json import read_file

FILE: Final = "fewest_steps.json"
#: Agents that call the scenario's tools only, whatever else is offered.
_OF_THE_PACKAGE: Final = frozenset({"oracle", *OMISSIONS})


def fewest_steps_of(run: Run) -> dict[Instance, int]:
    """Return the fewest known steps of a run's instances, as far as they are kept.

    Raises:
        FolderUnusable: A file in which they are kept is damaged.
    """
    if not _is_usual(run) or run.request.tools != "scenario":
        return {}
    return {
        (name, level, seed): steps
        for name, version in run.request.scenarios.items()
        for (level, seed), steps in _steps_on_file(name, version).items()
    }


def keep_fewest_steps(run: Run, verified: Iterable[EpisodeRecord]) -> list[Path]:
    """Keep the steps of verified episodes, and the oracle's, where they are the fewest; return the files changed.

    Args:
        run: The run that they are of.
        verified: Those of its records that are known to be true.

    Raises:
        FolderUnusable: A file in which they are kept is damaged.
        OSError: A file cannot be written.
    """
    if not _is_usual(run) or not (
        run.request.tools == "scenario" or run.request.agent.kind in _OF_THE_PACKAGE
    ):
        return []
    found: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for record in verified:
        if isinstance(record.chaos, int) and record.version == find(record.scenario).version:
            found[record.scenario].append(record)
    written = []
    for name, records in sorted(found.items()):
        version, path = find(name).version, folder_of(find(name)) / FILE
        kept = _steps_on_file(name, version)
        if kept != (fewer := _with_fewer(kept, records)):
            path.write_bytes(_text(version, fewer))
            written.append(path)
    return written


def _is_usual(run: Run) -> bool:
    request, stack = run.request, run.about.get("stack", {})
    parts = (request.size, request.start, request.snapshot)
    return (
        parts == (None, None, None)
        and request.door is Door.TOOLS
        and stack.get("salt_digest") == salt_digest(DEFAULT_SALT)
    )


def _steps_on_file(name: str, version: int) -> dict[tuple[int, int], int]:
    """Return the steps that are kept of a version, by level and seed."""
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
        (int(level), int(seed)): steps
        for level, seeds in kept["steps"].items()
        for seed, steps in seeds.items()
    }


def _with_fewer(
    kept: Mapping[tuple[int, int], int], records: Iterable[EpisodeRecord]
) -> dict[tuple[int, int], int]:
    fewest = dict(kept)
    for record in records:
        place = (int(record.chaos), record.seed)
        for steps in (record.steps if record.success else None, record.oracle_steps):
            if steps is not None:
                fewest[place] = min(steps, fewest.get(place, steps))
    return fewest


def _text(version: int, fewest: Mapping[tuple[int, int], int]) -> bytes:
    """Return a file's content, with a line for each level."""
    levels: dict[int, dict[str, int]] = defaultdict(dict)
    for (level, seed), steps in sorted(fewest.items()):
        levels[level][str(seed)] = steps
    lines = [b'"%d": %b' % (level, orjson.dumps(seeds)) for level, seeds in levels.items()]
    return b'{"version": %d, "steps": {\n%b\n}}\n' % (version, b",\n".join(lines))
