"""Scenario discovery in the repository, in installed packages, and in the folders of `COMPANYOS_SCENARIOS`.

A scenario folder holds `scenario.py`, which defines `SCENARIO`. Discovery loads scenarios without validating them. A
place that cannot be loaded is reported with the reason, and the others are still loaded.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Final

from companyos.sdk import stackpath

#: The entry-point group under which installed packages provide scenarios.
ENTRY_POINTS: Final = "companyos.scenarios"
#: The setting that lists folders, separated as in PATH; each is a scenario folder or holds scenario folders.
SETTING: Final = "COMPANYOS_SCENARIOS"

_MODULE: Final = "scenario"


@dataclass(frozen=True)
class Found:
    """The result of loading one place.

    Attributes:
        place: A folder or an entry point, as shown to users.
        offered: The object found there; None if loading failed.
        fault: Why loading failed; empty if it succeeded.
    """

    place: str
    offered: object = None
    fault: str = ""


class ScenariosUnusable(Exception):
    """Some scenarios cannot be used. The message names every place and the reason."""

    def __init__(self, faults: Sequence[str]) -> None:
        listed = "".join(f"\n  {fault}" for fault in faults)
        super().__init__(f"{'A scenario' if len(faults) == 1 else 'Some scenarios'} cannot be used:{listed}")
        self.faults = tuple(faults)


class _Missing(LookupError):
    """A place lacks a required part of a scenario. The message names it."""


def everything_found(folders: str) -> list[Found]:
    """Return what the repository, the entry points and these folders provide. Duplicate folders count once.

    Args:
        folders: Paths separated by `os.pathsep`; may be empty.
    """
    seen: set[Path] = set()
    found = [*_in_repository(seen), *_in_packages(seen)]
    for folder in filter(None, folders.split(os.pathsep)):
        found += _in_folder(Path(folder).expanduser().resolve(), seen)
    return found


def found_in(folder: Path) -> Found:
    """Load one scenario folder from any location.

    Modules of the folder may import each other, and modules of sibling folders, relatively.
    """
    folder = folder.expanduser().resolve()
    return _tried(str(folder), lambda: _load(folder))


def is_scenario_folder(folder: Path) -> bool:
    """Return whether a folder holds a scenario."""
    return (folder / f"{_MODULE}.py").is_file()


def reason_of(failure: BaseException, folder: Path | None = None) -> str:
    """Describe an exception, with the line of the author's code that raised it.

    Args:
        failure: The exception.
        folder: The author's folder; its last line that the exception passed is preferred to a library's.
    """
    if isinstance(failure, _Missing):
        return str(failure)
    reason = f"{type(failure).__name__}: {failure}"
    if isinstance(failure, SyntaxError):
        return reason
    lines = [frame for frame in extract_tb(failure.__traceback__) if not _is_machinery(frame.filename)]
    own = [frame for frame in lines if folder is not None and Path(frame.filename).is_relative_to(folder)]
    lines = own or lines
    return f"{reason} ({lines[-1].filename}:{lines[-1].lineno})" if lines else reason


def _in_repository(seen: set[Path]) -> Iterator[Found]:
    place = str(stackpath.ROOT / "scenarios")
    found = _tried(place, _own_scenarios)
    yield from _in_package(found.offered, seen) if found.offered else [found]


def _own_scenarios() -> ModuleType:
    _enter()
    return import_module("scenarios")


def _enter() -> None:
    # Only this name: the program may have packages `services` and `orchestrator` of its own.
    stackpath.enter("scenarios")


def _in_packages(seen: set[Path]) -> Iterator[Found]:
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        yield from _at_entry_point(point, seen)


def _at_entry_point(point: EntryPoint, seen: set[Path]) -> Iterator[Found]:
    """Yield the object of an entry point, or the scenarios of the package it names."""
    place = f"entry point {point.name} = {point.value}"
    loaded = _tried(place, point.load)
    if not isinstance(loaded.offered, ModuleType):
        yield loaded
    elif hasattr(loaded.offered, "SCENARIO") or not hasattr(loaded.offered, "__path__"):
        yield _tried(place, lambda: _offered(loaded.offered))
    else:
        of_package = list(_in_package(loaded.offered, seen))
        yield from of_package or [Found(place, fault="the package holds no scenario")]


def _in_package(package: object, seen: set[Path]) -> Iterator[Found]:
    """Yield the scenario in an imported package, or those in its subfolders."""
    assert isinstance(package, ModuleType)
    for root in sorted(Path(path).resolve() for path in package.__path__):
        for folder in _scenario_folders(root):
            suffix = "" if folder == root else f".{folder.name}"
            seen.add(folder)
            yield _tried(str(folder), partial(_imported, f"{package.__name__}{suffix}.{_MODULE}"))


def _in_folder(folder: Path, seen: set[Path]) -> Iterator[Found]:
    if not folder.is_dir():
        yield Found(str(folder), fault=f"there is no such folder; {SETTING} names it")
        return
    inside = _scenario_folders(folder)
    if not inside:
        yield Found(str(folder), fault=f"neither it nor a folder in it holds {_MODULE}.py")
    for one in inside:
        if one not in seen:
            seen.add(one)
            yield found_in(one)


def _load(folder: Path) -> object:
    _enter()
    if not is_scenario_folder(folder):
        raise _Missing(f"it has no {_MODULE}.py" if folder.is_dir() else "there is no such folder")
    if "." in folder.name:
        raise _Missing("the name of a scenario folder must not contain a dot")
    return _imported(f"{_package_of(folder.parent)}.{folder.name}.{_MODULE}")


def _scenario_folders(folder: Path) -> list[Path]:
    if is_scenario_folder(folder):
        return [folder]
    return sorted(inside for inside in folder.iterdir() if is_scenario_folder(inside))


def _package_of(parent: Path) -> str:
    """Return the name of a synthetic package for a folder, which makes its subfolders importable."""
    name = f"scenarios_outside_{blake2b(os.fsencode(parent), digest_size=4).hexdigest()}"
    invalidate_caches()
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(parent)]
        sys.modules[name] = package
    return name


def _imported(name: str) -> object:
    return _offered(import_module(name))


def _offered(module: object) -> object:
    if not hasattr(module, "SCENARIO"):
        raise _Missing(f"the module has no SCENARIO; end {_MODULE}.py with `SCENARIO = YourScenario()`")
    offered: object = module.SCENARIO
    return offered


def _tried(place: str, load: Callable[[], object]) -> Found:
    try:
        return Found(place, load())
    except (Exception, SystemExit) as failure:  # noqa: BLE001 - third-party code may raise anything, which is reported
        return Found(place, fault=reason_of(failure))


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or filename.startswith("<frozen") or "importlib" in Path(filename).parts
