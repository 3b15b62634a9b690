"""A copy of PostgreSQL's programs that runs for a user id without a name."""

import subprocess
from pathlib import Path

import pytest

from companyos.embedded.programs.processes import IS_LINUX
from companyos.embedded.stores.binaries import postgres_folder
from companyos.embedded.stores.nameless import copy_for_nameless, is_nameless

pytestmark = pytest.mark.skipif(not IS_LINUX, reason="is needed, and works, on Linux only")


def test_root_has_a_name_and_some_number_has_none() -> None:
    assert not is_nameless(0)
    assert is_nameless(54321)


def test_the_copied_programs_work_and_the_rest_is_linked(tmp_path: Path) -> None:
    copied = copy_for_nameless(postgres_folder(), tmp_path / "programs")

    told = [
        subprocess.run([folder / "postgres", "--version"], capture_output=True).stdout
        for folder in (copied, postgres_folder())
    ]
    assert told[0] == told[1] != b""
    assert (copied / "psql").is_symlink()
    assert not (copied / "initdb").is_symlink()


def test_a_copy_is_made_once(tmp_path: Path) -> None:
    made = copy_for_nameless(postgres_folder(), tmp_path / "programs") / "initdb"
    inode = made.stat().st_ino

    again = copy_for_nameless(postgres_folder(), tmp_path / "programs") / "initdb"

    assert again.stat().st_ino == inode
