"""The common texts with which step records are packed; the first byte of a packed record identifies its text.

A text never changes, because stored records need it: a better text gets a byte of its own. In each text, the
most likely content comes last.
"""

from typing import Final

#: For records whose names are in alphabetical order, as in earlier versions.
SORTED: Final = (
    rb"\n  - id: , name: , role: , unit: , status: open, kind: , title: , subject: , reason: , created_at: 2030-03-0T"
    rb"\nid: \nkind: \ntitle: \ndescription: \nstatus: new\npriority: high\nassignee: null\nreporter: \nsubject: "
    rb"\nresolution: null\nevidence: null\nverified_by: null\nverified_at: null\nrequires_approval: true\napproval: "
    rb'none\ncreated_at: 2030-03-01T09:00:00Z\nupdated_at: 2030-03-04T09:00:00Z\nversion: 1"'
    rb'"row":{"action":"updated","actor":"","after":"","at":5389260,"before":null,"field":"status","id":"","ticket_id":"'
    rb'"},"service":"","table":"history"},{"causes":["s1.d5389440"],"id":"","row":{"approval":"none","assignee":null,'
    rb'"blocked_by":[],"created_at":5389260,"decided_at":null,"decided_by":null,"description":"","due_at":null,'
    rb'"evidence":null,"id":"","kind":"","name":"","priority":"high","reason":null,"reporter":"","requested_by":"",'
    rb'"requires_approval":true,"resolution":null,"role":"","status":"pending","subject":"","title":"",'
    rb'"updated_at":5389260,"value":0.0,"verified_at":null,"verified_by":null,"version":2},"service":"","table":""}],'
    rb'"events":[{"cause":"s1","id":"s1..1","name":"","service":""}],"faults":[],"hash":"'
    rb'"error":{"code":"","detail":{},"message":"","retryable":false,"type":"refused"},"result":null,'
    rb'"ledger":[{"amount":-0.1,"evidence":[],"name":"step"},{"amount":1.0,"evidence":["//"],"name":"milestone:"}],'
    rb'"result":{"items":[{"approval":"none","assignee":null,"blocked_by":[],"created_at":"2030-03-01T09:00:00Z",'
    rb'"decided_at":null,"description":"","evidence":null,"id":"","kind":"","name":"","priority":"high","reason":null,'
    rb'"reporter":"","requires_approval":true,"resolution":null,"status":"new","subject":"","title":"",'
    rb'"updated_at":"2030-03-04T09:00:00Z","value":0.0,"verified_at":null,"verified_by":null,"version":3}],'
    rb'"next_cursor":null},{"action":{"arguments":{"id":""},"tool_name":"","type":"call_tool"},"call":["","",""],'
    rb'"changes":[{"causes":["s1"],"id":"","row":{"events":[],"faults":[],"hash":"","invalid":null,'
    rb'"ledger":[{"amount":-0.1,"evidence":[],"name":"step"}],"observation":{"elapsed_s":60,"error":null,"result":{"},'
    rb'"sim_now":"2030-03-04T09:00:00Z","step":1,"steps_remaining":99,"text":"","tool_name":""},"outside":[],'
    rb'"previous":"","return":0.0,"reward":-0.1,"sim_now":5389260,"step":1,"success":null,"terminated":false,'
    rb'"took_ms":1.2,"truncated":false,"violation":null}'
)

