"""What a player's line is completed to, and that a terminal does so."""

from collections.abc import Iterator

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from companyos.cli.episodes.completion import COMMANDS, Vocabulary
from companyos.cli.episodes.prompt import completing

TICKET = {"type": "string"}
TOOLS = {
    "desk_get_ticket": {
        "description": "Read a ticket. It may be old.",
        "input_schema": {"properties": {"ticket_id": TICKET}, "required": ["ticket_id"]},
    },
    "desk_assign": {
        "description": "Assign a ticket.",
        "input_schema": {
            "properties": {
                "ticket_id": TICKET,
                "assignee": {"type": "string", "description": "Person id."},
                "priority": {"type": "string", "enum": ["low", "high"]},
                "urgent": {"type": "boolean"},
                "note": {"type": "string"},
            }
        },
    },
}
SEEN = "TD-1001 is about V-17, says hana.diallo (see APR-0003-A2). Now TD-1001 again, e.g. example.com."


@pytest.fixture
def vocabulary() -> Vocabulary:
    known = Vocabulary(TOOLS)
    known.see(SEEN)
    return known


def words(vocabulary: Vocabulary, line: str) -> list[str]:
    return [found.text for found in vocabulary.suggestions(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", [*TOOLS, *COMMANDS]),
        ("desk_", list(TOOLS)),
        ("he", ["help"]),
        ("help desk_g", ["desk_get_ticket"]),
        ("desk_get_ticket ", ["ticket_id="]),
        ("desk_assign ticket_id=TD-1 a", ["assignee="]),
        ("desk_assign ticket_id=TD-1 ", ["assignee=", "priority=", "urgent=", "note="]),
        ("desk_assign priority=", ["low", "high"]),
        ("desk_assign priority=h", ["high"]),
        ("desk_assign urgent=", ["true", "false"]),
        ("desk_assign ticket_id=TD", ["TD-1001"]),
        ("desk_assign ticket_id=", ["TD-1001", "V-17", "APR-0003-A2"]),
        ("desk_assign assignee=ha", ["hana.diallo"]),
        ("desk_assign note=T", []),
        ("no_such_tool x", []),
    ],
)
def test_a_line_is_completed_to_what_may_come_next(
    vocabulary: Vocabulary, line: str, expected: list[str]
) -> None:
    assert words(vocabulary, line) == expected


def test_completions_begin_with_the_latest_ids(vocabulary: Vocabulary) -> None:
    vocabulary.see("V-17 is blocked by TD-2000")

    assert words(vocabulary, "desk_get_ticket ticket_id=") == ["V-17", "TD-2000", "TD-1001", "APR-0003-A2"]


def test_a_suggestion_says_what_it_is_and_what_it_replaces(vocabulary: Vocabulary) -> None:
    (tool,) = vocabulary.suggestions("desk_get")
    (argument,) = vocabulary.suggestions("desk_assign assi")

    assert (tool.replaces, tool.meaning) == (len("desk_get"), "Read a ticket")
    assert (argument.replaces, argument.meaning) == (len("assi"), "Person id.")


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe:
        yield pipe


def test_lines_are_read_one_after_another(vocabulary: Vocabulary, keyboard: PipeInput) -> None:
    lines = completing(vocabulary, input=keyboard, output=DummyOutput())
    keyboard.send_text("desk_get_ticket ticket_id=TD-1001\rtools\r")

    assert [lines(), lines()] == ["desk_get_ticket ticket_id=TD-1001", "tools"]


def test_control_d_ends_the_input(vocabulary: Vocabulary, keyboard: PipeInput) -> None:
    lines = completing(vocabulary, input=keyboard, output=DummyOutput())
    keyboard.send_text("\x04")

    with pytest.raises(EOFError):
        lines()
