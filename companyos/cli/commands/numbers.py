"""Numbers and ranges of numbers, as they are typed: in ASCII digits, without spaces and underscores."""

import re
from collections.abc import Callable
from inspect import signature
from math import isfinite
from typing import Any, Final, TypeVar, get_args

import typer
from typer.models import ParameterInfo

from companyos.sdk.plain_numbers import whole

Command = TypeVar("Command", bound=Callable[..., Any])

_DECIMAL: Final = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


class PlainNumbers(typer.Typer):
    """Commands whose numbers are read here: Typer reads `1_0` as 10, and accepts spaces, `nan` and `inf`."""

    def command(self, *names: Any, **settings: Any) -> Callable[[Command], Command]:
        """Register a command, as Typer does."""
        register = super().command(*names, **settings)

        def add(function: Command) -> Command:
            for parameter in signature(function, eval_str=True).parameters.values():
                _read_plainly(parameter.annotation)
            return register(function)

        return add


def span(text: str, option: str, *, fewest: int = 1, most: int | None = None) -> range:
    """Return the numbers of the range `a-b`.

    Raises:
        typer.BadParameter: The range has fewer than `fewest` numbers, or some above `most`.
    """
    first, _, last = text.partition("-")
    named = range(number(first, option), number(last, option) + 1)
    if not named:
        raise typer.BadParameter(
            f"{text} is empty; write the smaller number first, such as 0-5", param_hint=option
        )
    if len(named) < fewest:
        message = f"{text} holds {len(named)}, and at least {fewest} are needed"
        raise typer.BadParameter(message, param_hint=option)
    if most is not None and named[-1] > most:
        raise typer.BadParameter(f"{named[-1]} is above {most}", param_hint=option)
    return named


def number(text: str, option: str) -> int:
    """Parse a whole number.

    Raises:
        typer.BadParameter: The text is not a number.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise typer.BadParameter(f"{text!r} is neither a number nor a range such as 0-5", param_hint=option)
    return int(text)


def _read_plainly(annotation: Any) -> None:
    """Have Typer read the numbers of an option or argument with a parser of ours."""
    parse = {int: _whole_number, float: _number}.get(_number_in(annotation))
    for info in (one for one in get_args(annotation) if isinstance(one, ParameterInfo)):
        if parse is not None:
            info.parser = _bounded(parse, info.min, info.max)


def _number_in(annotation: Any) -> Any:
    """Return `int` or `float` for the annotation of one such number, of several, or of none."""
    inside = (found for one in get_args(annotation) if (found := _number_in(one)) is not None)
    return annotation if annotation in (int, float) else next(inside, None)


def _bounded(parse: Callable[[str], float], least: float | None, most: float | None) -> Callable[[Any], Any]:
    def number_of(given: Any) -> Any:
        # A default is a number already.
        number = parse(given) if isinstance(given, str) else given
        if least is not None and number < least:
            raise typer.BadParameter(f"{given} is below {least}, the least.")
        if most is not None and number > most:
            raise typer.BadParameter(f"{given} is above {most}, the most.")
        return number

    return number_of


def _whole_number(text: str) -> int:
    number = whole(text)
    if not isinstance(number, int):
        raise typer.BadParameter(f"{text!r} is no whole number, such as 7.")
    return number


def _number(text: str) -> float:
    number = float(text) if _DECIMAL.fullmatch(text) else float("nan")
    if not isfinite(number):
        raise typer.BadParameter(f"{text!r} is no number, such as 7 or 0.5.")
    return number
