"""The module that OpenEnv's UVProvider names: the stack listens where uvicorn would, and is not opened by accident."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.make_space import ROOT
from deploy.openenv.server.app import OPENING, address, stack_command

SERVER = ROOT / "deploy" / "openenv" / "server" / "app.py"
#: What the provider of OpenEnv 0.10 appends to `uv run --isolated --project PROJECT --`, after `uvicorn`.
PROVIDED = ["server.app:app", "--host", "0.0.0.0", "--port", "4321", "--workers", "1"]


@pytest.fixture(autouse=True)
def told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OPENING:
        monkeypatch.delenv(name, raising=False)


def test_the_stack_is_asked_to_listen_where_uvicorn_would() -> None:
    command = stack_command(PROVIDED)

    assert command == [sys.executable, "-P", str(SERVER), "--host", "0.0.0.0", "--port", "4321"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_a_token_every_address_means_this_machine(host: str) -> None:
    assert address(host) == "127.0.0.1"


@pytest.mark.parametrize("name", OPENING)
def test_named_address_is_used_with_a_token_or_open_access(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "true")

    assert address("0.0.0.0") == "0.0.0.0"


def test_an_address_that_is_refused_ends_it_with_one_sentence(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-P", SERVER, "--host", "192.0.2.1", "--port", "0"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith(
        "companyos: The trainer API would be published on '192.0.2.1' without a token."
    )
    assert list(tmp_path.iterdir()) == []
