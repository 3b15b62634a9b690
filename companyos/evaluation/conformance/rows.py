"""Claims about an instance's rows: they fit the services' tables, and the services' copies agree."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from companyos.chassis.world.tables import WorldTable, column_defaults
from companyos.embedded.server import service_names
from companyos.sdk.grading.state import Row
from companyos.sdk.scenario import Instance

from .claims import Complaints, OfInstance

#: The tables of DataHub whose rows a ticket can be about.
_SUBJECTS: Final = ("records", "metrics", "assets", "messages")


def fit_their_tables(instance: Instance) -> Complaints:
    """Complain about unknown services, tables and columns, and about values of the wrong type."""
    for service, tables in instance.rows.items():
        known = tables_of(service) if service in service_names() else None
        if known is None:
            yield f"there is no service {service}; there are {', '.join(service_names())}"
            continue
        for table, rows in tables.items():
            if table not in known:
                yield f"{service} has no table {table}; it has {', '.join(known)}"
                continue
            for row in rows:
                yield from _flaws(f"{service}.{table} {row.get('id')}", row, known[table])


def refer_to_what_there_is(instance: Instance) -> Complaints:
    """Complain about duplicate ids and dangling references."""
    rows = instance.rows
    for service, tables in rows.items():
        for table, listed in tables.items():
            twice = [key for key, count in Counter(row["id"] for row in listed).items() if count > 1]
            yield from (f"{service}.{table} has {key} twice" for key in twice)
    people, tickets = _ids(rows, "datahub", "people"), _ids(rows, "ticketdesk", "tickets")
    if instance.persona.id not in people:
        yield f"the persona {instance.persona.id} is not in datahub.people"
    subjects = set().union(*(_ids(rows, "datahub", table) for table in _SUBJECTS))
    blockers = tickets | _ids(rows, "ticketdesk", "external_blockers")
    for ticket in complete_rows(rows, "ticketdesk", "tickets"):
        yield from _dangling(ticket, "reporter", people)
        yield from _dangling(ticket, "assignee", people)
        yield from _dangling(ticket, "subject", subjects)
        if strange := sorted(set(ticket["blocked_by"]) - blockers):
            yield f"{ticket['id']} is blocked by {', '.join(strange)}, which does not exist"
        if bool(ticket["blocked_by"]) != (ticket["status"] == "blocked"):
            yield f"{ticket['id']} has the status {ticket['status']} and blocked_by {ticket['blocked_by']}"
    for request in complete_rows(rows, "approvalflow", "requests"):
        for column, known in (("requester", people), ("approver", people), ("ticket_id", tickets)):
            yield from _dangling(request, column, known)
    for source in sorted(_ids(rows, "datahub", "sources") - _ids(rows, "datahub", "metrics")):
        yield f"datahub.sources has {source}, which is not a metric"


def keep_the_rules_of_their_kinds(instance: Instance) -> Complaints:
    """Complain about closed or verified tickets that break what TicketDesk tells agents of their kind."""
    kinds = complete_rows(instance.rows, "ticketdesk", "ticket_kinds")
    required = {kind["id"]: kind["required_fields"] for kind in kinds}
    for ticket in complete_rows(instance.rows, "ticketdesk", "tickets"):
        if ticket["verified_by"] or ticket["status"] == "closed":
            unset = [name for name in required.get(ticket["kind"], ()) if ticket[name] is None]
            yield from (f"{ticket['id']} is {ticket['status']} without {name}" for name in unset)


def agree_between_services(instance: Instance) -> Complaints:
    """Complain about copies that differ from what the services' events would have produced."""
    rows, start = instance.rows, instance.start
    away = {
        one["person_id"]: one["ends_at"]
        for one in complete_rows(rows, "datahub", "absences")
        if one["starts_at"] <= start < one["ends_at"]
    }
    for person in complete_rows(rows, "approvalflow", "people"):
        if (person["away"], person["away_until"]) != (person["id"] in away, away.get(person["id"])):
            yield f"approvalflow and datahub disagree whether {person['id']} is away"
    if "approvalflow" in rows:
        yield from _disagreements_on_metrics(rows)
    announced = {row["id"]: row["version"] for row in complete_rows(rows, "datahub", "metrics")}
    announced |= {
        one["id"]: 0 for one in complete_rows(rows, "approvalflow", "requests") if one["status"] == "pending"
    }
    for awaited in complete_rows(rows, "ticketdesk", "external_blockers"):
        if (awaited["status"], awaited["since"]) != ("open", announced.get(awaited["id"])):
            yield f"ticketdesk awaits {awaited['id']} since a version other than the current one"


