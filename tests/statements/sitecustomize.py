"""Has each Python process that a test starts record its statements, from the moment it imports psycopg.

Every such process runs this first, so it imports next to nothing.
"""

import os
import sys
from importlib.machinery import PathFinder


class _Installing:
    """Loads psycopg as its own loader does, then has it recorded."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        self._loader.exec_module(module)
        import statement_recorder

        statement_recorder.install()


class _Finder:
    """Finds psycopg once, and leaves all else to the others."""

    def find_spec(self, fullname, path, target=None):
        if fullname != "psycopg":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None:
            spec.loader = _Installing(spec.loader)
        return spec


if os.environ.get("COMPANYOS_STATEMENTS"):
    sys.meta_path.insert(0, _Finder())
