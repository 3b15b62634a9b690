"""A person plays an episode in the terminal."""

import fcntl
import os
import pty
import re
import select
import socket
import socketserver
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from companyos.sdk import stackpath
from tests.patience import PATIENCE_S

from .conftest import CommandLine

FINISH = "finish answer='There is nothing to do.'\n"


def test_a_person_reads_the_brief_calls_tools_and_reads_results(running: CommandLine) -> None:
    typed = f"help wait\nticketdesk_list_tickets limit=2\n{FINISH}"

    played = running("play", "--seed", "7", "--chaos", "0", typed=typed)

    assert played.returncode == 0, played.stderr
    told = played.stdout
    assert told.index("stands in the handbook") < told.index("Type a tool") < told.index("Let time pass")
    assert "total: " in told
    assert "[step 1, " in told
    assert "\nNo success, return" in told.split("[step 2, ")[1]


def test_a_person_sees_what_came_of_it_and_a_trainer_the_rewards_of_steps_too(running: CommandLine) -> None:
    plain = running("play", typed=FINISH).stdout
    shown = running("play", "--trainer", typed=FINISH).stdout

    before, _, graded = plain.split("Ctrl-D leaves.")[1].partition("No success, return -2.1.")
    assert not re.search(r"reward|return|success|failure", before, re.IGNORECASE)
    assert "  not achieved: ticket_verified." in graded
    assert "[reward -2.1 (step -0.1, failure -2), return -2.1]" in shown
    assert "No success, return -2.1." in shown
    assert "  not achieved: ticket_verified." in shown


def test_a_slip_costs_no_step_and_says_what_to_type(running: CommandLine) -> None:
    typed = "\nticketdesk_get_tickets\nquit\nticketdesk_list_tickets TD-1\nticketdesk_list_tickets limit=1\n"

    told = running("play", typed=typed).stdout

    assert "Did you mean ticketdesk_get_ticket or ticketdesk_list_tickets" in told
    assert "There is no tool 'quit'. Type help" in told
    assert "TD-1 is no argument. Write name=value" in told
    assert re.findall(r"\[step (\d+),", told) == ["1"]
    assert told.endswith("You left the episode.\n")


def test_the_commands_of_the_terminal_are_no_steps(running: CommandLine) -> None:
    told = running("play", typed="help\ntools\nbrief\nleave\n").stdout

    assert told.count("stands in the handbook") == 2
    assert told.count("  ticketdesk_get_ticket: Read a ticket") == 2
    assert told.count("  leave: leave the episode") == 1
    assert "[step" not in told


def test_a_terminal_completes_and_control_d_leaves(running: CommandLine) -> None:
    shown = typed_into_a_terminal(running, [("Ctrl-D leaves.", "ticketdesk_get_r\t"), ("rules", "\x15\x04")])

    assert "ticketdesk_get_rules" in shown
    assert "You left the episode." in shown


def test_control_c_drops_the_line_and_keeps_the_episode(running: CommandLine) -> None:
    # A prompt begins by asking the terminal to mark what is pasted.
    prompt = "\x1b[?2004h"
    typed = [
        (prompt, "wait"),
        ("wait", "\x03"),
        (prompt, "tools\r"),
        (prompt, "\x04"),
    ]
    shown = typed_into_a_terminal(running, typed)

    assert "ticketdesk_get_ticket: Read a ticket" in shown
    assert "[step" not in shown
    assert "You left the episode." in shown


class HeldAnswers(socketserver.ThreadingTCPServer):
    """Carries connections to a trainer API, and holds its answers while `open` is not set.

    Attributes:
        open: Whether answers pass.
        asked: Set when something is asked while they do not.
    """

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.target = (urlsplit(target).hostname, urlsplit(target).port)
        self.open, self.asked = threading.Event(), threading.Event()
        self.open.set()

    def finish_request(self, request: Any, client_address: object) -> None:
        with socket.create_connection(self.target) as server:
            answers = threading.Thread(target=self._carry_answers, args=(server, request), daemon=True)
            answers.start()
            while asked := request.recv(65536):
                server.sendall(asked)
                if not self.open.is_set():
                    self.asked.set()

    def _carry_answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while answered := server.recv(65536):
                self.open.wait(PATIENCE_S)
                client.sendall(answered)

    def hold_and_type(self, text: str) -> str:
        """Hold all answers from now on; return the text."""
        self.open.clear()
        return text

    def type_once_asked(self, text: str) -> str:
        """Return the text when something was asked."""
        assert self.asked.wait(PATIENCE_S)
        return text

    def pass_and_type(self, text: str) -> str:
        """Let answers pass again; return the text."""
        self.open.set()
        return text


