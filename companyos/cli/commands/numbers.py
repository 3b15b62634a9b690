"""Numbers and ranges of numbers, as they are typed."""

import typer


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
