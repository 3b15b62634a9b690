"""What the command line prints commands no terminal, whoever wrote it."""

import re
from pathlib import Path

import pytest

from companyos import cli
from companyos.cli.output import echo, print_columns

#: Modules that print what nobody else wrote, and the one that prints for all others.
OWN_WORDS = {"app.py", "container.py", "output.py"}


@pytest.mark.parametrize(
    ("hostile", "printed"),
    [
        ("a title \x1b]0;owned\x07", r"a title \x1b]0;owned\x07"),
        ("\x1b[2J\x1b[31mgone", r"\x1b[2J\x1b[31mgone"),
        ("\x9b2J", r"\x9b2J"),
        ("done\rfailed", r"done\rfailed"),
        ("a\x00b\x7f\x08", r"a\x00b\x7f\x08"),
        ("abc\u202egnp", r"abc\u202egnp"),
        ("half \ud83d a sign", r"half \ud83d a sign"),
    ],
)
def test_control_characters_and_halves_of_characters_are_spelled_out(
    capsys: pytest.CaptureFixture[str], hostile: str, printed: str
) -> None:
    echo(hostile)
    echo(hostile, err=True)
    print_columns([[hostile]])

    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (f"{printed}\n  {printed}\n", f"{printed}\n")


def test_lines_tabs_and_other_scripts_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    echo("Größe:\t7 kg\r\n✓ 完了\n", nl=False)

    assert capsys.readouterr().out == "Größe:\t7 kg\n✓ 完了\n"


def test_every_command_prints_by_it() -> None:
    printing = re.compile(r"\btyper\.s?echo\b|(?<![\w.])print\(")
    modules = (path for path in Path(cli.__file__).parent.rglob("*.py") if path.name not in OWN_WORDS)

    assert [path.name for path in modules if printing.search(path.read_text(encoding="utf-8"))] == []
