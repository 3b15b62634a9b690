"""Refuses misspelled fields of a reset, so that a run does not silently use the defaults.

Trainers also send the columns of their data sets, so a field counts as misspelled only if it is one or two
keystrokes from an existing one. Other unknown fields are ignored and listed in the response.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...protocol.options import ResetOptions
from .answers import Invalid

FIELDS = frozenset({*ResetOptions.model_fields, "split", "index", "injected_state"})
#: Columns of data sets that are as close to a field as a misspelling.
COLUMNS = frozenset({"reward", "reward_model"})
#: Shorter fields allow for one keystroke only, because "seed" is close to "need".
LONG = 6


def refuse_slips(names: Iterable[str], fields: frozenset[str] = FIELDS) -> None:
    """Refuse a request if one of its fields misspells one of `fields`, by default those of a reset.

    Raises:
        Invalid: The message names the intended field.
    """
    for name in names:
        if name not in fields and (meant := meant_by(name, fields)) is not None:
            msg = f"There is no field {name!r}; did you mean {meant!r}?"
            raise Invalid({"type": "unknown_field", "loc": [name], "msg": msg})


def meant_by(name: str, fields: frozenset[str] = FIELDS) -> str | None:
    """Return the field that a name misspells, or None if it is not a misspelling."""
    if name in COLUMNS or len(name) > 2 * max(map(len, fields)):
        return None
    plain = _plain(name)
    near = sorted((_keystrokes(plain, _plain(field)), field) for field in fields if _may_mean(plain, field))
    if not near:
        return None
    distance, field = near[0]
    return field if distance <= _allowed(field) else None


def _may_mean(plain: str, field: str) -> bool:
    """Return whether a name may misspell a field, by its first letter and its length: a body may have 20,000 names."""
    meant = _plain(field)
    return plain[:1] == meant[:1] and abs(len(plain) - len(meant)) <= _allowed(field)


def _allowed(field: str) -> int:
    return 2 if len(field) >= LONG else 1


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _keystrokes(one: str, other: str) -> int:
    """Return how many letters differ: added, omitted, changed, or swapped with their neighbor (Damerau 1964)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and (letter, one[i - 2]) == (other[j - 2], wanted):
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
