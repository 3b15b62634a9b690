"""The law of the layers, checked on the text of a statement: who names a world's table names the layers meant.

Read, changed or removed rows are those whose `layer_id` equals a parameter, or is among the layers of one; this
holds for each mention of a table by itself, so no join and no subquery can leave it to another. New rows bring a
`layer_id` that is a parameter, or come whole from one. Any table is a world's unless it is known to be none.
"""

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp

#: Schemas without worlds, and the tables of a service that are none of a world.
ELSEWHERE = {"orchestrator", "pg_catalog", "information_schema"}
TRANSPORT = {"stamp", "bases", "outbox"}

_PLACEHOLDER = re.compile(r"%\(\w+\)[sbt]|%[sbt]")
#: What starts a statement that can read or write rows. Others build or steer, which a service's role may not do
#: to its tables.
_TOUCHES_ROWS = re.compile(
    r"\s*(\(\s*)*(WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|TABLE|COPY|TRUNCATE|EXPLAIN)\b", re.I
)


def offense(text: str) -> str | None:
    """Return what a statement, as psycopg takes it, does to the law; None where it keeps it."""
    if not _TOUCHES_ROWS.match(text):
        return None
    plain = _PLACEHOLDER.sub("$1", text).replace("%%", "%")
    try:
        trees = sqlglot.parse(plain, read="postgres")
    except sqlglot.errors.ParseError as error:
        return f"it cannot be read: {error}"
    return next((said for tree in trees if tree for said in _offenses(tree)), None)


def _offenses(tree: exp.Expr) -> Iterator[str]:
    if not isinstance(tree, exp.Query | exp.DML):
        yield f"it is a {type(tree).__name__}, of which nothing is known"
    named = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if _is_of_a_world(table, named) and (said := _missing(table)):
            yield f"{said} ({table.sql('postgres')})"


def _is_of_a_world(table: exp.Table, named: set[str]) -> bool:
    if not isinstance(table.this, exp.Identifier) or isinstance(table.parent, exp.Lock):
        return False  # a function in FROM has no rows of its own; FOR UPDATE OF repeats a name
    if not table.db:
        return table.name not in named and not table.name.startswith("pg_")
    return table.db not in ELSEWHERE and table.name not in TRANSPORT


def _missing(table: exp.Table) -> str | None:
    place = table.parent
    if isinstance(place, exp.Schema):
        place = place.parent
    if isinstance(place, exp.Insert) and _target(place) is table:
        return None if _brings_layers(place, table) else "new rows whose layer is no parameter"
    return (
        None
        if any(_names_layers(condition, table) for condition in _conditions(table))
        else "rows of any layer"
    )


def _target(insert: exp.Insert) -> exp.Expr | None:
    this = insert.this
    return this.this if isinstance(this, exp.Schema) else this  # type: ignore[no-any-return]


def _brings_layers(insert: exp.Insert, table: exp.Table) -> bool:
    source = insert.expression
    conflict = insert.args.get("conflict")
    if conflict is not None and [key.name for key in conflict.args.get("conflict_keys") or []][:1] != [
        "layer_id"
    ]:
        return False
    if not isinstance(source, exp.Select):
        return False
    if isinstance(insert.this, exp.Schema):
        columns = [column.name for column in insert.this.expressions]
        return columns[:1] == ["layer_id"] and _is_parameter(source.expressions[0])
    populated = source.args["from_"].this.this if source.args.get("from_") else None
    return (
        source.is_star
        and isinstance(populated, exp.Anonymous)
        and populated.name == "jsonb_populate_recordset"
        and populated.expressions[0].sql("postgres") == f"CAST(NULL AS {table.db}.{table.name})"
        and _is_parameter(populated.expressions[1])
    )


def _conditions(table: exp.Table) -> Iterator[exp.Expr]:
    """Yield every condition that this mention of a table is bound to meet."""
    join = table.parent if isinstance(table.parent, exp.Join) else None
    if join is not None and (on := join.args.get("on")):
        yield from _conjuncts(on)
    statement = _statement(table)
    if statement is not None and (where := statement.args.get("where")):
        yield from _conjuncts(where.this)


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    else:
        yield condition


def _names_layers(condition: exp.Expr, table: exp.Table) -> bool:
    if not isinstance(condition, exp.EQ) or not isinstance(column := condition.this, exp.Column):
        return False
    value = condition.expression
    if isinstance(value, exp.Any):
        value = value.this
    return column.name == "layer_id" and _belongs(column, table) and _is_parameter(value)


def _belongs(column: exp.Column, table: exp.Table) -> bool:
    if column.table:
        return column.table == table.alias_or_name
    # A bare name is this table's only where there is no other.
    statement = _statement(table)
    return statement is not None and _statement(column) is statement and _reads_one_table(statement)


def _reads_one_table(statement: exp.Expr) -> bool:
    others = ["joins", "using", *([] if isinstance(statement, exp.Select) else ["from_"])]
    return not any(statement.args.get(place) for place in others)


def _statement(node: exp.Expr) -> exp.Expr | None:
    return node.find_ancestor(exp.Select, exp.Update, exp.Delete)


def _is_parameter(value: exp.Expr) -> bool:
    value = value.unnest()
    while isinstance(value, exp.Cast | exp.Alias):
        value = value.this.unnest()
    return isinstance(value, exp.Parameter)
