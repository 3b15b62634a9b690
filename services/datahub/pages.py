"""How DataHub's pages look."""

from typing import Final

from companyos.chassis import PageLayout

#: The fields, here and elsewhere, that hold the id of a person.
_PEOPLE: Final = (
    "*_by",
    "actor",
    "also",
    "approver",
    "assignee",
    "author",
    "clerk",
    "delegate",
    "holder",
    "manager",
    "on_call",
    "others",
    "owner",
    "person",
    "receiver",
    "recipient",
    "reporter",
    "reports",
    "requester",
    "sender",
    "to",
)
#: The fields, here and elsewhere, that hold the id of a record, or of another object whose id tells its kind.
_RECORDS: Final = (
    "about",
    "entity",
    "object_id",
    "reference",
    "references",
    "subject",
    "supplier_id",
    "system",
    "target",
)

PAGES: Final = (
    PageLayout(
        "list_metrics",
        title="Metrics",
        columns=("id", "name", "subject", "status", "is_stale", "as_of", "source"),
        opens="query_metric",
    ),
    PageLayout("list_records", title="Records"),
    PageLayout(
        "search_documents",
        title="Documents",
        columns=("id", "title", "snippet", "department", "kind", "status", "version", "written_at"),
        opens="get_document",
        asks_first=True,
        menu={"Handbook": {"kind": "handbook", "status": "in_force"}},
    ),
    PageLayout("list_people", title="People", columns=("id", "name", "role", "team", "manager", "active")),
    PageLayout(
        "list_messages",
        title="Messages",
        columns=("id", "subject", "sender", "recipient", "about", "sent_at", "is_read"),
        opens="get_message",
    ),
    PageLayout("list_datasets", title="Datasets"),
    PageLayout(
        "list_invoices",
        title="Invoices",
        columns=(
            "id",
            "kind",
            "number",
            "supplier_id",
            "order_id",
            "total",
            "currency",
            "clerk",
            "status",
            "invoiced_at",
        ),
    ),
    PageLayout("list_periods", title="Periods"),
    PageLayout("list_budgets", title="Budgets"),
    PageLayout("list_entitlements", title="Entitlements", opens="revoke_entitlement"),
    PageLayout("list_assets", title="Assets", opens="assign_asset"),
    PageLayout("list_jobs", title="Refresh jobs"),
    PageLayout(
        "query_metric",
        title="Metric",
        heading="name",
        measure=("value", "unit"),
        actions=("refresh_data", "quarantine_metric", "release_metric"),
        main_actions={"ok": "refresh_data", "quarantined": "release_metric"},
        ids="MET-",
    ),
    PageLayout("get_document", title="Document", heading="title", text="body", ids="DOC-"),
    PageLayout("get_message", title="Message", heading="subject", text="body", ids="MSG-"),
    PageLayout("get_record", title="Record", heading="name", fields=_RECORDS),
    PageLayout("get_person", title="Person", heading="name", fields=_PEOPLE),
    PageLayout(
        "get_dataset", title="Dataset", heading="name", text="description", parts=("columns",), ids="DS-"
    ),
    PageLayout(
        "get_invoice",
        title="Invoice",
        heading="number",
        measure=("total", "currency"),
        actions=("settle_invoice",),
        ids="INV-",
    ),
    PageLayout("get_order", title="Purchase order", parts=("lines", "receipts", "invoices"), ids="PO-"),
    PageLayout("get_period", title="Period", heading="name", ids="PER-"),
    PageLayout("get_budget", title="Budget", heading="name", ids="BUD-"),
    PageLayout("update_record", columns=("status", "name", "fields")),
)
