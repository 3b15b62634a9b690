"""Inspect: the name of the task, its seeds as the command line gives them, names of samples, and schemas of tools."""

from __future__ import annotations

import site
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from inspect_ai.tool import ToolParams

from companyos.client.plain_values import plain

from .connection import whole_number

_COPIES = (*site.getsitepackages(), site.getusersitepackages())
#: What to register the task as, so that its name is `companyos/companyos`. Inspect itself puts the package's name first
#: only where the package is a copy: it looks for a checkout by that name, and the distribution has another.
TASK: Final = (
    "companyos" if any(Path(__file__).is_relative_to(each) for each in _COPIES) else "companyos/companyos"
)


def schema_of(schema: Any) -> ToolParams:
    """Return a schema in which every argument has a description, as Inspect requires."""
    named = schema["properties"].items()
    described = {name: {"description": name.replace("_", " "), **each} for name, each in named}
    return ToolParams.model_validate({**schema, "properties": described, "additionalProperties": False})


def name_of(row: dict[str, Any]) -> str:
    """Return the name of a sample."""
    return f"{row['scenario']}-c{row['chaos']}-s{row['seed']}"


def scenarios_in(given: str | Sequence[str]) -> Sequence[str]:
    """Return the scenarios in a name, in text such as `bug_escalation,expense_report`, or in a list of these.

    Raises:
        ValueError: It names none.
    """
    texts = [given] if isinstance(given, str) else given
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    if not names:
        raise ValueError(f"scenario: {given!r} names none")
    return list(dict.fromkeys(names))


def seeds_in(given: str | int | Sequence[str | int]) -> Sequence[int]:
    """Return the seeds in a number, in text such as `7,9` or `0-9,20`, or in a list of these.

    Raises:
        ValueError: It is none of these.
    """
    found = plain(given)
    if isinstance(found, list):
        return [seed for each in found for seed in seeds_in(each)]
    try:
        parts = found.split(",") if isinstance(found, str) else [found]
        return [seed for part in parts for seed in _range(part)]
    except ValueError:
        raise ValueError(f"seeds: {given!r} is not of the form 7, 7,9 or 0-9") from None


def _range(part: Any) -> Sequence[int]:
    if not isinstance(part, str):
        return [whole_number(part, "seeds")]
    first, _, last = map(str.strip, part.partition("-"))
    return range(whole_number(first, "seeds"), whole_number(last or first, "seeds") + 1)
