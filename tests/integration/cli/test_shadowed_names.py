"""Packages and modules of the user with the names of ours, or of libraries, lie beside and change nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from companyos.sdk import stackpath

from .conftest import CommandLine, all_dead, kill, wait_until

STRANGE = "raise SystemExit('the module beside the script was imported')\n"
PACKAGES = ("services", "orchestrator", "scenarios")
MODULES = ("logging", "redis", "uvicorn", "typer", "secrets", "alembic")


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A folder with packages and modules that have the names of others."""
    folder = tmp_path / "project"
    for name in PACKAGES:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
    for name in MODULES:
        (folder / f"{name}.py").write_text(STRANGE)
    return folder


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder, which a program started by `-c` or `-m` searches first."""
    return subprocess.run(
        command, cwd=folder, env=stackpath.environment(**environment), capture_output=True, text=True
    )


def test_a_stack_starts_beside_packages_with_the_names_of_its_own(
    companyos: CommandLine, crowded: Path
) -> None:
    for name in MODULES:
        (crowded / f"{name}.py").unlink()
    script = crowded / "play.py"
    script.write_text(
        "import services, orchestrator, scenarios\n"
        "from companyos import CompanyosEnv\n"
        "with CompanyosEnv.local() as env:\n"
        "    print(env.reset(scenario='vendor_onboarding', seed=1).done, services.__file__)\n"
    )

    played = run(crowded, sys.executable, str(script), COMPANYOS_HOME=str(companyos.home.path))

    assert played.stdout == f"False {crowded}/services/__init__.py\n", played.stderr


def test_spawned_processes_serve_among_modules_with_the_names_of_libraries_and_end_like_forked_ones(
    companyos: CommandLine, crowded: Path
) -> None:
    up = [sys.executable, "-m", "companyos", "up", "--detach", "--spawn"]

    started = run(crowded, *up, COMPANYOS_HOME=str(companyos.home.path))

    assert started.returncode == 0, started.stderr
    pids = companyos.all_pids()
    assert all(companyos.json("status")["ready"].values())
    kill(companyos.status.supervisor.pid)
    wait_until(lambda: all_dead(pids))


def test_ours_are_found_before_those_of_the_search_path(crowded: Path) -> None:
    program = (
        "from companyos.sdk.scenario import load_scenarios; load_scenarios();"
        "import scenarios, services; print(scenarios.__file__, services.__file__)"
    )
    for name in MODULES:
        (crowded / f"{name}.py").unlink()

    found = run(crowded, sys.executable, "-c", program)

    assert found.stdout == f"{stackpath.ROOT}/scenarios/__init__.py {crowded}/services/__init__.py\n"


def test_a_foreign_package_that_was_imported_before_is_named(crowded: Path) -> None:
    program = "import scenarios; from companyos.sdk.scenario import load_scenarios; load_scenarios()"
    for name in MODULES:
        (crowded / f"{name}.py").unlink()

    refused = run(crowded, sys.executable, "-c", program)

    assert f"{crowded}/scenarios was imported as `scenarios`" in refused.stderr
