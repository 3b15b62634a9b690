"""Option groups: dataclasses that become options of a command, and are handed to it filled."""

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from companyos.cli.commands.option_groups import with_option_groups


@dataclass(frozen=True)
class Limits:
    steps: Annotated[int | None, typer.Option("--max-steps", min=1, help="Most steps.")] = None


@dataclass(frozen=True)
class Plan:
    names: Annotated[list[str] | None, typer.Argument(help="Names.")] = None
    limits: Limits = Limits()
    color: Annotated[str, typer.Option(help="Color.")] = "red"


def received(*arguments: str) -> tuple[Plan, bool]:
    """What a command with a group receives when it is called with these arguments."""
    app, calls = typer.Typer(rich_markup_mode=None), []

    @app.command()
    @with_option_groups
    def paint(*, plan: Plan, dry: Annotated[bool, typer.Option("--dry")] = False) -> None:
        """Paint it."""
        calls.append((plan, dry))

    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return calls[0]


@pytest.mark.parametrize(
    ("arguments", "plan", "dry"),
    [
        ((), Plan(), False),
        (("--dry", "--color", "blue"), Plan(color="blue"), True),
        (("a", "b", "--max-steps", "3"), Plan(["a", "b"], Limits(3)), False),
    ],
)
def test_a_command_receives_its_groups_filled(arguments: tuple[str, ...], plan: Plan, dry: bool) -> None:
    assert received(*arguments) == (plan, dry)


def test_the_options_keep_the_order_of_the_fields() -> None:
    @with_option_groups
    def paint(*, dry: bool = False, plan: Plan) -> None: ...

    assert list(signature(paint).parameters) == ["dry", "names", "steps", "color"]


def test_two_options_of_one_name_are_refused_when_the_command_is_declared() -> None:
    def paint(*, color: str, plan: Plan) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name: 'color'"):
        with_option_groups(paint)
