"""What PostgreSQL's catalog says of a service's schema, and where that falls short of the walls between worlds.

`flaws` knows no table by name but those of the chassis' transport: whatever else is in the schema must be a world
table with every wall, so a new table cannot be forgotten.
"""

from collections.abc import Iterator
from typing import Any

import psycopg

#: Tables that hold no rows of worlds, with what the service's role may do there.
TRANSPORT = {
    "stamp": {"SELECT"},
    "bases": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "outbox": {"SELECT", "INSERT", "UPDATE", "DELETE"},
}
WRITES = {"SELECT", "INSERT", "UPDATE", "DELETE"}
COLUMNS = {("layer_id", "bigint", True), ("id", "text", True), ("deleted", "boolean", True)}

_OWN = "(layer_id = (NULLIF(current_setting('app.layer'::text, true), ''::text))::bigint)"
#: Command, whether permissive, condition on rows that are there, condition on rows that come.
POLICIES = {
    ("r", True, "true", None),
    ("a", True, None, _OWN),
    ("w", True, _OWN, _OWN),
    ("d", True, _OWN, None),
}
_NAMED = "current_setting('app.layer'::text, true)"
_OTHER = f"{{row}}.layer_id < 0 AND {{row}}.layer_id::text IS DISTINCT FROM {_NAMED}"
#: Events, whether before a statement or each row, condition and function of the triggers that keep bases.
TRIGGERS = {
    ("INSERT OR DELETE OR UPDATE", "STATEMENT", f"starts_with({_NAMED}, '-'::text)", "keep_own_base"),
    ("INSERT OR UPDATE", "ROW", _OTHER.format(row="new"), "keep_base"),
    ("DELETE", "ROW", _OTHER.format(row="old"), "keep_base"),
}

Connection = psycopg.Connection[Any]


def flaws(connection: Connection, schema: str) -> list[str]:
    """Return everything in which a schema, or the service's role of the same name, lacks a wall; empty is good."""
    found = [*_flaws_of_roles(connection, schema), *_grants_elsewhere(connection, schema)]
    for name, oid in relations(connection, schema):
        found += [f"{name}: {flaw}" for flaw in _flaws_of_relation(connection, schema, name, oid)]
    return found


def relations(connection: Connection, schema: str) -> list[tuple[str, int]]:
    """Return whatever holds or shows rows in a schema: tables, partitions, views, as (name, oid)."""
    return connection.execute(
        "SELECT relname, oid FROM pg_class WHERE relnamespace = %s::regnamespace "
        "AND relkind NOT IN ('i', 'I', 'S', 't', 'c') ORDER BY relname",
        (schema,),
    ).fetchall()


def world_table_names(connection: Connection, schema: str) -> list[str]:
    """Return the names of a schema's world tables."""
    return [name for name, _ in relations(connection, schema) if name not in TRANSPORT]


def _flaws_of_relation(connection: Connection, schema: str, name: str, oid: int) -> Iterator[str]:
    kind, owner = _row(
        connection,
        "SELECT relkind::text, pg_get_userbyid(relowner) FROM pg_class WHERE oid = %s",
        (oid,),
    )
    if kind != "r":
        yield f"it is no plain table but of kind {kind}"
    if owner != f"{schema}_owner":
        yield f"it belongs to {owner}"
    yield from _flaws_of_grants(connection, schema, oid, TRANSPORT.get(name, WRITES))
    if name not in TRANSPORT:
        yield from _flaws_of_keys(connection, oid)
        yield from _flaws_of_row_security(connection, schema, oid)
        yield from _flaws_of_triggers(connection, schema, name, oid)


def _flaws_of_keys(connection: Connection, oid: int) -> Iterator[str]:
    columns = connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute "
        "WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped",
        (oid,),
    ).fetchall()
    for missing in sorted(COLUMNS - set(columns)):
        yield f"it has no column {missing}"
    indexes = connection.execute(
        "SELECT indexrelid::regclass::text, indisprimary, ARRAY(SELECT pg_get_indexdef(indexrelid, place, true) "
        "FROM generate_series(1, indnkeyatts) AS place) FROM pg_index WHERE indrelid = %s",
        (oid,),
    ).fetchall()
    if [keys for _, is_primary, keys in indexes if is_primary] != [["layer_id", "id"]]:
        yield "its primary key is not (layer_id, id)"
    for index, _, keys in indexes:
        if keys[0] != "layer_id" and keys[0] not in _holding_the_layer(connection, oid):
            yield f"its index {index} starts with {keys[0]}"


def _holding_the_layer(connection: Connection, oid: int) -> set[str]:
    """Return the computed columns of words that have the layer among their words."""
    computed = connection.execute(
        "SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute "
        "ON attrelid = adrelid AND attnum = adnum WHERE adrelid = %s AND attgenerated = 's'",
        (oid,),
    ).fetchall()
    word = "array_to_tsvector(ARRAY[(' '::text || (layer_id)::text)])"
    return {column for column, expression in computed if word in expression}


