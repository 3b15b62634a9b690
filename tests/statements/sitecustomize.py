"""Has each Python process that a test starts record its statements, from the moment it imports psycopg."""

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class _Installing(Loader):
    """Loads psycopg as its own loader does, then has it recorded."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        import statement_recorder  # type: ignore[import-not-found]

        statement_recorder.install()


class _Finder(MetaPathFinder):
    """Finds psycopg once, and leaves all else to the others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "psycopg":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Installing(spec.loader)
        return spec


if os.environ.get("COMPANYOS_STATEMENTS"):
    sys.meta_path.insert(0, _Finder())
