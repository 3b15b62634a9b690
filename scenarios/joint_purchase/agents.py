"""Scripted buyers: the oracle, a careful one that does not look again, and a naive one that believes the budgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Final

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import HOUR, from_iso

from . import reading
from .terms import (
    AGREED,
    DECLINED,
    NEXT_QUARTER,
    RESERVE,
    Account,
    Ending,
    Needs,
    Offer,
    Purse,
    Rules,
    co_signers,
    settle,
)

Shown = Mapping[str, Any]
CO_SIGNERS: Final = ("finance_director", "cfo")
NO_BUDGET: Final = "no_budget"
#: What waits before a shortage: nothing is known of needs yet.
_LATEST: Final = "9999-12-31"


@dataclass
class Work:
    """What a buyer knows.

    Attributes:
        departments: The records of both departments.
        listed: The budgets of each department, as listed.
        committed: What the refreshed ledger of each budget of this quarter shows.
        weights: What the price is split by.
        needs: What both need; None before it was looked up.
    """

    me: Asker
    item: str
    item_id: str
    wanted: int
    names: list[str]
    rules: Rules
    quote: str
    offer: Offer
    departments: list[Shown] = field(default_factory=list)
    mails: Sequence[Shown] | None = None
    listed: list[Sequence[Shown]] = field(default_factory=list)
    committed: dict[str, float] = field(default_factory=dict)
    weights: list[float] = field(default_factory=list)
    needs: Needs | None = None

    @property
    def current(self) -> list[Shown]:
        """The budgets of this quarter."""
        return [reading.current(budgets, self.me.now) for budgets in self.listed]


def oracle(observation: Observation) -> Script:
    """Do as the handbook says, and look again before ordering."""
    work = yield from _known(Asker(observation))
    while True:
        ending = yield from _settled(work)
        if ending.kind == DECLINED:
            yield from work.me.ask("refuse", reason_code=NO_BUDGET, evidence=list(ending.short))
            return
        purchase_id = yield from _requested(work, ending)
        if purchase_id is None:
            continue
        again = yield from _settled(work)
        if (again.shares, again.lot) == (ending.shares, ending.lot):
            yield from work.me.ask("approvalflow_place_order", purchase_id=purchase_id)
            yield from work.me.finish("It is ordered.")
            return
        reason = "A budget is short by now."
        yield from work.me.ask("approvalflow_withdraw_purchase", purchase_id=purchase_id, reason=reason)


def careful(observation: Observation) -> Script:
    """Do as the handbook says, but order without another look at the budgets."""
    work = yield from _known(Asker(observation))
    purchase_id = None
    while purchase_id is None:
        ending = yield from _settled(work)
        if ending.kind == DECLINED:
            yield from work.me.ask("refuse", reason_code=NO_BUDGET, evidence=list(ending.short))
            return
        purchase_id = yield from _requested(work, ending)
    yield from work.me.ask("approvalflow_place_order", purchase_id=purchase_id)
    yield from work.me.finish("It is ordered.")


def naive(observation: Observation) -> Script:
    """Split by halves, believe what the budgets show, and ask whoever represents the owners."""
    me = Asker(observation)
    item, item_id, wanted, names = _asked_for(me)
    quote, offer = yield from reading.read_offer(me, item_id)
    lot = next(one for one in offer.lots if one.quantity == wanted)
    shares = []
    for name in names:
        record = yield from _department(me, name)
        budgets = yield from me.ask("datahub_list_budgets", cost_centre=record["fields"]["cost_centre"])
        budget = reading.current(budgets["items"], me.now)
        signer = yield from _signer(me, budget["owner"], 0.0)
        share = {"budget_id": budget["id"], "amount": round(lot.price / 2, 2), "approver": signer}
        shares.append(share)
    made = yield from me.ask(
        "approvalflow_request_purchase", item=item, quantity=wanted, quote=quote, shares=shares
    )
    yield from me.wait_until(me.now + 5 * HOUR)
    yield from me.ask("approvalflow_place_order", purchase_id=made["id"])
    yield from me.finish("It is ordered.")


def _asked_for(me: Asker) -> tuple[str, str, int, list[str]]:
    """Return the item, its id, how many are wanted, and the names of the departments, as the brief has them."""
    item, item_id = reading.found(r"want the ([\w -]+?) \(", me.text), reading.found(r"\((IT-\d+)\)", me.text)
    one, other = (
        reading.found(pattern, me.text) for pattern in (r": ([\w ]+?) and ", r" and ([\w ]+?) both want")
    )
    return item, item_id, int(reading.found(r"(\d+) of them", me.text)), [one, other]


def _known(me: Asker) -> Play[Work]:
    """Read the rules, the offer and the departments, and take everything anew that has to be fresh."""
    item, item_id, wanted, names = _asked_for(me)
    rules = yield from reading.read_rules(me)
    record = yield from me.ask("datahub_get_record", record_id=item_id)
    quote, offer = yield from reading.read_offer(me, item_id)
    work = Work(me, item, item_id, wanted, names, rules, quote, offer)
    for name in names:
        department = yield from _department(me, name)
        work.departments.append(department)
        budgets = yield from me.ask("datahub_list_budgets", cost_centre=department["fields"]["cost_centre"])
        work.listed.append(budgets["items"])
    basis = rules.bases[record["fields"]["category"]]
    metrics = [] if basis == AGREED else (yield from _metrics(work, basis))
    yield from _take_anew(work, metrics)
    if basis == AGREED:
        heads = [one["fields"]["head"] for one in work.departments]
        work.weights = yield from reading.read_split(me, (yield from _mails(work)), heads, names)
    return work


def _department(me: Asker, name: str) -> Play[Shown]:
    listed = yield from me.ask("datahub_list_records", kind="department", q=name)
    record: Shown = next(one for one in listed["items"] if one["name"] == name)
    return record


def _metrics(work: Work, basis: str) -> Play[list[str]]:
    """Return the ids of the metrics of both departments by which the price is split."""
    wanted = {"head_count": "head_count", "usage": "monthly_usage_hours"}[basis]
    ids = []
    for department in work.departments:
        listed = yield from work.me.ask("datahub_list_metrics", name=wanted, subject=department["id"])
        ids.append(listed["items"][0]["id"])
    return ids


def _take_anew(work: Work, metrics: Sequence[str]) -> Play[None]:
    """Refresh the ledgers of this quarter and these metrics, and read them."""
    me, jobs = work.me, []
    ledgers: dict[str, str] = {}
    for budget in work.current:
        shown = yield from me.ask("datahub_get_budget", budget_id=budget["id"])
        ledgers[budget["id"]] = shown["metric_id"]
    for metric_id in [*ledgers.values(), *metrics]:
        job = yield from me.ask("datahub_refresh_data", metric_id=metric_id)
        jobs.append(from_iso(job["due_at"]))
    yield from me.wait_until(max(jobs))
    for budget_id, metric_id in ledgers.items():
        work.committed[budget_id] = yield from _fresh(me, metric_id)
    for metric_id in metrics:
        work.weights.append((yield from _fresh(me, metric_id)))


def _fresh(me: Asker, metric_id: str) -> Play[float]:
    reading_ = yield from me.ask("datahub_query_metric", metric_id=metric_id)
    while reading_["is_stale"]:
        job = yield from me.ask("datahub_refresh_data", metric_id=metric_id)
        yield from me.wait_until(from_iso(job["due_at"]))
        reading_ = yield from me.ask("datahub_query_metric", metric_id=metric_id)
    return float(reading_["value"])


def _mails(work: Work) -> Play[Sequence[Shown]]:
    if work.mails is None:
        listed = yield from work.me.ask("datahub_list_messages", about=work.item_id, limit=50)
        work.mails = listed["items"]
    return work.mails


def _settled(work: Work) -> Play[Ending]:
    """Return what the rules prescribe now, and look up no more than that takes."""
    accounts: list[Account] = []
    for budget in work.current:
        account = yield from _account(work, budget)
        accounts.append(account)
    needs = work.needs or Needs(work.wanted, work.wanted, _LATEST)
    purses = [
        Purse(weight, account, account, _LATEST)
        for weight, account in zip(work.weights, accounts, strict=True)
    ]
    simple = settle(work.rules, work.offer, needs, purses)
    if not simple.short:
        return simple
    if work.needs is None:
        work.needs = yield from reading.read_needs(
            work.me, (yield from _mails(work)), work.names, work.wanted
        )
    purses = []
    for number, account in enumerate(accounts):
        purses.append((yield from _purse(work, number, account, is_short=account.budget_id in simple.short)))
    return settle(work.rules, work.offer, work.needs, purses)


def _account(work: Work, budget: Shown) -> Play[Account]:
    """Return what is left of a budget: its limit less the ledger and every order since."""
    listed = yield from work.me.ask(
        "approvalflow_list_purchases", budget_id=budget["id"], status="ordered", limit=100
    )
    ordered = [
        share["amount"]
        for purchase in listed["items"]
        for share in purchase["shares"]
        if share["budget_id"] == budget["id"]
    ]
    left = fsum([budget["limit_amount"], -work.committed[budget["id"]], *(-amount for amount in ordered)])
    return Account(budget["id"], round(left, 2))


def _purse(work: Work, number: int, account: Account, *, is_short: bool) -> Play[Purse]:
    """Return all budgets of a department that may come into question."""
    budgets, reserve = work.listed[number], None
    following = reading.after(budgets, reading.current(budgets, work.me.now))
    later = Account(following["id"], 0.0)
    if NEXT_QUARTER in work.rules.ways:
        shown = yield from work.me.ask("datahub_get_budget", budget_id=following["id"])
        later = Account(following["id"], shown["remaining"])
    centre = work.departments[number]["fields"]["reserve"]
    if is_short and RESERVE in work.rules.ways and centre != "none":
        listed = yield from work.me.ask("datahub_list_budgets", cost_centre=centre)
        kept = reading.current(listed["items"], work.me.now)
        shown = yield from work.me.ask("datahub_get_budget", budget_id=kept["id"])
        reserve = Account(kept["id"], shown["remaining"])
        work.listed[number] = [*budgets, *listed["items"]]
    return Purse(work.weights[number], account, later, following["starts_at"][:10], reserve)


def _requested(work: Work, ending: Ending) -> Play[str | None]:
    """Request what is to be ordered, and return its id once everybody has signed; None if somebody rejected it."""
    me, lot = work.me, ending.lot
    assert lot is not None
    owners = {one["id"]: one["owner"] for budgets in work.listed for one in budgets}
    shares = []
    for budget_id, amount in ending.shares.items():
        signer = yield from _signer(me, owners[budget_id], amount)
        shares.append({"budget_id": budget_id, "amount": amount, "approver": signer})
    also = []
    for role in CO_SIGNERS[: co_signers(work.rules, lot.price)]:
        on_duty = yield from me.ask("datahub_get_approver", role=role)
        also.append(on_duty["on_duty"])
    made = yield from me.ask(
        "approvalflow_request_purchase",
        item=work.item,
        quantity=lot.quantity,
        quote=work.quote,
        shares=shares,
        also=also,
    )
    yield from me.wait_until(me.now + 4 * HOUR)
    while made["status"] == "open":
        made = yield from _own(me, made)
        if made["status"] == "open":
            due = [from_iso(one["due_at"]) for one in made["sign_offs"] if one["due_at"]]
            yield from me.wait_until(min(due, default=me.now + HOUR))
    return str(made["id"]) if made["status"] == "approved" else None


def _own(me: Asker, made: Shown) -> Play[Shown]:
    """Return a purchase as it is now."""
    listed = yield from me.ask(
        "approvalflow_list_purchases", budget_id=made["shares"][0]["budget_id"], limit=100
    )
    found: Shown = next(one for one in listed["items"] if one["id"] == made["id"])
    return found


def _signer(me: Asker, owner: str, amount: float) -> Play[str]:
    """Return who signs for a budget, and wait until somebody can."""
    person = yield from me.ask("datahub_get_person", person_id=owner)
    if not person["is_away"]:
        return owner
    covers = person["delegate"] and "purchase" in person["delegate_types"]
    limit = person["delegate_limit"]
    if covers and (limit is None or amount <= limit):
        return str(person["delegate"])
    yield from me.wait_until(from_iso(person["away_until"]))
    return owner
