"""The goal's record has look-alikes of its name, and the ticket tells by a number which one it is about."""

from dataclasses import replace
from typing import Any

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Row, cost_centre, register_number
from companyos.scenario import Predicate, Trouble, View

from .befalling import Befalling


class DuplicateEntity(Befalling):
    """Adds records of the same name with figures that are fresh and fine, and takes the id out of the tickets."""

    fault = FaultId.DUPLICATE_ENTITY

    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the look-alikes, and have the ticket state the number instead of the id."""
        count = setting.draws.integer(f"{self.fault}.n", 1, self.params(setting)["n"])
        alike = tuple(self._look_alike(case, setting, number) for number in range(1, count + 1))
        for ticket in (case.ticket, *case.blockers):
            _leave_open(ticket, case, setting)
        label = case.mark.replace("_", " ").capitalize()
        case.ticket["description"] += f" {label}: {case.record['fields'][case.mark]}."
        trouble = Trouble(
            fault=self.fault,
            shown_by=tuple(record["id"] for record in alike),
            repairs=("ticketdesk_update_ticket",),
            overcome=_is_told_apart(case),
            cost=3,
        )
        return replace(case, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """Hold once the right record was taken."""
        return _is_told_apart(case)

    def _look_alike(self, case: Case, setting: Setting, number: int) -> Row:
        company, record = setting.company, case.record
        prefix, _, _ = record["id"].partition("-")
        fields = {
            **{name: value for name, value in record["fields"].items() if name not in ("see_also", "note")},
            case.mark: register_number(company, record["fields"][case.mark][0], 100 + number),
            "cost_centre": cost_centre(company, number, f"{self.fault}.cost_centre"),
        }
        made = company.keep(
            company.numbers.reserve(prefix), record["kind"], record["name"], fields, record["status"]
        )
        for metric in company.about(record["id"]):
            value = self._fine(case, setting, metric, number)
            setting.fresh_figure(metric["name"], made["id"], metric["unit"], value)
        return made

    def _fine(self, case: Case, setting: Setting, metric: Row, number: int) -> float:
        """Return a value that the policy accepts, and that is not the goal's."""
        more = setting.draws.integer(f"{self.fault}.value", 1, 9, metric["name"], number)
        least = setting.minimum(case.type_id) if metric["id"] == case.metric["id"] else None
        return float(max(least or 0.0, metric["value"]) + more)


BEFALLING = DuplicateEntity()


def _leave_open(ticket: Row, case: Case, setting: Setting) -> None:
    """Take the record's id out of a ticket."""
    told: dict[str, Any] = {
        column: ticket[column].replace(f" {case.record['id']}", "") for column in ("title", "description")
    }
    setting.company.amend(ticket, subject=None, **told)


def _is_told_apart(case: Case) -> checks.Fact:
    """The ticket names the right record; or nobody is asked, and the right figure was refreshed."""
    named, refreshed, requested = (
        checks.subject_is_right(case),
        checks.is_refreshed(case),
        checks.is_requested(case),
    )

    def holds(view: View) -> bool:
        return named(view) or (refreshed(view) and not requested(view))

    return holds
