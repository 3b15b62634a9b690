"""Virtual environments with one framework each and what our client needs, made once per machine and set of packages."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALL_TIMEOUT_S = 900
#: `newest` brings each environment up to the newest releases, and runs the frameworks that take long to install.
SETTING = "COMPANYOS_ADAPTERS"
#: Frameworks that every change is checked with.
LIGHT = frozenset({"chart", "gymnasium", "site", "skyrl", "tracing", "trl-pinned"})
#: What runs the notebooks of examples/notebooks, and draws in them.
NOTEBOOKS = ("ipykernel>=7", "matplotlib>=3.10", "nbclient>=0.10")
#: Needed besides an extra: verifiers starts its harness with uv, its own OpenEnv environment imports openenv, the
#: modules of RLlib need PyTorch, a training shows its curve in TensorBoard where that is, and is the same only with the
#: same releases. The environment that every change is checked with and that has PyTorch also runs the notebooks. Helm's
#: own library and the schemas of Kubernetes, a third of a gigabyte, are for the tests of the chart alone.
#: Gymnasium's pictures of pages need what the extra `browser` installs. The site is built by what `make site` installs.
BESIDES = {
    "chart": (
        "helm-python-sdk==0.2.2; sys_platform == 'linux' and platform_machine == 'x86_64'",
        "kubernetes-validate==1.37.0",
    ),
    "gymnasium": ("pillow>=12", "playwright>=1.55"),
    "site": tuple(re.findall(r"'(mkdocs[^']+)'", (ROOT / "Makefile").read_text(encoding="utf-8"))),
    "verifiers": ("uv",),
    "verifiers-openenv": ("uv", "openenv"),
    "ray-torch": ("torch",),
    "train": ("tensorboard",),
    "trl-pinned": ("torch==2.13.0", "transformers==5.24.0", "trl==1.16.0", *NOTEBOOKS),
}


def everything_is_asked_for() -> bool:
    return os.environ.get(SETTING) == "newest"


@cache
def interpreter_with(extra: str) -> Path:
    """Return the interpreter of the environment with an extra of ours; make it if it is not there.

    A machine that cannot install a framework cannot say whether its adapter works: the tests fail, they are not
    skipped.
    """
    wanted = requirements(extra)
    digest = hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:12]
    home = Path(os.environ.get("COMPANYOS_TEST_CACHE") or Path.home() / ".cache" / "companyos-tests")
    folder = home / f"{extra}-{digest}-{sys.implementation.cache_tag}"
    with _locked(home / f"{folder.name}.lock"):
        if everything_is_asked_for() or not (folder / "complete").exists():
            _make(folder, wanted)
    return folder / "bin" / "python"


def requirements(extra: str) -> list[str]:
    """Return what the distribution requires with an extra; of what is no extra, only what it needs itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = project["optional-dependencies"].get(extra.partition("-")[0])
    ours = [] if own is None else [*project["dependencies"], *own]
    return [*ours, *BESIDES.get(extra, ())]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(folder: Path, wanted: list[str]) -> None:
    python = str(folder / "bin" / "python")
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(folder))
        _run(uv, "pip", "install", "--quiet", "--upgrade", "--python", python, *wanted)
    else:
        _run(sys.executable, "-m", "venv", str(folder))
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", *wanted)
    (folder / "complete").touch()


def _run(*command: str) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    if ran.returncode:
        pytest.fail(
            f"A framework could not be installed, so nothing can be said about its adapter.\n"
            f"{' '.join(command)}\n{ran.stdout}{ran.stderr}",
            pytrace=False,
        )


if __name__ == "__main__":
    for each in sorted(LIGHT):
        interpreter_with(each)
