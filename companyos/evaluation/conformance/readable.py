"""Claims about readable rows: those of a pair are equal, except in columns that the scenario declares as clues."""

from collections.abc import Iterator, Sequence
from typing import Final

from companyos.embedded.server import service_names
from companyos.sdk.grading.state import Row
from companyos.sdk.scenario import Instance, Scenario

from .claims import Complaints, OfPair, OfScenario
from .rows import complete_rows, tables_of


def declares_readable_columns(scenario: Scenario) -> Complaints:
    """Complain about declared clues that are not columns, or tables, that tools show."""
    for clue in scenario.readable_clues:
        service, table, column = _parts(clue)
        known = tables_of(service).get(table) if service in service_names() else None
        if known is None or (column and column not in known.columns):
            yield f"{clue!r} is neither a table nor a column; write it like 'datahub.documents.body'"
        elif known.hidden:
            yield f"{clue!r} is hidden from agents anyway"


def look_alike_to_every_tool(scenario: Scenario, first: Instance, second: Instance) -> Complaints:
    """Complain about readable rows that distinguish a pair, other than in the declared clues."""
    for service in sorted((first.rows.keys() | second.rows.keys()) & set(service_names())):
        for name, table in tables_of(service).items():
            place = f"{service}.{name}"
            if table.hidden or place in scenario.readable_clues:
                continue
            one, other = (complete_rows(instance.rows, service, name) for instance in (first, second))
            clues = {column for column in table.columns if f"{place}.{column}" in scenario.readable_clues}
            yield from _differences(place, one, other, clues)


def _differences(place: str, one: Sequence[Row], other: Sequence[Row], clues: set[str]) -> Iterator[str]:
    """Yield the first difference between a table's rows in the two instances, if any."""
    if one == other:
        return
    rows, others = ({row["id"]: row for row in listed} for listed in (one, other))
    if alone := sorted(rows.keys() ^ others.keys()):
        yield f"only one of them has {alone[0]} in {place}, which tools show"
        return
    for row_id, row in rows.items():
        unequal = [name for name in row if name not in clues and row[name] != others[row_id].get(name)]
        if unequal:
            column = unequal[0]
            values = f"{_short(row[column])} and {_short(others[row_id].get(column))}"
            yield f"{place}.{column} of {row_id} differs, and tools show it: {values}"
            return
    if list(rows) != list(others):
        yield f"the rows of {place} are in another order"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _parts(clue: str) -> tuple[str, str, str]:
    service, _, rest = clue.partition(".")
    table, _, column = rest.partition(".")
    return service, table, column


CLAIMS: Final = (
    OfScenario("Every readable clue is a column that tools show", declares_readable_columns),
    OfPair(
        "Tools show equal rows for both of a pair, except in its readable clues", look_alike_to_every_tool
    ),
)
