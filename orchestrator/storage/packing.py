"""Packs step records with a preset dictionary of what they all say: a third of the storage, for 50 µs a step."""

from __future__ import annotations

from typing import Final

from companyos.chassis.postgres.packing import Packing

#: The first byte of a packed record. A text never changes, because stored records need it: another gets another byte.
_MARK: Final = b"\x03"
#: What any record says, in the order in which it does; the most likely content comes last.
_KNOWN: Final = (
    rb"\n  - {id: , name: , role: , subject: , kind: , unit: , source: , status: open, as_of: 2030-03-01T09:00:00Z, "
    rb"expires_at: 2030-03-01T09:00:00Z, is_stale: true, version: 1}\ntotal: 1\nnext_cursor: null"
    rb'","result":{"items":[{"id":"","name":"","role":"","subject":"","kind":"","unit":"","source":"","status":"open",'
    rb'"as_of":"2030-03-01T09:00:00Z","expires_at":"2030-03-01T09:00:00Z","is_stale":true,"version":1}],"total":1,'
    rb'"next_cursor":null},"error":{"error_type":"execution_error","code":"","message":"","retryable":false,'
    rb'"remedy":"","required_field":"","allowed_values":[]},"text":"Your work on this task has ended.",'
    rb'"tool_name":"finish","result":{"ended":true},"error":null,"events":[{"id":"s1..1","name":"","service":"",'
    rb'"cause":"s1"}],"ledger":[{"name":"step","amount":-0.1,"evidence":[]},{"name":"milestone:","amount":1.0,'
    rb'"evidence":["//"]}],"changes":[{"causes":["s9","s8.d5389440"],"service":"","table":"","id":"",'
    rb'"row":{"id":"","status":"running","requested_by":"","started_at":5389260,"due_at":5389260,"finished_at":null,'
    rb'"decided_by":null,"reason_code":null,"explanation":"","policy_version":1,"approver":"","waiting_for":[]}}],'
    rb'{"step":6,"action":{"type":"call_tool","tool_name":"","arguments":{"idempotency_key":"call-8","limit":20,'
    rb'"name":"","subject":"","status":""}},"observation":{"text":"id: \nkind: \ntitle: \ndescription: \nstatus: '
    rb"new\npriority: medium\nassignee: null\nreporter: \nsubject: \nreason: \nevidence: null\nreferences: "
    rb"[]\ndecided_by: null\ndue_at: null\nfinished_at: null\ncreated_at: 2030-03-01T09:00:00Z\nupdated_at: "
    rb'2030-03-01T09:00:00Z\nversion: 2","tool_name":"","result":{"id":"","kind":"","title":"","description":"",'
    rb'"status":"new","priority":"medium","assignee":null,"reporter":"","subject":"","evidence":null,"references":[],'
    rb'"created_at":"2030-03-01T09:00:00Z","updated_at":"2030-03-01T09:00:00Z","version":2},"error":null,"step":6,'
    rb'"steps_remaining":24,"sim_now":"2030-03-01T09:00:00Z","elapsed_s":60},"reward":-0.1,"done":false,'
    rb'"sim_now":5389260,"events":[],"changes":[{"causes":["s6"],"service":"","table":"history","id":"","row":{"id":"",'
    rb'"at":5389260,"actor":"","action":"updated","field":"","before":"","after":""}},{"causes":["s6"],"service":"",'
    rb'"table":"","id":"","row":{"id":"","kind":"","title":"","description":"","status":"new","created_at":5389260,'
    rb'"updated_at":5389260,"subject":"","evidence":null,"references":[],"version":2}}],"faults":[],'
    rb'"ledger":[{"name":"step","amount":-0.1,"evidence":[]}],"outside":[],"violation":null,"call":["","",""],'
    rb'"outcome":"done","took_ms":4.32,"in_force":{"level":0,"name":"calm"},"return":-0.9,"success":null,'
    rb'"terminated":false,"truncated":false,"invalid":null,"previous":"","hash":""}'
)
_PACKING: Final = Packing(_KNOWN)


def packed(record: bytes) -> bytes:
    """Return a record, given as JSON, in its stored form."""
    return _MARK + _PACKING.pack(record)


def unpacked(stored: bytes) -> bytes:
    """Return the JSON of a stored record."""
    return _PACKING.unpack(stored[1:])