def _disagreements_on_metrics(rows: Mapping[str, Mapping[str, Any]]) -> Complaints:
    metrics = {row["id"]: row for row in complete_rows(rows, "datahub", "metrics")}
    copies = {row["id"]: row for row in complete_rows(rows, "approvalflow", "metrics")}
    for key in sorted(metrics.keys() ^ copies.keys()):
        yield f"{key} is a metric in only one of datahub and approvalflow"
    for key in sorted(metrics.keys() & copies.keys()):
        metric, copy = metrics[key], copies[key]
        if (copy["value"], copy["expires_at"]) != (metric["value"], metric["as_of"] + metric["ttl_s"]):
            yield f"approvalflow's copy of {key} differs from datahub's metric"


@cache
def tables_of(service: str) -> Mapping[str, WorldTable]:
    """Return the business tables of a service by name."""
    # From the whole service, because its areas add tables.
    tables: Mapping[str, WorldTable] = import_module(f"services.{service}.app").SERVICE.tables
    return tables


def complete_rows(rows: Mapping[str, Mapping[str, Any]], service: str, table: str) -> list[Row]:
    """Return the rows of a table, with the defaults that the service fills in."""
    usual = column_defaults(tables_of(service)[table].row)
    return [{**usual, **row} for row in rows.get(service, {}).get(table, ())]


@cache
def _hints(table: WorldTable) -> Mapping[str, Any]:
    """Return the type of each column; text whose default is a member of an enum takes that enum's values."""
    defaults = {
        name: type(value) for name, value in column_defaults(table.row).items() if isinstance(value, StrEnum)
    }
    hints = get_type_hints(table.row)
    return hints | {name: kind for name, kind in defaults.items() if hints[name] is str}


def _flaws(row_name: str, row: Row, table: WorldTable) -> Complaints:
    if missing := sorted(set(table.columns) - set(row) - column_defaults(table.row).keys()):
        yield f"{row_name} lacks {', '.join(missing)}"
    if strange := sorted(set(row) - set(table.columns)):
        yield f"{row_name} has the unknown columns {', '.join(strange)}"
    hints = _hints(table)
    for column in table.columns:
        if column in row and not fits(row[column], hints[column]):
            yield f"{row_name}: {column} is {row[column]!r}, which is {_unlike(hints[column])}"


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value matches a column's annotation; enum members match by value."""
    options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None:
        return NoneType in options
    return any(_fits_one(value, option) for option in options)


def _fits_one(value: Any, kind: Any) -> bool:
    plain = get_origin(kind) or kind
    if plain is list:
        return isinstance(value, list) and all(fits(item, (*get_args(kind), Any)[0]) for item in value)
    if plain is dict:
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if plain is Any:
        return True
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return value in [str(member) for member in plain]
    return type(value) is plain


def _unlike(hint: Any) -> str:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"none of {', '.join(hint)}"
    return f"not a {hint.__name__ if isinstance(hint, type) else hint}"


def _ids(rows: Mapping[str, Mapping[str, Any]], service: str, table: str) -> set[str]:
    return {row["id"] for row in complete_rows(rows, service, table)}


def _dangling(row: Row, column: str, known: set[str]) -> Complaints:
    if row[column] is not None and row[column] not in known:
        yield f"{row['id']} has the {column} {row[column]}, which does not exist"


CLAIMS: Final = (
    OfInstance("Every row fits the columns of its table", fit_their_tables, costly=True),
    OfInstance("Ids are unique and references resolve", refer_to_what_there_is, costly=True),
    OfInstance("What was closed keeps the rules of its kind", keep_the_rules_of_their_kinds, costly=True),
    OfInstance("The services' copies of one fact agree", agree_between_services, costly=True),
)
