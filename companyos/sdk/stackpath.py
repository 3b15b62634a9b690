"""Locates `services`, `orchestrator` and `scenarios`: next to this package, or inside it in a wheel."""

import os
import sys
from pathlib import Path

PACKED = Path(__file__).parents[1] / "_stack"


def enter() -> None:
    """Make the stack importable in this process from any working directory."""
    stack = PACKED if PACKED.is_dir() else Path(__file__).parents[2]
    if str(stack) not in sys.path:
        sys.path.append(str(stack))


def program(*arguments: str) -> list[str]:
    """Return the command line that runs `companyos` with these arguments."""
    return [sys.executable, "-m", "companyos", *arguments]


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment, extended so that a child process can import this package."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **more}
