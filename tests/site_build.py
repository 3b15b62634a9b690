"""Builds the site as `make site` does, without a network where the machine lets a process be cut off."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.adapters.environments import ROOT, interpreter_with

BUILD_TIMEOUT_S = 600
#: A namespace of its own, in which there is no network.
OFFLINE = ("unshare", "--map-root-user", "--net")


def build_site(folder: Path) -> None:
    """Build the site into a folder; a warning, such as one about a link, fails it."""
    subprocess.run([sys.executable, "-m", "docs.site"], cwd=ROOT, check=True)
    mkdocs = str(interpreter_with("site").parent / "mkdocs")
    cut_off = OFFLINE if _can_be_offline() else ()
    build = (mkdocs, "build", "--strict", "--quiet", "--site-dir", str(folder))
    ran = subprocess.run(
        [*cut_off, "env", "NO_MKDOCS_2_WARNING=1", *build],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _can_be_offline() -> bool:
    return shutil.which(OFFLINE[0]) is not None and subprocess.run([*OFFLINE, "true"]).returncode == 0
