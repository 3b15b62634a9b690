"""Standard streams that are closed: a command does its work, and prints into no file or socket of its own."""

import subprocess
import sys

import pytest

NOTES = """
import socket, sys
from companyos.embedded.programs.standard_streams import open_standard_streams
open_standard_streams()
opened = socket.socket()
print("nobody reads this", flush=True)
print("nor this", file=sys.stderr, flush=True)
sys.exit(3 if (sys.stdin.read(), sys.stdin.isatty(), opened.fileno() > 2) == ("", False, True) else 4)
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_empty_and_takes_whatever_is_printed(closed: str) -> None:
    command = ["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, NOTES]

    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    assert (ended.returncode, "Traceback" in ended.stderr) == (3, False)


def test_a_command_that_reads_what_is_typed_says_what_is_wrong_when_its_input_is_closed() -> None:
    command = ["sh", "-c", 'exec "$0" -m companyos verify - <&-', sys.executable]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