def _flaws_of_row_security(connection: Connection, schema: str, oid: int) -> Iterator[str]:
    security = _row(
        connection, "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s", (oid,)
    )
    for is_on, word in zip(security, ("enabled", "forced"), strict=True):
        if not is_on:
            yield f"row-level security is not {word}"
    policies = connection.execute(
        "SELECT polcmd::text, polpermissive, pg_get_expr(polqual, polrelid), "
        "pg_get_expr(polwithcheck, polrelid), polroles = ARRAY[%s::regrole::oid] FROM pg_policy WHERE polrelid = %s",
        (schema, oid),
    ).fetchall()
    if sorted(policies) != sorted((*policy, True) for policy in POLICIES):
        yield f"its policies let more pass than reads and the own layer: {policies}"


def _flaws_of_triggers(connection: Connection, schema: str, name: str, oid: int) -> Iterator[str]:
    active = connection.execute(
        "SELECT pg_get_triggerdef(oid, true) FROM pg_trigger "
        "WHERE tgrelid = %s AND NOT tgisinternal AND tgenabled IN ('O', 'A')",
        (oid,),
    ).fetchall()
    for event, each, condition, function in TRIGGERS:
        ending = (
            f"BEFORE {event} ON {schema}.{name} FOR EACH {each} WHEN ({condition}) "
            f"EXECUTE FUNCTION {schema}.{function}()"
        )
        if not any(definition.endswith(ending) for (definition,) in active):
            yield f"no trigger keeps its bases on {event} of a {each}"


def _flaws_of_grants(connection: Connection, schema: str, oid: int, expected: set[str]) -> Iterator[str]:
    granted: dict[str, set[str]] = {}
    for grantee, privilege in connection.execute(
        "SELECT coalesce(rolname, 'PUBLIC'), privilege_type FROM pg_class, aclexplode(relacl) AS acl "
        "LEFT JOIN pg_roles ON pg_roles.oid = grantee WHERE pg_class.oid = %s AND grantee <> relowner "
        "UNION ALL SELECT coalesce(rolname, 'PUBLIC'), privilege_type || ' of ' || attname FROM pg_attribute, "
        "aclexplode(attacl) AS acl LEFT JOIN pg_roles ON pg_roles.oid = grantee WHERE attrelid = %s",
        (oid, oid),
    ).fetchall():
        granted.setdefault(grantee, set()).add(privilege)
    if granted != {schema: expected}:
        yield f"its grants are {granted}"


def _flaws_of_roles(connection: Connection, schema: str) -> Iterator[str]:
    rights = "rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
    for role in (schema, f"{schema}_owner"):
        for right, has in zip(
            rights.split(", "),
            _row(connection, f"SELECT {rights} FROM pg_roles WHERE rolname = %s", (role,)),
            strict=True,
        ):
            if has:
                yield f"role {role} has {right}"
    if _row(connection, "SELECT rolcanlogin FROM pg_roles WHERE rolname = %s", (f"{schema}_owner",))[0]:
        yield f"somebody can log in as {schema}_owner"
    members = connection.execute(
        "SELECT member::regrole::text, roleid::regrole::text FROM pg_auth_members "
        "WHERE member = %(role)s::regrole OR roleid = %(owner)s::regrole AND NOT member = 10",
        {"role": schema, "owner": f"{schema}_owner"},
    ).fetchall()
    for member, role in members:
        yield f"role {member} can act as {role}"
    if _row(
        connection,
        "SELECT EXISTS (SELECT FROM pg_db_role_setting, unnest(setconfig) AS line WHERE line LIKE 'app.layer=%%') "
        "OR EXISTS (SELECT FROM pg_shdepend WHERE deptype = 'o' AND refobjid = %s::regrole)",
        (schema,),
    )[0]:
        yield f"role {schema} owns something, or a session begins with a layer"


def _grants_elsewhere(connection: Connection, schema: str) -> Iterator[str]:
    reachable = connection.execute(
        "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') "
        "AND relnamespace <> ALL(%(known)s::regnamespace[]) "
        "AND relnamespace::regnamespace::text NOT LIKE ALL(ARRAY['pg\\_toast%%', 'pg\\_temp%%']) AND ("
        "has_table_privilege(%(role)s, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') "
        "OR has_any_column_privilege(%(role)s, oid, 'SELECT, INSERT, UPDATE, REFERENCES'))",
        {"role": schema, "known": [schema, "pg_catalog", "information_schema"]},
    ).fetchall()
    creatable = connection.execute(
        "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(%s, oid, 'CREATE')", (schema,)
    ).fetchall()
    for (name,) in reachable:
        yield f"role {schema} can reach {name}"
    for (name,) in creatable:
        yield f"role {schema} can create in schema {name}"


def _row(connection: Connection, statement: str, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(statement, parameters).fetchone()
    assert row is not None, statement
    return row
