"""Programs are found in a fixed order; where there are none the ways out are named."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from companyos.embedded.errors import Misuse
from companyos.embedded.stores.binaries import (
    check_chosen_programs,
    postgres_folder,
    postgres_major,
    valkey_program,
)


def test_the_wheels_are_found() -> None:
    assert (postgres_folder() / "initdb").is_file()
    assert postgres_major(postgres_folder()) >= 15
    assert valkey_program().is_file()


def test_a_folder_of_ones_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("initdb", "postgres", "valkey-server"):
        (tmp_path / name).symlink_to("/bin/true")
    monkeypatch.setenv("COMPANYOS_PG_BIN", str(tmp_path))
    monkeypatch.setenv("COMPANYOS_VALKEY_BIN", str(tmp_path / "valkey-server"))

    assert postgres_folder() == tmp_path
    assert valkey_program() == tmp_path / "valkey-server"


@pytest.mark.parametrize(
    ("find", "variable"),
    [(postgres_folder, "COMPANYOS_PG_BIN"), (valkey_program, "COMPANYOS_VALKEY_BIN")],
)
def test_missing_program_folder_is_refused_with_the_name_of_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, find: Callable[[], Path], variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))

    with pytest.raises(Misuse, match=f"{variable} is {tmp_path}. Allowed: a "):
        find()
    with pytest.raises(Misuse):
        check_chosen_programs()


@pytest.mark.parametrize(
    ("find", "variable"),
    [("postgres_folder", "COMPANYOS_PG_BIN"), ("valkey_program", "COMPANYOS_VALKEY_BIN")],
)
def test_where_nothing_is_installed_the_ways_out_are_named(find: str, variable: str) -> None:
    root = str(Path(__file__).parents[3])
    program = f"import sys; sys.path.append({root!r}); from companyos.embedded.stores.binaries import {find}; {find}()"

    found = subprocess.run(
        [sys.executable, "-S", "-I", "-c", program], capture_output=True, text=True, env={"PATH": "/nowhere"}
    )

    if "/usr" in found.stdout or found.returncode == 0:
        pytest.skip("this machine has the program as a system package")
    assert "pip install" in found.stderr
    assert "apt-get install" in found.stderr
    assert variable in found.stderr
