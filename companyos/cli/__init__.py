"""The command line: `companyos`, also installed as `openenv-companyos`."""

from .app import main

__all__ = ["main"]
