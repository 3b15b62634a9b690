"""A disk that is full, or a name that is too long for it: a command says so in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("command", [["scenario", "list"], ["--help"]], ids=" ".join)
def test_a_command_whose_output_finds_no_room_says_so_without_a_traceback(command: list[str]) -> None:
    with FULL.open("w") as full:
        program = [sys.executable, "-m", "companyos", *command]
        ended = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    told = "companyos: the output cannot be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (1, told)


@pytest.mark.parametrize(
    "command",
    [["view"], ["run", "joint_purchase", "--agent", "oracle", "--out"]],
    ids=" ".join,
)
def test_a_path_that_is_too_long_for_the_system_is_refused_without_a_traceback(command: list[str]) -> None:
    program = [sys.executable, "-m", "companyos", *command, "x" * 300]

    ended = subprocess.run(program, capture_output=True, text=True, check=False)

    assert ended.returncode in (1, 2)
    assert ended.stderr.endswith("cannot be named so: File name too long\n")
