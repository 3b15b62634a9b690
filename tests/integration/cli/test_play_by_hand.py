"""A person plays an episode in the terminal."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from companyos.sdk import stackpath

from .conftest import DEADLINE_S, CommandLine

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


def typed_into_a_terminal(running: CommandLine, script: list[tuple[str, str]]) -> str:
    """Play in a terminal of its own: type each text once what it waits for has been shown."""
    terminal, its_end = pty.openpty()
    program = subprocess.Popen(
        stackpath.program("play"),
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
        cwd=running.home.path,
        env=stackpath.environment(COMPANYOS_HOME=str(running.home.path), TERM="xterm", COLUMNS="120"),
    )
    os.close(its_end)
    shown, read = "", 0
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
            shown += piece
            # Terminals answer where their cursor is; without an answer the prompt begins anew, with a warning.
            os.write(terminal, b"\x1b[1;1R" * piece.count("\x1b[6n"))
        if script and script[0][0] in shown[read:]:
            read = len(shown)
            os.write(terminal, script.pop(0)[1].encode())
    os.close(terminal)
    assert program.wait(timeout=DEADLINE_S) == 0, shown
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
