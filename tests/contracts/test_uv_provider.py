"""OpenEnv's UVProvider starts this checkout, and in a whole proof the folder of its Space, with `uv run`, and plays."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from deploy.make_space import ROOT, make_space
from tests.sizes import size, whole_proof

from .client_venvs import made_once

PROGRAM = Path(__file__).parent / "openenv_programs" / "uv_project.py"
UV = "uv==0.*"


@pytest.fixture(scope="module")
def with_uv() -> dict[str, str]:
    """The environment of a program that finds `uv`, and that has settings of nobody's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMPANYOS_")}
    return {**kept, "PATH": os.pathsep.join([str(made_once(UV).parent), kept["PATH"]])}


@pytest.fixture(params=size(("checkout",), ("checkout", "space")))
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder that somebody may name as `project_path`."""
    if request.param == "checkout":
        return ROOT
    make_space(tmp_path / "space")
    return tmp_path / "space"


@whole_proof
def test_the_provider_starts_the_stack_plays_and_leaves_nothing_behind(
    openenv_python: Path, project: Path, with_uv: dict[str, str], tmp_path: Path
) -> None:
    (folder := tmp_path / "temporary").mkdir()

    played = subprocess.run(
        [openenv_python, PROGRAM, project],
        cwd=tmp_path,
        env={**with_uv, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=500,
    )

    assert played.returncode == 0, played.stdout + played.stderr
    [said] = [line for line in played.stdout.splitlines() if line.startswith("{")]
    assert json.loads(said) == {"scenario": "vendor_onboarding", "error": None}
    assert list(folder.glob("companyos-*")) == []
