"""Where `services`, `orchestrator` and `scenarios` are: beside this package in a checkout, inside it in a wheel."""

import os
import sys
from pathlib import Path

PACKED = Path(__file__).parent / "_stack"


def enter() -> None:
    """Make the stack importable in this process; nothing changes in a checkout."""
    if PACKED.is_dir() and str(PACKED) not in sys.path:
        sys.path.append(str(PACKED))


def program(*arguments: str) -> list[str]:
    """Return the command line that runs `companyos` with these arguments as a process of its own."""
    return [sys.executable, "-m", "companyos", *arguments]


def environment(**more: str) -> dict[str, str]:
    """Return our environment for such a process, which then finds this package from any directory."""
    root = str(Path(__file__).parent.parent)
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **more}
