"""The law of the layers as the suite's last check knows it: what keeps it, and what is caught."""

import pytest

from tests.statements.predicate import offense

GOOD = [
    "SELECT id FROM notebook.notes WHERE layer_id = ANY(%(chain)s::BIGINT[]) AND NOT deleted",
    "SELECT n.id FROM notebook.notes AS n WHERE n.id = %(id)s AND (n.layer_id = %(layer)s)",
    "SELECT a.id FROM notebook.notes a JOIN notebook.tags b ON b.layer_id = ANY(%s) WHERE a.layer_id = ANY(%s)",
    "SELECT id FROM hub.a WHERE layer_id = ANY(%s) AND id IN (SELECT id FROM hub.b WHERE layer_id = ANY(%s))",
    "WITH mine AS (SELECT id FROM notebook.notes WHERE layer_id = ANY(%s)) SELECT id FROM mine",
    "DELETE FROM notebook.notes WHERE layer_id = %(layer)s",
    "UPDATE notebook.notes SET text = 'x%%' WHERE layer_id = %(layer)s",
    "INSERT INTO a.b (layer_id, id) SELECT %s, id FROM a.b WHERE layer_id = %s ON CONFLICT (layer_id, id) DO NOTHING",
    "INSERT INTO notebook.notes (layer_id, id) SELECT %s, id FROM jsonb_to_recordset(%s) AS new (id text)",
    "INSERT INTO notebook.notes SELECT * FROM jsonb_populate_recordset(NULL::notebook.notes, %(rows)s::jsonb)",
    "SELECT event_id FROM notebook.outbox WHERE layer = %s",
    "SELECT 1 FROM orchestrator.episodes e FOR UPDATE OF e",
    "SELECT pg_advisory_xact_lock(%s), set_config('app.layer', %s, true)",
    "BEGIN",
    "CREATE TABLE notebook.notes (layer_id bigint)",
]

BAD = [
    "SELECT id FROM notebook.notes",
    "SELECT id FROM notes",
    "TABLE notebook.notes",
    "SELECT id FROM notebook.notes n FOR UPDATE OF n",
    "SELECT id FROM notebook.notes WHERE id = %(id)s",
    "SELECT id FROM notebook.notes WHERE layer_id = 7",
    "SELECT id FROM notebook.notes WHERE layer_id > %s",
    "SELECT id FROM notebook.notes WHERE layer_id <> ALL(%s)",
    "SELECT id FROM notebook.notes WHERE NOT layer_id = ANY(%s)",
    "SELECT id FROM notebook.notes WHERE layer_id = ANY(%s) OR deleted",
    "SELECT id FROM notebook.notes WHERE layer_id = layer_id",
    "SELECT id FROM notebook.notes WHERE layer_id = (SELECT max(layer) FROM notebook.bases)",
    "SELECT a.id FROM notebook.notes a, notebook.notes b WHERE a.layer_id = ANY(%s)",
    "SELECT a.id FROM notebook.notes a JOIN notebook.tags b ON b.id = a.id WHERE a.layer_id = ANY(%s)",
    "SELECT a.id FROM notebook.notes a JOIN notebook.tags b ON true WHERE layer_id = ANY(%s)",
    "SELECT id FROM notebook.notes WHERE layer_id = ANY(%s) AND EXISTS (SELECT 1 FROM notebook.tags)",
    "SELECT id FROM notebook.notes WHERE EXISTS (SELECT 1 FROM notebook.tags WHERE tags.layer_id = ANY(%s))",
    "SELECT id FROM notebook.notes WHERE layer_id = ANY(%s) UNION ALL SELECT id FROM notebook.notes",
    "WITH mine AS (SELECT id FROM notebook.notes) SELECT id FROM mine WHERE layer_id = ANY(%s)",
    "DELETE FROM notebook.notes",
    "DELETE FROM notebook.notes WHERE layer_id < %s",
    "DELETE FROM notebook.notes a USING notebook.tags b WHERE b.layer_id = %s",
    "UPDATE notebook.notes SET text = %s WHERE id = %s",
    "UPDATE notebook.notes SET text = b.text FROM notebook.tags b WHERE layer_id = %s",
    "INSERT INTO notebook.notes (id, text) SELECT %s, %s",
    "INSERT INTO notebook.notes (layer_id, id) SELECT 7, %s",
    "INSERT INTO notebook.notes (layer_id, id) VALUES (7, 'x')",
    "INSERT INTO notebook.notes SELECT * FROM notebook.notes WHERE layer_id = %s",
    "INSERT INTO notebook.notes SELECT * FROM jsonb_populate_recordset(NULL::notebook.tags, %s::jsonb)",
    "INSERT INTO notebook.notes (layer_id, id) SELECT %s, %s ON CONFLICT (id) DO NOTHING",
    "TRUNCATE notebook.notes",
    "COPY notebook.notes TO STDOUT",
    "MERGE INTO notebook.notes USING notebook.tags ON true WHEN MATCHED THEN DELETE",
    "EXPLAIN SELECT id FROM notebook.notes",
    "SELECT id FROM WHERE",
    "SELECT 1; SELECT id FROM notebook.notes",
]


@pytest.mark.parametrize("text", GOOD)
def test_a_statement_that_names_its_layers_keeps_the_law(text: str) -> None:
    assert offense(text) is None


@pytest.mark.parametrize("text", BAD)
def test_a_statement_that_leaves_its_layers_open_is_caught(text: str) -> None:
    assert offense(text) is not None
