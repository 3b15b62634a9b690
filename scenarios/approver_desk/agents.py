"""The person at the desk: a script that settles every request as documents and evidence require."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Final

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, current_budget
from companyos.sdk.simtime import DAY, from_iso

from . import reading
from .reading import Cover, Rules
from .settlement import Limits, best_sets, cents, item_of

Dossier = Mapping[str, Any]

_APPROVE: Final = "approve"
_NEED_QUOTES: Final = "purchase_approval"
_QUOTES: Final = 2


@dataclass
class Work:
    """What an agent knows of the pile.

    Attributes:
        rules: The versions of the rules, newest first.
        dossiers: The requests by id.
        passed: The person to whom each is passed on.
        reasons: Why each is rejected.
        quoted: How many suppliers quoted for it.
    """

    me: Skills
    rules: list[Rules]
    cover: Cover
    manager: str
    dossiers: dict[str, Dossier]
    passed: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    quoted: dict[str, int] = field(default_factory=dict)

    def rules_for(self, dossier: Dossier) -> Rules:
        """Return the version in force when a request was made, or the oldest known."""
        at = from_iso(dossier["submitted_at"])
        return next((rules for rules in self.rules if rules.since <= at), self.rules[-1])

    @property
    def open(self) -> list[Dossier]:
        """The requests that are not yet resolved, in order of submission."""
        left = [
            one for key, one in self.dossiers.items() if key not in self.passed and key not in self.reasons
        ]
        return sorted(left, key=lambda one: (one["submitted_at"], one["id"]))


def oracle(observation: Observation) -> Script:
    """Settle every request as the documents and the evidence require, or refuse the task.

    Passes on what is not the agent's to decide, then rejects what the evidence does, and then what is over budget.
    """
    me = Skills(observation)
    items = (yield from me.ask("approvalflow_list_inbox"))["items"]
    head = items[0]["approver"]
    rules = yield from reading.read_rules(me)
    person = yield from me.ask("datahub_get_person", person_id=head)
    ending = yield from reading.read_ending(me, person["name"])
    if ending is not None:
        yield from me.ask("refuse", reason_code=rules[0].ended_code, evidence=[ending])
    cover = yield from reading.read_cover(me, person["name"])
    manager = (yield from me.ask("datahub_get_person", person_id=me.id))["manager"]
    dossiers = {}
    for item in items:
        dossiers[item["id"]] = yield from me.ask("approvalflow_get_dossier", request_id=item["id"])
    work = Work(me, rules, cover, manager, dossiers)
    _pass_on(work)
    _check_statements(work)
    yield from _check_invoices(work)
    yield from _check_quotes(work)
    yield from _check_budgets(work)
    yield from _carry_out(work)


def _pass_on(work: Work) -> None:
    for dossier in work.open:
        fields, cover = dossier["fields"], work.cover
        if fields["cost_centre"] == cover.apart:
            work.passed[dossier["id"]] = cover.keeper
        elif (
            dossier["requester"] in (work.me.id, work.manager)
            or fields["amount"] > cover.limits[dossier["type"]]
        ):
            work.passed[dossier["id"]] = cover.second


def _check_statements(work: Work) -> None:
    for dossier in work.open:
        lines = dossier["line_items"]
        if abs(fsum(line["amount"] for line in lines) - dossier["fields"]["amount"]) >= 0.01:
            work.reasons[dossier["id"]] = "amount_mismatch"
        elif any(reading.is_excluded(line["text"], work.rules_for(dossier).excluded) for line in lines):
            work.reasons[dossier["id"]] = "not_eligible"


def _check_invoices(work: Work) -> Play[None]:
    seen: set[tuple[str, str]] = set()
    for dossier in work.open:
        number, supplier = dossier["fields"].get("invoice_number"), dossier["fields"]["supplier"]
        if number is None:
            continue
        on_record = yield from work.me.ask("datahub_list_records", q=number)
        paid = any(record["fields"].get("supplier") == supplier for record in on_record["items"])
        if paid or (number, supplier) in seen:
            work.reasons[dossier["id"]] = "duplicate"
        seen.add((number, supplier))


def _check_quotes(work: Work) -> Play[None]:
    """Count the quotes of requests that need them, and ask for missing ones."""
    asked: dict[str, int] = {}
    for dossier in work.open:
        if _needs_quotes(work, dossier, dossier["fields"]["amount"]):
            yield from _count_quotes(work, dossier)
            if work.quoted[dossier["id"]] < _QUOTES:
                question = yield from work.me.ask(
                    "approvalflow_ask_requester",
                    request_id=dossier["id"],
                    question="A quote of a second supplier is missing. Can you attach one?",
                    about="quote",
                )
                asked[dossier["id"]] = from_iso(question["due_at"])
    _find_split(work)
    for request_id, due_at in sorted(asked.items(), key=lambda one: one[1]):
        yield from work.me.wait_until(due_at)
        yield from _count_quotes(work, (yield from _answered(work.me, request_id)))
        if work.quoted[request_id] < _QUOTES:
            work.reasons[request_id] = "evidence_missing"


def _count_quotes(work: Work, dossier: Dossier) -> Play[None]:
    suppliers = set()
    for attached in dossier["attachments"]:
        quote = yield from work.me.ask("datahub_get_document", document_id=attached["reference"])
        suppliers.add(reading.supplier_of(quote))
    work.quoted[dossier["id"]] = len(suppliers)


def _answered(me: Skills, request_id: str) -> Play[Dossier]:
    """Read a dossier again until it shows the answers that are due, because a read may be stale."""
    dossier: Dossier = yield from me.ask("approvalflow_get_dossier", request_id=request_id)
    while any(question["answer"] is None for question in dossier["questions"]):
        dossier = yield from me.ask("approvalflow_get_dossier", request_id=request_id)
    return dossier


def _find_split(work: Work) -> None:
    groups: dict[tuple[str, str], list[Dossier]] = {}
    for dossier in work.open:
        if dossier["type"] == _NEED_QUOTES and dossier["id"] not in work.quoted:
            groups.setdefault((dossier["requester"], dossier["fields"]["supplier"]), []).append(dossier)
    for parts in groups.values():
        first, last = from_iso(parts[0]["submitted_at"]), from_iso(parts[-1]["submitted_at"])
        whole = fsum(part["fields"]["amount"] for part in parts)
        is_close = last - first <= work.rules[0].window_days * DAY
        if len(parts) > 1 and is_close and _needs_quotes(work, parts[-1], whole):
            work.reasons |= {part["id"]: "split_purchase" for part in parts}


def _needs_quotes(work: Work, dossier: Dossier, amount: float) -> bool:
    return dossier["type"] == _NEED_QUOTES and amount >= work.rules_for(dossier).quotes_from


def _check_budgets(work: Work) -> Play[None]:
    centres: dict[str, list[Dossier]] = {}
    for dossier in work.open:
        centres.setdefault(dossier["fields"]["cost_centre"], []).append(dossier)
    for centre, wanting in centres.items():
        left = cents((yield from _remaining(work.me, centre)))
        items = [item_of(dossier["id"], dossier["fields"]) for dossier in wanting]
        if sum(item.cost for item in items) > left:
            [approved] = best_sets(items, Limits(left, work.rules[0].setup_hours))
            work.reasons |= {item.key: "over_budget" for item in items if item not in approved}


def _remaining(me: Skills, centre: str) -> Play[float]:
    """Return what remains of a cost centre's current budget, from a fresh ledger."""
    listed = yield from me.ask("datahub_list_budgets", cost_centre=centre)
    budget = yield from me.fresh_budget(current_budget(listed["items"], me.now)["id"])
    return float(budget["remaining"])


def _carry_out(work: Work) -> Play[None]:
    for request_id in work.dossiers:
        if to := work.passed.get(request_id):
            reason = "The cover does not extend to it."
            yield from work.me.ask("approvalflow_pass_on", request_id=request_id, to=to, reason=reason)
        elif code := work.reasons.get(request_id):
            yield from work.me.ask(
                "approvalflow_decide_request", request_id=request_id, decision="reject", reason_code=code
            )
        else:
            yield from work.me.ask("approvalflow_decide_request", request_id=request_id, decision=_APPROVE)
    yield from work.me.finish("Every request in the inbox is settled.")