#: For records in the order in which they are written: results and changes of the most used tools, then a whole record.
ORDERED: Final = (
    rb'{"tool_name":"datahub_refresh_data","arguments":{"metric_id":"MET-1","idempotency_key":"call-8"}},'
    rb'"observation":{"text":"id: JOB-1\nmetric_id: MET-1\nstatus: running\nrequested_by: \nstarted_at: '
    rb'2030-03-01T09:00:00Z\ndue_at: 2030-03-01T09:00:00Z\nfinished_at: null\nerror: null",'
    rb'"tool_name":"datahub_refresh_data","result":{"id":"JOB-1","metric_id":"MET-1","status":"running",'
    rb'"requested_by":"","started_at":"2030-03-01T09:00:00Z","due_at":"2030-03-01T09:00:00Z",'
    rb'"finished_at":null,"error":null},"error":null,"step":9,"steps_remaining":59,'
    rb'"sim_now":"2030-03-01T09:00:00Z","elapsed_s":60},"reward":-0.1,"done":false,"sim_now":5389260,'
    rb'"events":[],"changes":[{"causes":["s9"],"service":"datahub","table":"jobs","id":"JOB-1",'
    rb'"row":{"id":"JOB-1","metric_id":"MET-1","requested_by":"","started_at":5389260,"due_at":5389260,'
    rb'"status":"running","finished_at":null,"error":null}}],{"tool_name":"finish","arguments":{"answer":""}},'
    rb'"observation":{"text":"Your work on this task has ended.","tool_name":"finish",'
    rb'"result":{"ended":true}{"tool_name":"approvalflow_check_status","arguments":{"request_id":"APR-1"}},'
    rb'"observation":{"text":"id: APR-1\nstatus: approved\npolicy_version: 1\napprover: \nwaiting_for: '
    rb"[]\ndecision_due_at: null\ndecided_by: \nreason_code: null\nremedy: null\nrequired_field: "
    rb'null\nrequired_evidence: null\nexplanation: Approved by .","tool_name":"approvalflow_check_status",'
    rb'"result":{"id":"APR-1","status":"approved","policy_version":1,"approver":"","waiting_for":[],'
    rb'"decision_due_at":null,"decided_by":"","reason_code":null,"remedy":null,"required_field":null,'
    rb'"required_evidence":null,"explanation":"Approved by ."}{"tool_name":"datahub_list_metrics",'
    rb'"arguments":{"name":"","subject":""}},"observation":{"text":"items:\n  - {id: MET-1, name: , subject: , '
    rb"unit: , status: ok, as_of: 2030-03-01T09:00:00Z, expires_at: 2030-03-01T09:00:00Z, is_stale: true, "
    rb'source: , refresh_s: 420, version: 1}\ntotal: 1\nnext_cursor: null","tool_name":"datahub_list_metrics",'
    rb'"result":{"items":[{"id":"MET-1","name":"","subject":"","unit":"","status":"ok",'
    rb'"as_of":"2030-03-01T09:00:00Z","expires_at":"2030-03-01T09:00:00Z","is_stale":true,"source":"",'
    rb'"refresh_s":420,"version":1}],"total":1,"next_cursor":null}{"step":6,"action":{"type":"call_tool",'
    rb'"tool_name":"ticketdesk_update_ticket","arguments":{"ticket_id":"TD-1","priority":"medium"}},'
    rb'"observation":{"text":"id: TD-1\nkind: \ntitle: \ndescription: \nstatus: new\npriority: '
    rb"medium\nassignee: null\nreporter: \nsubject: \ncost_centre: CC-1\nblocked_by: []\nresolution: "
    rb"null\nevidence: null\nreferences: []\nverified_by: null\nverified_at: null\nrequires_approval: "
    rb'true\napproval: none\ncreated_at: 2030-03-01T09:00:00Z\nupdated_at: 2030-03-01T09:00:00Z\nversion: 2",'
    rb'"tool_name":"ticketdesk_update_ticket","result":{"id":"TD-1","kind":"","title":"","description":"",'
    rb'"status":"new","priority":"medium","assignee":null,"reporter":"","subject":"","cost_centre":"CC-1",'
    rb'"blocked_by":[],"resolution":null,"evidence":null,"references":[],"verified_by":null,"verified_at":null,'
    rb'"requires_approval":true,"approval":"none","created_at":"2030-03-01T09:00:00Z",'
    rb'"updated_at":"2030-03-01T09:00:00Z","version":2},"error":null,"step":6,"steps_remaining":24,'
    rb'"sim_now":"2030-03-01T09:00:00Z","elapsed_s":60},"reward":-0.1,"done":false,"sim_now":5389260,'
    rb'"events":[],"changes":[{"causes":["s6"],"service":"ticketdesk","table":"history","id":"TD-1",'
    rb'"row":{"id":"TD-1","ticket_id":"TD-1","at":5389260,"actor":"","action":"updated","field":"priority",'
    rb'"before":"high","after":"medium"}},{"causes":["s6"],"service":"ticketdesk","table":"tickets",'
    rb'"id":"TD-1","row":{"id":"TD-1","kind":"","title":"","description":"","status":"new","reporter":"",'
    rb'"requires_approval":true,"created_at":5389260,"updated_at":5389260,"priority":"medium","assignee":null,'
    rb'"subject":"","cost_centre":"CC-1","blocked_by":[],"resolution":null,"evidence":null,"references":[],'
    rb'"verified_by":null,"verified_at":null,"approval":"none","version":2}}],"faults":[],'
    rb'"ledger":[{"name":"step","amount":-0.1,"evidence":[]}],"outside":[],"violation":null,'
    rb'"call":["ticketdesk","update_ticket","TD-1"],"outcome":"done","took_ms":4.32,"in_force":{"level":0,'
    rb'"name":"calm"},"return":-0.9,"success":null,"terminated":false,"truncated":false,"invalid":null,'
    rb'"previous":"","hash":""}'
)

#: Every text that a stored record may need, by its byte.
KNOWN: Final = {b"\x01": SORTED, b"\x02": ORDERED}
