"""Lets a command take its options in groups.

A group is a frozen dataclass whose fields are annotated as options or arguments:

    @dataclass(frozen=True)
    class BudgetOptions:
        steps: Annotated[int | None, typer.Option("--max-steps", min=1)] = None

    @with_option_groups
    def run(*, budgets: BudgetOptions, url: UrlOption = None) -> None: ...

The command line offers `--max-steps` and `--url`, and the command receives a `BudgetOptions`. A group can contain
groups. Field names are unique within a command, and a default is a value, not a factory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups in its signature instead of the groups."""

    @wraps(command)
    def grouped(**values: Any) -> None:
        command(**_arguments(command, values))

    grouped.__signature__ = Signature(list(_options(command)))  # type: ignore[attr-defined]
    return grouped


def _options(function: Callable[..., Any]) -> Iterator[Parameter]:
    """Yield every option of a command or a group, those of the groups in it included."""
    for parameter in _parameters(function):
        if group := _group(parameter):
            yield from _options(group)
        else:
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY)


def _arguments(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command or a group, taken from the values of all options."""
    return {
        parameter.name: group(**_arguments(group, values))
        if (group := _group(parameter))
        else values[parameter.name]
        for parameter in _parameters(function)
    }


def _parameters(function: Callable[..., Any]) -> Iterable[Parameter]:
    return signature(function, eval_str=True).parameters.values()


def _group(parameter: Parameter) -> Callable[..., Any] | None:
    """Return the group that the parameter stands for; None for a single option."""
    group: Callable[..., Any] = parameter.annotation
    return group if is_dataclass(parameter.annotation) else None
