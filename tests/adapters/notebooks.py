"""Runs the notebooks of examples/notebooks in place, on a stack of its own, so that they show what they do today."""

import os
import subprocess
import tempfile
from pathlib import Path

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from tests.adapters.environments import ROOT, interpreter_with

NOTEBOOKS = ROOT / "examples" / "notebooks"


def main() -> None:
    python = interpreter_with("trl-pinned")
    with tempfile.TemporaryDirectory() as folder, running_stack(Home.at(Path(folder))):
        environment = {**os.environ, "COMPANYOS_HOME": folder, "PYTHONPATH": str(ROOT)}
        environment["PATH"] = os.pathsep.join([str(python.parent), environment["PATH"]])
        for path in sorted(NOTEBOOKS.glob("*.ipynb")):
            subprocess.run(
                [python, ROOT / "tests/adapters/programs/notebook.py", path], check=True, env=environment
            )


if __name__ == "__main__":
    main()
