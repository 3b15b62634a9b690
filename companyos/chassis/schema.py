"""The database schemas of the services: owners, tables and privileges.

Worlds are disposable, so they are not migrated: each schema carries a digest of its definition and is rebuilt
when the digest changes. The owner of the tables is a role without login. A service's role reads everything in
its schema, writes only to the layer that its transaction names, and cannot change a frozen base.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.dialects.postgresql.psycopg import dialect

from .world.internals import known_text
from .world.tables import world_tables

MIGRATION_LOCK = 7_268_114_001

_CHASSIS = """
CREATE TABLE {schema}.stamp (digest text PRIMARY KEY);
CREATE TABLE {schema}.bases (
    digest text PRIMARY KEY, layer bigint NOT NULL UNIQUE, start bigint NOT NULL, rows bigint NOT NULL,
    next_due bigint, frozen boolean NOT NULL DEFAULT false);
-- Transport of events, not state of a world: the wall clock decides only when a row is sent again.
CREATE TABLE {schema}.outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, world bigint NOT NULL, layer bigint NOT NULL,
    event_id text NOT NULL, name text NOT NULL, text text NOT NULL, sends integer NOT NULL DEFAULT 0,
    send_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 second');
CREATE UNIQUE INDEX outbox_event ON {schema}.outbox (layer, event_id);
CREATE INDEX outbox_send_at ON {schema}.outbox (send_at);
CREATE FUNCTION {schema}.refuse_frozen(wanted bigint) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM {schema}.bases WHERE frozen AND layer = wanted) THEN
        RAISE EXCEPTION 'the base in layer % is frozen', wanted;
    END IF;
END $$;
CREATE FUNCTION {schema}.keep_own_base() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM {schema}.refuse_frozen(current_setting('app.layer')::bigint);
    RETURN NULL;
END $$;
CREATE FUNCTION {schema}.keep_base() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM {schema}.refuse_frozen(coalesce(NEW.layer_id, OLD.layer_id));
    RETURN coalesce(NEW, OLD);
END $$;
"""

_WORLD_TABLE = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY read_all ON {table} FOR SELECT TO {role} USING (true);
CREATE POLICY add_to_own_layer ON {table} FOR INSERT TO {role}
    WITH CHECK (layer_id = nullif(current_setting('app.layer', true), '')::bigint);
CREATE POLICY change_own_layer ON {table} FOR UPDATE TO {role}
    USING (layer_id = nullif(current_setting('app.layer', true), '')::bigint)
    WITH CHECK (layer_id = nullif(current_setting('app.layer', true), '')::bigint);
CREATE POLICY reap_own_layer ON {table} FOR DELETE TO {role}
    USING (layer_id = nullif(current_setting('app.layer', true), '')::bigint);
-- Once per statement for the layer that the transaction names, which is how bases are loaded and removed, and row by
-- row for any other, which only a superuser can write.
CREATE TRIGGER keep_own_base BEFORE INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH STATEMENT WHEN (starts_with(current_setting('app.layer', true), '-'))
    EXECUTE FUNCTION {schema}.keep_own_base();
CREATE TRIGGER keep_base_on_insert BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW
    WHEN (NEW.layer_id < 0 AND NEW.layer_id::text IS DISTINCT FROM current_setting('app.layer', true))
    EXECUTE FUNCTION {schema}.keep_base();
CREATE TRIGGER keep_base_on_delete BEFORE DELETE ON {table} FOR EACH ROW
    WHEN (OLD.layer_id < 0 AND OLD.layer_id::text IS DISTINCT FROM current_setting('app.layer', true))
    EXECUTE FUNCTION {schema}.keep_base();
ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.2, autovacuum_vacuum_scale_factor = 0.1);
"""

_ROLE_SETTINGS = {
    # Planning these statements costs more than three times as much as running them. On a new, small table the
    # planner would cache sequential scans, which become slow as the table grows.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "statement_timeout": "15s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "30s",
}


@dataclass(frozen=True)
class ServiceSchema:
    """The database objects of one service; `metadata` names the schema."""

    name: str
    version: int
    metadata: sa.MetaData

    def statements(self) -> str:
        """Return the DDL of the service's tables."""
        tables = self.metadata.sorted_tables
        kinds = dialect()  # type: ignore[no-untyped-call]
        made = [str(sa.schema.CreateTable(table).compile(dialect=kinds)) for table in tables]
        indexes = [index for table in tables for index in sorted(table.indexes, key=lambda i: str(i.name))]
        made += [str(sa.schema.CreateIndex(index).compile(dialect=kinds)) for index in indexes]
        return ";\n".join(made) + ";"

    def stamp(self) -> str:
        """Return the digest of the schema's definition."""
        made = f"{self.version}\n{_CHASSIS}\n{_WORLD_TABLE}\n{_ROLE_SETTINGS}\n{self.statements()}\n"
        # Answers can only be unpacked with the dictionary that packed them.
        return hashlib.blake2b(made.encode() + known_text(self.metadata), digest_size=16).hexdigest()


def prepare(admin_url: str, schema: ServiceSchema, password: str | None) -> bool:
    """Create a service's roles and schema, or rebuild the schema if its stamp differs.

    Concurrent calls are safe: one does the work and the others wait.

    Returns:
        Whether the schema was built, which deletes its worlds.
    """
    with psycopg.connect(admin_url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        create_roles(connection, schema.name, password)
        if current_stamp(connection, schema.name) == schema.stamp():
            return False
        _build(connection, schema)
    return True


def create_roles(connection: psycopg.Connection[Any], name: str, password: str | None) -> None:
    """Create or update a schema's owner and login roles. Without a password, only socket logins work."""
    owner, role = sql.Identifier(f"{name}_owner"), sql.Identifier(name)
    known = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles").fetchall()}
    if f"{name}_owner" not in known:
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(owner))
    if name not in known:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(role))
    connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, sql.Literal(password)))
    for setting, value in _ROLE_SETTINGS.items():
        connection.execute(
            sql.SQL("ALTER ROLE {} SET {} = {}").format(role, sql.Identifier(setting), sql.Literal(value))
        )


def current_stamp(connection: psycopg.Connection[Any], name: str) -> str | None:
    """Return the stamp of a schema in the database, or None if there is none."""
    found = connection.execute("SELECT to_regclass(%s)", (f"{name}.stamp",)).fetchone()
    if found is None or found[0] is None:
        return None
    stamp = connection.execute(sql.SQL("SELECT digest FROM {}.stamp").format(sql.Identifier(name))).fetchone()
    return stamp[0] if stamp else None


def _build(connection: psycopg.Connection[Any], schema: ServiceSchema) -> None:
    owner, role, name = (sql.Identifier(text) for text in (f"{schema.name}_owner", schema.name, schema.name))
    run = connection.execute
    run(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
    run(sql.SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(name, owner))
    run(sql.SQL("SET LOCAL ROLE {}").format(owner))
    # The DDL comes from the tables' definitions, never from a request.
    run(schema.statements())
    run(sql.SQL(_CHASSIS).format(schema=name))
    for table in world_tables(schema.metadata):
        full = sql.Identifier(schema.name, table.name)
        run(sql.SQL(_WORLD_TABLE).format(table=full, role=role, schema=name))
    run(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, role))
    run(sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(name, role))
    run(sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {}.stamp FROM {}").format(name, role))
    run(sql.SQL("INSERT INTO {}.stamp VALUES ({})").format(name, sql.Literal(schema.stamp())))
    run("RESET ROLE")
