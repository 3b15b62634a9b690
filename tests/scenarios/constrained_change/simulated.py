"""A company of the scenario behind its tools, without services: rows to read, and a simulation of every rule."""

from collections.abc import Mapping
from typing import Any

from companyos.chassis.automations.routes import AutomationView
from companyos.company.areas.automations import rule_of
from companyos.scenario import Action, CompanyState, Instance
from companyos.sdk.automations import Rule
from companyos.sdk.simtime import to_iso
from scenarios.constrained_change.simulation import Act, Place, Row, Simulation, State

from .conversation import Tools, page

SIMULATED = (("datahub", "assets"), ("datahub", "clearances"), ("ticketdesk", "tickets"))
ACTS = {
    "datahub_assign_asset": lambda one: Act("assign", one["asset_id"], one["person_id"]),
    "datahub_return_asset": lambda one: Act("return", one["asset_id"]),
    "ticketdesk_transition_ticket": lambda one: Act("begin", one["ticket_id"]),
    "ticketdesk_update_ticket": lambda one: Act("priority", one["ticket_id"], one["priority"]),
}


class SimulatedCompany(Tools):
    """Answers the calls of an agent in one instance."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(now=instance.start)
        self.instance = instance
        rows: dict[Place, Row] = {
            (*table, row["id"]): row for table in SIMULATED for row in instance.rows[table[0]][table[1]]
        }
        self.values = {row["id"]: row["values"][-1] for row in instance.rows["datahub"]["sources"]}
        self.state = State(instance.start, rows, self.values)
        self.simulation = Simulation(all_rules(instance))
        self.fresh_from: dict[str, int] = {}

    @property
    def harm(self) -> set[str]:
        """What must not happen and did: a lost level, or a ticket that a rule assigned."""
        return {kind for kind, _ in self.state.history if kind == "lowered" or kind.startswith("assignee:")}

    @property
    def is_solved(self) -> bool:
        """Whether every must of the instance holds and no harm was done."""
        state = CompanyState(self.instance.rows)
        for (service, table, row_id), row in self.state.rows.items():
            state.apply(service, [{"table": table, "id": row_id, "row": dict(row)}])
        view = state.view()
        return all(must.holds(view) for must in self.instance.musts) and not self.harm

    def observe(self, action: Action) -> Mapping[str, Any]:
        """Carry out an act, or answer a question."""
        if action["tool_name"] in ACTS:
            act = ACTS[action["tool_name"]](action["arguments"])
            now = State(self.now, self.state.rows, self.values, self.state.history)
            self.state = self.simulation.after(now, act)
            return {
                "error": None,
                "result": dict(self.state.row(*act.place)),
                "sim_now": to_iso(self.now),
            }
        return super().observe(action)

    def ticketdesk_get_ticket(self, ticket_id: str) -> Row:
        return self.state.row("ticketdesk", "tickets", ticket_id)

    def ticketdesk_search_tickets(self, q: str, limit: int, cursor: str | None = None) -> dict[str, Any]:
        return page([row for row in self._simulated("tickets") if q in row["title"]], cursor)

    def datahub_list_assets(
        self, limit: int, q: str | None = None, asset_class: str | None = None, cursor: str | None = None
    ) -> dict[str, Any]:
        found = [
            row
            for row in self._simulated("assets")
            if (q is None or q in row["id"]) and asset_class in (None, row["asset_class"])
        ]
        return page(found, cursor)

    def datahub_get_clearance(self, person_id: str) -> Row:
        return self.state.row("datahub", "clearances", person_id)

    def datahub_list_automations(self, limit: int, cursor: str | None = None) -> dict[str, Any]:
        return page(self._listed("datahub"), cursor)

    def ticketdesk_list_automations(self, limit: int, cursor: str | None = None) -> dict[str, Any]:
        return page(self._listed("ticketdesk"), cursor)

    def datahub_search_documents(
        self, q: str, limit: int, cursor: str | None = None, **equals: str
    ) -> dict[str, Any]:
        found = [
            {"id": row["id"], "title": row["title"]}
            for row in self.instance.rows["datahub"]["documents"]
            if all(word.casefold() in f"{row['title']} {row['body']}".casefold() for word in q.split())
            and all(row[column] == value for column, value in equals.items())
        ]
        return page(found, cursor)

    def datahub_get_document(self, document_id: str) -> Row:
        return next(row for row in self.instance.rows["datahub"]["documents"] if row["id"] == document_id)

    def datahub_refresh_data(self, metric_id: str) -> dict[str, Any]:
        self.fresh_from[metric_id] = self.now + self._metric(metric_id)["refresh_s"]
        return {"due_at": to_iso(self.fresh_from[metric_id])}

    def datahub_query_metric(self, metric_id: str) -> dict[str, Any]:
        is_fresh = self.fresh_from.get(metric_id, self.now + 1) <= self.now
        value = self.values[metric_id] if is_fresh else self._metric(metric_id)["value"]
        return {"value": value, "is_stale": not is_fresh}

    def _metric(self, metric_id: str) -> Row:
        return next(row for row in self.instance.rows["datahub"]["metrics"] if row["id"] == metric_id)

    def _simulated(self, table: str) -> list[Row]:
        return [row for (_, name, _), row in sorted(self.state.rows.items()) if name == table]

    def _listed(self, service: str) -> list[dict[str, Any]]:
        """Return the rules in a service's register, as its tool shows them."""
        tables = self.instance.rows[service]
        listed = sorted((row for row in tables["automations"] if row["listed"]), key=lambda row: row["id"])
        return [
            AutomationView(
                **{name: value for name, value in row.items() if name != "listed"},
                announced=[one for one in tables["automation_changes"] if one["automation_id"] == row["id"]],
            ).model_dump(mode="json")
            for row in listed
        ]


def all_rules(instance: Instance) -> list[Rule]:
    """Return every rule that the services run, those that are paused from when they resume."""
    found = []
    for service, tables in instance.rows.items():
        resumes = {row["automation_id"]: row["at"] for row in tables["automation_changes"]}
        for row in tables["automations"]:
            resumed = {"paused": False, "active_from": resumes[row["id"]]} if row["id"] in resumes else {}
            found.append(rule_of(service, {**row, **resumed}))
    return found