@pytest.fixture
def held(running: CommandLine) -> Iterator[HeldAnswers]:
    """The running stack, behind a server that can hold its answers."""
    with HeldAnswers(running.status.url) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.open.set()
        server.shutdown()
        thread.join()


def test_control_c_while_a_call_is_answered_keeps_the_episode(
    running: CommandLine, held: HeldAnswers
) -> None:
    prompt, line = "\x1b[?2004h", "wait seconds=60"
    typed = [
        (prompt, lambda: held.hold_and_type(f"{line}\r")),
        (line, lambda: held.type_once_asked("\x03")),
        ("cannot be taken back", lambda: held.pass_and_type("")),
        ("[step 1, ", lambda: ""),
        (prompt, lambda: "\x04"),
    ]

    shown = typed_into_a_terminal(running, typed, "--url", held.url)

    assert shown.index("cannot be taken back") < shown.index("[step 1, ")
    assert "You left the episode." in shown


def test_control_c_twice_while_a_call_is_answered_leaves(running: CommandLine, held: HeldAnswers) -> None:
    line = "wait seconds=60"
    typed = [
        ("\x1b[?2004h", lambda: held.hold_and_type(f"{line}\r")),
        (line, lambda: held.type_once_asked("\x03")),
        ("cannot be taken back", lambda: "\x03"),
        ("You left the episode.", lambda: held.pass_and_type("")),
    ]

    shown = typed_into_a_terminal(running, typed, "--url", held.url, code=130)

    assert "[step 1, " not in shown


def typed_into_a_terminal(
    running: CommandLine, script: Sequence[tuple[str, str | Callable[[], str]]], *options: str, code: int = 0
) -> str:
    """Play in a terminal of its own: type each text once what it waits for has been shown."""
    terminal, its_end = pty.openpty()
    program = subprocess.Popen(
        stackpath.program("play", *options),
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
        cwd=running.home.path,
        env=stackpath.environment(COMPANYOS_HOME=str(running.home.path), TERM="xterm", COLUMNS="120"),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # else Ctrl-C is no signal
    )
    os.close(its_end)
    shown, read, left = "", 0, list(script)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
            shown += piece
            # Terminals answer where their cursor is; without an answer the prompt begins anew, with a warning.
            os.write(terminal, b"\x1b[1;1R" * piece.count("\x1b[6n"))
        if left and (at := shown.find(left[0][0], read)) >= 0:
            # One read may bring the next awaited text too: go on behind what was awaited, not behind it all.
            awaited, typed = left.pop(0)
            read = at + len(awaited)
            os.write(terminal, (typed if isinstance(typed, str) else typed()).encode())
    os.close(terminal)
    assert program.wait(timeout=PATIENCE_S) == code, shown
    return shown


def test_a_person_plays_in_the_browser_and_reads_the_grade_at_the_terminal(
    running: CommandLine, tmp_path: Path
) -> None:
    visitor = tmp_path / "visitor.py"
    visitor.write_text(
        "import sys\n"
        "from companyos.client.pages.text_browser import TextBrowser\n"
        "pages, _, token = sys.argv[1].partition('enter?token=')\n"
        "with TextBrowser(pages, token) as browser:\n"
        "    browser.goto('finish')\n"
        "    browser.click(len(browser.elements) - 1)\n"
    )
    python = stackpath.program()[0]

    played = running("play", "--browser", BROWSER=f"{python} {visitor} %s")

    assert "/web/enter?token=" in played.stdout
    assert "No success, return -2" in played.stdout
