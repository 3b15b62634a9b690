"""Every number of the command line is read plainly, whichever command takes it."""

from collections.abc import Iterator
from inspect import signature
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from companyos.cli.app import app
from companyos.cli.commands.numbers import PlainNumbers

Numbers = tuple[list[str], str, str]

echoing = PlainNumbers(rich_markup_mode=None)
WHOLE, OTHER = typer.Option(min=1, max=20), typer.Option(min=0)


@echoing.command()
def show(
    *,
    whole: Annotated[int, WHOLE] = 3,
    other: Annotated[float | None, OTHER] = None,
    several: Annotated[list[int] | None, typer.Option()] = None,
) -> None:
    """Print what was read."""
    typer.echo(f"{whole!r} {other!r} {several!r}")


def said(*arguments: str) -> str:
    """Return what the command prints, on one line."""
    return " ".join(CliRunner().invoke(echoing, list(arguments)).output.split())


def options_of(commands: Any, path: list[str]) -> Iterator[Numbers]:
    """Yield each option that takes a number, after the names of its command, with the kind of number."""
    for name, command in commands.items():
        if hasattr(command, "commands"):
            yield from options_of(command.commands, [*path, name])
            continue
        annotated = signature(command.callback, eval_str=True).parameters
        for option in command.params:
            kinds = str(getattr(annotated.get(option.name), "annotation", "")).partition("typer")[0]
            kind = next((one for one in ("int", "float") if one in kinds.replace("Union", "")), None)
            if kind and option.opts[0].startswith("-"):
                yield [*path, name], option.opts[0], kind


OPTIONS = list(options_of(typer.main.get_command(app).commands, []))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("command", "option", "kind"), OPTIONS, ids=lambda part: part if isinstance(part, str) else " ".join(part)
)
def test_every_option_refuses_a_number_that_is_not_plain(command: list[str], option: str, kind: str) -> None:
    result = CliRunner().invoke(app, [*command, option, "1_0"])

    assert result.exit_code == 2
    assert f"'1_0' is no {'whole number' if kind == 'int' else 'number'}, such as 7" in result.output


def test_most_commands_that_take_numbers_are_tried() -> None:
    assert len(OPTIONS) > 45
    assert {kind for _, _, kind in OPTIONS} == {"int", "float"}


@pytest.mark.parametrize(
    "text", ["1_0", " 7", "7 ", "１２", "٣", "+7", "7.5", "0x10", "1e3", "nan", "", "9" * 30]
)
def test_a_whole_number_that_is_not_plain_is_refused(text: str) -> None:
    assert f"'--whole': {text!r} is no whole number, such as 7." in said("--whole", text)


@pytest.mark.parametrize("text", ["1_0.5", " 7", "0.５", "+7", "nan", "inf", "1e999", "1e", ".", "", "half"])
def test_a_number_that_is_not_plain_is_refused(text: str) -> None:
    assert f"'--other': {text!r} is no number, such as 7 or 0.5." in said("--other", text)


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ([], "3 None None"),
        (["--whole", "7"], "7 None None"),
        (["--whole", "4.0"], "4 None None"),
        (["--other", "0.5"], "3 0.5 None"),
        (["--other", ".5"], "3 0.5 None"),
        (["--other", "1e-3"], "3 0.001 None"),
        (["--several", "-2", "--several", "5"], "3 None [-2, 5]"),
    ],
)
def test_a_plain_number_is_read(arguments: list[str], read: str) -> None:
    assert said(*arguments) == read


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--whole", "0"], "'--whole': 0 is below 1, the least."),
        (["--whole", "21"], "'--whole': 21 is above 20, the most."),
        (["--other", "-0.5"], "'--other': -0.5 is below 0, the least."),
        (["--several", "1_0"], "'--several': '1_0' is no whole number"),
    ],
)
def test_a_number_out_of_bounds_is_refused_with_the_bound(arguments: list[str], told: str) -> None:
    assert told in said(*arguments)
