"""Has each Python process that a test starts record its statements, from the moment it imports what sends them.

Every such process runs this first, so it imports next to nothing.
"""

import os
import sys
from importlib.machinery import PathFinder


class _Installing:
    """Loads a module as its own loader does, then has it recorded."""

    def __init__(self, loader, install):
        self._loader = loader
        self._install = install

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        self._loader.exec_module(module)
        import statement_recorder

        getattr(statement_recorder, self._install)()


class _Finder:
    """Finds one module once, and leaves all else to the others."""

    def __init__(self, name, install):
        self._name = name
        self._install = install

    def find_spec(self, fullname, path, target=None):
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None:
            spec.loader = _Installing(spec.loader, self._install)
        return spec


if os.environ.get("RECORDED_STATEMENTS"):
    sys.meta_path.insert(0, _Finder("psycopg", "install"))
    sys.meta_path.insert(0, _Finder("companyos.chassis.postgres.prepared", "install_prepared"))
