"""Sockets live in a short private folder that nobody else can prepare for us."""

import os
from pathlib import Path

import pytest

from companyos.embedded.errors import StackError
from companyos.embedded.stores.identity import private_folder
from companyos.embedded.stores.sockets import socket_folder


def test_every_home_has_a_short_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    deep = Path("/deep") / ("x" * 200)

    assert len(str(socket_folder(deep))) <= 24
    assert socket_folder(deep) != socket_folder(deep / "other")


def test_a_runtime_folder_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / ("x" * 80)
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))

    with pytest.raises(StackError, match="XDG_RUNTIME_DIR"):
        socket_folder(tmp_path)


def test_a_trap_set_in_a_shared_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "trap").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StackError, match="belongs to another user"):
        private_folder(tmp_path / "trap", owner=os.geteuid())


def test_a_private_folder_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)

    assert private_folder(tmp_path / "open", owner=os.geteuid()).stat().st_mode & 0o777 == 0o700
