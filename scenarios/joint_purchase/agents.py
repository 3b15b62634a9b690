"""The buyer: a script that shares a purchase as the handbook says, and checks again before it orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, Final

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, current_budget
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

from . import reading
from .pack import DEPARTMENT, METRICS
from .terms import (
    AGREED,
    CO_SIGNERS,
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
NO_BUDGET: Final = "no_budget"


@dataclass
class Work:
    """What a buyer has found out.

    Attributes:
        departments: The records of both departments.
        listed: The budgets of each department, as listed.
        committed: The refreshed ledger of each budget of this quarter.
        ordered: The orders on each of these budgets that are not in the ledger.
        ledgers: The metric of each ledger.
        accounts: The rest of next quarter's budgets, by budget, and of reserves, by cost centre.
        owners: The owners of the reserves.
        present: Owners who are present, and the people who decide for roles.
        weights: The weights by which the price is split.
        needs: What both departments need; None until it is looked up.
    """

    me: Skills
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
    ordered: dict[str, float] = field(default_factory=dict)
    ledgers: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    weights: list[float] = field(default_factory=list)
    needs: Needs | None = None

    @property
    def current(self) -> list[Shown]:
        """The budgets of this quarter."""
        return [current_budget(budgets, self.me.now) for budgets in self.listed]


def oracle(observation: Observation) -> Script:
    """Do as the handbook says, and check the budgets again before ordering."""
    work = yield from _known(Skills(observation))
    ending = yield from _settled(work)
    while ending.kind != DECLINED:
        made = yield from _requested(work, ending)
        if made["status"] == "approved":
            again = yield from _settled(work)
            if (again.shares, again.lot) == (ending.shares, ending.lot):
                yield from _ordered(work, made)
                return
            reason = "A budget is short by now."
            yield from work.me.ask("approvalflow_withdraw_purchase", purchase_id=made["id"], reason=reason)
            ending = again
    yield from work.me.ask("refuse", reason_code=NO_BUDGET, evidence=list(ending.short))


def _asked_for(me: Skills) -> tuple[str, str, int, list[str]]:
    """Return the item, its id, the quantity, and the names of the departments from the brief."""
    item, item_id = me.from_brief(r"want the ([\w -]+?) \("), me.from_brief(r"\((IT-\d+)\)")
    names = [me.from_brief(pattern) for pattern in (r": ([\w ]+?) and ", r" and ([\w ]+?) both want")]
    return item, item_id, int(me.from_brief(r"(\d+) of them")), names


def _known(me: Skills) -> Play[Work]:
    """Read the rules, the offer and the departments, and refresh everything that has to be fresh."""
    item, item_id, wanted, names = _asked_for(me)
    rules = yield from reading.read_rules(me)
    record = yield from me.ask("datahub_get_record", record_id=item_id)
    quote, offer = yield from reading.read_offer(me, item_id)
    work = Work(me, item, item_id, wanted, names, rules, quote, offer)
    for name in names:
        department = yield from me.record(DEPARTMENT, name)
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


def _metrics(work: Work, basis: str) -> Play[list[str]]:
    """Return the ids of the metrics of both departments by which the price is split."""
    ids, (wanted, _) = [], METRICS[basis]
    for department in work.departments:
        listed = yield from work.me.ask("datahub_list_metrics", name=wanted, subject=department["id"])
        ids.append(listed["items"][0]["id"])
    return ids


def _take_anew(work: Work, metrics: Sequence[str]) -> Play[None]:
    """Refresh and read the ledgers of this quarter and these metrics."""
    me = work.me
    budgets = [budget["id"] for budget in work.current]
    for budget_id in budgets:
        shown = yield from me.ask("datahub_get_budget", budget_id=budget_id)
        work.ledgers[budget_id] = shown["metric_id"]
    yield from me.refresh([*work.ledgers.values(), *metrics])
    for budget_id in budgets:
        shown = yield from me.fresh_budget(budget_id)
        work.committed[budget_id], work.ordered[budget_id] = shown["committed"], shown["reserved"]
    for metric_id in metrics:
        reading_ = yield from me.fresh(metric_id)
        work.weights.append(float(reading_["value"]))


def _mails(work: Work) -> Play[Sequence[Shown]]:
    if work.mails is None:
        listed = yield from work.me.ask("datahub_list_messages", about=work.item_id, limit=50)
        work.mails = listed["items"]
    return work.mails


def _settled(work: Work) -> Play[Ending]:
    """Return the ending that the rules prescribe now, looking up only what is necessary."""
    ending = settle(replace(work.rules, ways=()), work.offer, _nothing(work), _purses(work))
    for count, way in enumerate(work.rules.ways, start=1):
        if ending.kind != DECLINED:
            break
        yield from _look_up(work, way, ending.short)
        rules = replace(work.rules, ways=work.rules.ways[:count])
        ending = settle(rules, work.offer, work.needs or _nothing(work), _purses(work))
    return ending


def _nothing(work: Work) -> Needs:
    """Return the needs assumed before reading the mails: the full quantity, now."""
    return Needs(work.wanted, work.wanted, "")


def _purses(work: Work) -> list[Purse]:
    """Return the known budgets of both departments."""
    purses = []
    for number, budget in enumerate(work.current):
        left = fsum([budget["limit_amount"], -work.committed[budget["id"]], -work.ordered[budget["id"]]])
        following = reading.after(work.listed[number], budget)
        later = work.accounts.get(following["id"], Account(following["id"], 0.0))
        reserve = work.accounts.get(work.departments[number]["fields"]["reserve"])
        account = Account(budget["id"], round(left, 2))
        purses.append(Purse(work.weights[number], account, later, following["starts_at"][:10], reserve))
    return purses


def _look_up(work: Work, way: str, short: Sequence[str]) -> Play[None]:
    """Look up what one remedy for a short budget requires, unless it is known."""
    if way != RESERVE and work.needs is None:
        mails = yield from _mails(work)
        work.needs = yield from reading.read_needs(work.me, mails, work.names, work.wanted)
    for number, budget in enumerate(work.current):
        following = reading.after(work.listed[number], budget)["id"]
        if way == NEXT_QUARTER and following not in work.accounts:
            shown = yield from work.me.ask("datahub_get_budget", budget_id=following)
            work.accounts[following] = Account(following, shown["remaining"])
        centre = work.departments[number]["fields"]["reserve"]
        if way == RESERVE and budget["id"] in short and centre not in ("none", *work.accounts):
            listed = yield from work.me.ask("datahub_list_budgets", cost_centre=centre)
            kept = current_budget(listed["items"], work.me.now)
            shown = yield from work.me.ask("datahub_get_budget", budget_id=kept["id"])
            work.accounts[centre] = Account(kept["id"], shown["remaining"])
            work.owners[kept["id"]] = kept["owner"]


def _requested(work: Work, ending: Ending) -> Play[Shown]:
    """Request the purchase, wait until everybody has signed or somebody rejects it, and return it."""
    me, lot = work.me, ending.lot
    assert lot is not None
    owners = work.owners | {one["id"]: one["owner"] for budgets in work.listed for one in budgets}
    shares = []
    for budget_id, amount in ending.shares.items():
        signer = yield from _signer(work, owners[budget_id], amount)
        shares.append({"budget_id": budget_id, "amount": amount, "approver": signer})
    roles = CO_SIGNERS[: co_signers(work.rules, lot.price)]
    for role in roles:
        if role not in work.present:
            work.present[role] = yield from me.signer(role)
    also = [work.present[role] for role in roles]
    made = yield from me.ask(
        "approvalflow_request_purchase",
        item=work.item,
        quantity=lot.quantity,
        quote=work.quote,
        shares=shares,
        also=also,
    )
    yield from me.wait_until(me.now + (4 if also else 3) * HOUR + 2 * MINUTE)
    return (yield from _signed(work, made))


def _signed(work: Work, made: Shown) -> Play[Shown]:
    """Poll a purchase until it is no longer open, and record the orders on this quarter's budgets.

    If two lists show different versions, they were not read at one time, so they are read again.
    """
    while True:
        shown = []
        for budget in work.current:
            listed = yield from work.me.ask("approvalflow_list_purchases", budget_id=budget["id"], limit=100)
            shown += [one for one in listed["items"] if one["id"] == made["id"]]
            work.ordered[budget["id"]] = _ordered_on(budget["id"], listed["items"])
        made = shown[-1] if shown else (yield from _own(work.me, made))
        if made["status"] != "open" and len({one["version"] for one in shown}) <= 1:
            return made
        due = [from_iso(one["due_at"]) for one in made["sign_offs"] if one["due_at"]]
        yield from work.me.wait_until(min(due, default=work.me.now))


def _ordered_on(budget_id: str, purchases: Sequence[Shown]) -> float:
    shares = [share for one in purchases if one["status"] == "ordered" for share in one["shares"]]
    return round(fsum(share["amount"] for share in shares if share["budget_id"] == budget_id), 2)


def _own(me: Skills, made: Shown) -> Play[Shown]:
    """Return the current state of a purchase."""
    listed = yield from me.ask(
        "approvalflow_list_purchases", budget_id=made["shares"][0]["budget_id"], limit=100
    )
    found: Shown = next(one for one in listed["items"] if one["id"] == made["id"])
    return found


def _ordered(work: Work, made: Shown) -> Play[None]:
    yield from work.me.ask("approvalflow_place_order", purchase_id=made["id"])
    yield from work.me.finish("It is ordered.")


def _signer(work: Work, owner: str, amount: float) -> Play[str]:
    """Return the person who signs for a budget, waiting until somebody can."""
    if owner in work.present:
        return owner
    me = work.me
    person = yield from me.ask("datahub_get_person", person_id=owner)
    covers = person["delegate"] and "purchase" in person["delegate_types"]
    limit = person["delegate_limit"]
    if person["is_away"] and covers and (limit is None or amount <= limit):
        return str(person["delegate"])
    if person["is_away"]:
        yield from me.wait_until(from_iso(person["away_until"]))
    work.present[owner] = owner
    return owner
