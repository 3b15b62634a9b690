"""The deputy at the desk: a script that settles every request as documents and evidence require."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from companyos.sdk.documents import Fields, facts_of
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, current_budget, effective_at
from companyos.sdk.simtime import DAY, from_iso

from .documents import BACK, COVER, COVER_ENDED, RULES, RULES_TITLE, STAYS
from .grading import QUOTES
from .settlement import Limits, best_sets, cents, item_of
from .spending import PURCHASE
from .terms import Version

Dossier = Mapping[str, Any]

_APPROVAL: Final = ("decide_request", {"decision": "approve"})
_QUESTION: Final = "A quote of a second supplier is missing. Can you attach one?"


class Deputy(Skills):
    """The work on the requests in an inbox.

    Attributes:
        rules: The versions of the rules that were ever in force, newest first, each with when it came into force.
        cover: What the letter of cover says.
        dossiers: The requests by id.
        settled: How each decided request is settled: a tool of ApprovalFlow, and its arguments.
    """

    rules: Sequence[tuple[int, Version]]
    cover: Fields

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self.dossiers: dict[str, Dossier] = {}
        self.settled: dict[str, tuple[str, Mapping[str, str]]] = {}

    def work(self) -> Script:
        """Settle every request as the documents and the evidence require, or refuse the task.

        Passes on what is not the agent's to decide, then rejects what the evidence does, and then what is over budget.
        """
        items = (yield from self.ask("approvalflow_list_inbox"))["items"]
        self.rules = yield from self._read_rules()
        head = yield from self.ask("datahub_get_person", person_id=items[0]["approver"])
        ending = yield from self._read_ending(head["name"])
        if ending is not None:
            code = self.rules[0][1].ended_code
            yield from self.ask("refuse", reason_code=code, evidence=[ending])
        self.cover = yield from self._read_cover(head["name"])
        me = yield from self.ask("datahub_get_person", person_id=self.id)
        for key in [item["id"] for item in items]:
            self.dossiers[key] = yield from self.ask("approvalflow_get_dossier", request_id=key)
        self._pass_on(me["manager"])
        self._check_statements()
        yield from self._check_invoices()
        yield from self._check_quotes()
        yield from self._check_budgets()
        for key in self.dossiers:
            tool, arguments = self.settled.get(key, _APPROVAL)
            yield from self.ask(f"approvalflow_{tool}", request_id=key, **arguments)
        yield from self.finish("Every request in the inbox is settled.")

    def _read_rules(self) -> Play[list[tuple[int, Version]]]:
        versions = []
        for found in (yield from self.documents("spending rules of the units", "policy", limit=50)):
            if found["status"] in ("in_force", "superseded") and found["title"] == RULES_TITLE:
                document = yield from self.ask("datahub_get_document", document_id=found["id"])
                version = facts_of(Version, RULES.read(document["body"]))
                versions.append((effective_at(document), version))
        return sorted(versions, key=lambda one: -one[0])

    def _read_ending(self, head: str) -> Play[str | None]:
        """Return the id of the minutes that ended the cover, or None if the newest minutes say that it holds."""
        minutes = yield from self.documents("cover", "minutes", limit=50)
        newest = yield from self.statement(
            minutes, BACK, COVER_ENDED, STAYS, is_meant=lambda news: news["head"] == head
        )
        return None if newest is None or newest.wording is STAYS else newest.paper_id

    def _read_cover(self, head: str) -> Play[Fields]:
        """Return what the absent approver's newest letter of cover says."""
        letters = yield from self.documents("cover", "letter", limit=50)
        signed = [one for one in letters if one["status"] != "draft"]
        cover = yield from self.statement(
            signed, COVER, is_meant=lambda letter: (letter["head"], letter["me_id"]) == (head, self.id)
        )
        if cover is None:
            raise LookupError("there is no letter of cover")
        return cover.fields

    @property
    def _open(self) -> list[Dossier]:
        """The requests that are not yet decided, in order of submission."""
        left = (one for key, one in self.dossiers.items() if key not in self.settled)
        return sorted(left, key=lambda one: (one["submitted_at"], one["id"]))

    def _rules_for(self, dossier: Dossier) -> Version:
        """Return the version in force when a request was made, or the oldest known."""
        at = from_iso(dossier["submitted_at"])
        return next((version for since, version in self.rules if since <= at), self.rules[-1][1])

    def _reject(self, dossier: Dossier, reason: str) -> None:
        self.settled[dossier["id"]] = ("decide_request", {"decision": "reject", "reason_code": reason})

    def _pass_on(self, manager: str) -> None:
        for dossier in self._open:
            fields, cover, to = dossier["fields"], self.cover, None
            if fields["cost_centre"] == cover["apart"]:
                to = cover["keeper"]
            elif dossier["requester"] in (self.id, manager) or fields["amount"] > cover[dossier["type"]]:
                to = cover["second"]
            if to is not None:
                passed = {"to": to, "reason": "The cover does not extend to it."}
                self.settled[dossier["id"]] = ("pass_on", passed)

    def _check_statements(self) -> None:
        """Reject wrong amounts and excluded things."""
        for dossier in self._open:
            lines, excluded = dossier["line_items"], self._rules_for(dossier).excluded
            if abs(fsum(line["amount"] for line in lines) - dossier["fields"]["amount"]) >= 0.01:
                self._reject(dossier, "amount_mismatch")
            elif any(is_excluded(line["text"], excluded) for line in lines):
                self._reject(dossier, "not_eligible")

    def _check_invoices(self) -> Play[None]:
        """Reject invoices that are on record as paid, or were submitted before."""
        seen: set[tuple[str, str]] = set()
        for dossier in self._open:
            number, supplier = dossier["fields"].get("invoice_number"), dossier["fields"]["supplier"]
            if number is None:
                continue
            on_record = yield from self.ask("datahub_list_records", q=number)
            paid = any(record["fields"].get("supplier") == supplier for record in on_record["items"])
            if paid or (number, supplier) in seen:
                self._reject(dossier, "duplicate")
            seen.add((number, supplier))

    def _check_quotes(self) -> Play[None]:
        """Ask for missing quotes, and reject split purchases and those for which no other quote comes."""
        purchases = [one for one in self._open if one["type"] == PURCHASE]
        big = [one for one in purchases if self._needs_quotes(one, one["fields"]["amount"])]
        due: dict[str, int] = {}
        for dossier in big:
            if (yield from self._lacks_quotes(dossier)):
                asking = {"request_id": dossier["id"], "question": _QUESTION, "about": "quote"}
                question = yield from self.ask("approvalflow_ask_requester", **asking)
                due[dossier["id"]] = from_iso(question["due_at"])
        self._reject_split(one for one in purchases if one not in big)
        for request_id, due_at in sorted(due.items(), key=lambda one: one[1]):
            yield from self.wait_until(due_at)
            dossier = yield from self._answered_dossier(request_id)
            if (yield from self._lacks_quotes(dossier)):
                self._reject(dossier, "evidence_missing")

    def _needs_quotes(self, dossier: Dossier, amount: float) -> bool:
        return amount >= self._rules_for(dossier).quotes_from

    def _lacks_quotes(self, dossier: Dossier) -> Play[bool]:
        """Read what is attached to a request, and return whether too few suppliers have quoted."""
        suppliers = set()
        for attached in dossier["attachments"]:
            suppliers.add(supplier_of((yield from self.text_of(attached["reference"]))))
        return len(suppliers) < QUOTES

    def _answered_dossier(self, request_id: str) -> Play[Dossier]:
        """Read a dossier until it shows the answers that are due, because a read may be stale."""
        while True:
            dossier: Dossier = yield from self.ask("approvalflow_get_dossier", request_id=request_id)
            if all(question["answer"] is not None for question in dossier["questions"]):
                return dossier

    def _reject_split(self, small: Iterable[Dossier]) -> None:
        """Reject purchases that need no quotes by themselves, but together."""
        groups: dict[tuple[str, str], list[Dossier]] = {}
        for dossier in small:
            groups.setdefault((dossier["requester"], dossier["fields"]["supplier"]), []).append(dossier)
        for parts in groups.values():
            first, last = from_iso(parts[0]["submitted_at"]), from_iso(parts[-1]["submitted_at"])
            whole = fsum(part["fields"]["amount"] for part in parts)
            is_close = last - first <= self.rules[0][1].window_days * DAY
            if len(parts) > 1 and is_close and self._needs_quotes(parts[-1], whole):
                for part in parts:
                    self._reject(part, "split_purchase")

    def _check_budgets(self) -> Play[None]:
        """Reject what is not in the best set that its budget pays for, by a fresh ledger."""
        centres: dict[str, list[Dossier]] = {}
        for dossier in self._open:
            centres.setdefault(dossier["fields"]["cost_centre"], []).append(dossier)
        for centre, wanting in centres.items():
            listed = yield from self.ask("datahub_list_budgets", cost_centre=centre)
            budget = yield from self.fresh_budget(current_budget(listed["items"], self.now)["id"])
            limits = Limits(cents(budget["remaining"]), self.rules[0][1].setup_hours)
            items = {item_of(dossier["id"], dossier["fields"]): dossier for dossier in wanting}
            if sum(item.cost for item in items) > limits.cost:
                [approved] = best_sets(items, limits)
                for item in items:
                    if item not in approved:
                        self._reject(items[item], "over_budget")


def supplier_of(quote: str) -> str:
    """Return the supplier who made an offer."""
    return quote.partition(" offers:")[0]


def is_excluded(item: str, excluded: Iterable[str]) -> bool:
    """Return whether a line item is among the things that the rules exclude."""
    return any(item.casefold().startswith(thing.casefold()) for thing in excluded)
