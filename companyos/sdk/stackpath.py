"""Locates `services`, `orchestrator` and `scenarios`: next to this package, or inside it in a wheel.

A user's folder may hold packages of the same names. Those of the stack are found first, wherever the search path
leads, and a process of the stack does not search the folder that it was started in.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

PACKED = Path(__file__).parents[1] / "_stack"
ROOT = PACKED if PACKED.is_dir() else Path(__file__).parents[2]
PACKAGES = ("services", "orchestrator", "scenarios")


class _StackFinder(MetaPathFinder):
    """Finds packages of the stack before the search path is searched."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a package of the stack is; None for every other module."""
        return PathFinder.find_spec(fullname, [str(ROOT)]) if fullname in self.names else None


_FINDER = _StackFinder()


class NameTaken(ImportError):
    """This process has imported a package that has the name of one of the stack's."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(
            f"{place} was imported as `{name}`, the name of a package of CompanyOS. Rename it,"
            " or load the scenarios before it is imported."
        )


def enter(*names: str) -> None:
    """Make packages of the stack, by default all, importable in this process from any working directory.

    Raises:
        NameTaken: The process has already imported another package of that name.
    """
    wanted = names or PACKAGES
    for name in wanted:
        _refuse_foreign(name)
    _FINDER.names.update(wanted)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def program(*arguments: str) -> list[str]:
    """Return the command line that runs `companyos` with these arguments."""
    return module("companyos", *arguments)


def module(name: str, *arguments: str) -> list[str]:
    """Return the command line that runs one of our modules, whatever modules the working directory holds."""
    return [sys.executable, "-P", "-m", name, *arguments]


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment, extended so that a child process can import this package."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **more}


def _refuse_foreign(name: str) -> None:
    imported = sys.modules.get(name)
    if imported is None:
        return
    places = [Path(place).resolve() for place in getattr(imported, "__path__", [])]
    if (ROOT / name).resolve() not in places:
        raise NameTaken(name, str(places[0] if places else getattr(imported, "__file__", name)))
