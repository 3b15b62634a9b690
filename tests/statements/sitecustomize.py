"""Has each Python process that a test starts record its statements, from the moment it imports what sends them."""

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class _Installing(Loader):
    """Loads a module as its own loader does, then has it recorded."""

    def __init__(self, loader: Loader, install: str) -> None:
        self._loader = loader
        self._install = install

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        import statement_recorder  # type: ignore[import-not-found]

        getattr(statement_recorder, self._install)()


class _Finder(MetaPathFinder):
    """Finds one module once, and leaves all else to the others."""

    def __init__(self, name: str, install: str) -> None:
        self._name = name
        self._install = install

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Installing(spec.loader, self._install)
        return spec


if os.environ.get("COMPANYOS_STATEMENTS"):
    sys.meta_path.insert(0, _Finder("psycopg", "install"))
    sys.meta_path.insert(0, _Finder("companyos.chassis.prepared", "install_prepared"))
