"""The buyer: a script that shares a purchase as the handbook says, and checks again before it orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final

from companyos.sdk.documents import read_any
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, current_budget
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

from . import words
from .pack import DEPARTMENT, METRICS
from .terms import AGREED, NEXT_QUARTER, RESERVE, Account, Demand, Ending, Purse, Rules, settle

Shown = Mapping[str, Any]
NO_BUDGET: Final = "no_budget"


@dataclass
class Books:
    """What a buyer knows of a department and its budgets.

    Attributes:
        record: Its record.
        current: This quarter's budget, as shown last.
        following: The next quarter's budget, as listed.
        weight: The weight of its share of the price.
        ordered: The orders on this quarter's budget that are not in the refreshed ledger.
        later: What is left of the next quarter's budget; None until it is looked up.
        reserve: What is left of the reserve; None until it is looked up, or if there is none.
    """

    record: Shown
    current: Shown
    following: Shown
    weight: float = 0.0
    ordered: float = 0.0
    later: Account | None = None
    reserve: Account | None = None

    @property
    def purse(self) -> Purse:
        """Its known budgets."""
        left = fsum([self.current["limit_amount"], -self.current["committed"], -self.ordered])
        current, later = Account(self.current["id"], round(left, 2)), Account(self.following["id"], 0.0)
        return Purse(self.weight, current, self.later or later, self.reserve)


class Buyer(Skills):
    """The work on one purchase.

    Attributes:
        quote: The id of the offer.
        until: The last day of the offer, as a date.
        demand: What the departments want; until their mails are read, the full quantity, now.
        departments: Both departments, in the order of the brief.
        mails: The headers of the mails about the item; None until they are looked up.
        owners: The owners of budgets.
        present: Owners who are present, and the people who decide for roles.
    """

    rules: Rules
    quote: str
    until: str
    demand: Demand

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self.item, self.item_id = self.from_brief(r"want the ([\w -]+?) \("), self.from_brief(r"\((IT-\d+)\)")
        self.names = [self.from_brief(one) for one in (r": ([\w ]+?) and ", r" and ([\w ]+?) both want")]
        self.departments: list[Books] = []
        self.mails: list[Shown] | None = None
        self.owners: dict[str, str] = {}
        self.present: dict[str, str] = {}

    def work(self) -> Script:
        """Do as the handbook says, and check the budgets again before ordering."""
        yield from self._find_out()
        ending = yield from self._settle()
        while ending.quantity:
            made = yield from self._request(ending)
            if made["status"] != "approved":
                continue
            again = yield from self._settle()
            if (again.shares, again.quantity) == (ending.shares, ending.quantity):
                yield from self.ask("approvalflow_place_order", purchase_id=made["id"])
                yield from self.finish("It is ordered.")
                return
            reason = "A budget is short by now."
            yield from self.ask("approvalflow_withdraw_purchase", purchase_id=made["id"], reason=reason)
            ending = again
        yield from self.ask("refuse", reason_code=NO_BUDGET, evidence=list(ending.short))

    def _find_out(self) -> Play[None]:
        """Read the rules, the offer and the departments, and refresh everything that has to be fresh."""
        where = {"department": words.DEPARTMENT}
        chapter = yield from self.document_text("joint purchases budget share", where=where, kind="handbook")
        self.rules = read_rules(chapter)
        item = yield from self.ask("datahub_get_record", record_id=self.item_id)
        yield from self._read_offer()
        for name in self.names:
            record = yield from self.record(DEPARTMENT, name)
            budgets = yield from self._list_budgets(record["fields"]["cost_centre"])
            current = current_budget(budgets, self.now)
            following = next(one for one in budgets if one["starts_at"] == current["ends_at"])
            self.departments.append(Books(record, current, following))
        basis = self.rules.bases[item["fields"]["category"]]
        if basis == AGREED:
            yield from self._take_anew([])
            yield from self._read_split()
            return
        metrics = yield from self._list_metrics(METRICS[basis].name)
        yield from self._take_anew(metrics)
        for one, metric_id in zip(self.departments, metrics, strict=True):
            reading = yield from self.fresh(metric_id)
            one.weight = float(reading["value"])

    def _list_budgets(self, cost_centre: str) -> Play[list[Shown]]:
        """List the budgets of a cost centre, and note who owns them."""
        budgets = yield from self.pages("datahub_list_budgets", cost_centre=cost_centre)
        self.owners |= {one["id"]: one["owner"] for one in budgets}
        return budgets

    def _list_metrics(self, name: str) -> Play[list[str]]:
        """Return the ids of this metric of both departments."""
        ids = []
        for one in self.departments:
            listed = yield from self.ask("datahub_list_metrics", name=name, subject=one.record["id"])
            ids.append(listed["items"][0]["id"])
        return ids

    def _take_anew(self, metrics: Sequence[str]) -> Play[None]:
        """Refresh the ledgers of this quarter and these metrics, and read the budgets."""
        ledgers = []
        for one in self.departments:
            one.current = yield from self.ask("datahub_get_budget", budget_id=one.current["id"])
            ledgers.append(one.current["metric_id"])
        yield from self.refresh([*ledgers, *metrics])
        for one in self.departments:
            one.current = yield from self.fresh_budget(one.current["id"])
            one.ordered = one.current["reserved"]

    def _read_offer(self) -> Play[None]:
        """Read the offer in force."""
        filters = {"kind": "offer", "status": "in_force"}
        found = yield from self.ask("datahub_search_documents", q=self.item_id, **filters)
        for one in found["items"]:
            offer = yield from self.ask("datahub_get_document", document_id=one["id"])
            if self.item_id in offer["links"]:
                fields, wanted = words.OFFER.read(offer["body"]), int(self.from_brief(r"(\d+) of them"))
                self.quote, self.until = offer["id"], fields["until"]
                self.demand = Demand(words.prices_in(fields), wanted, wanted, "")
                return
        raise LookupError(f"there is no offer for {self.item_id}")

    def _mails(self) -> Play[list[Shown]]:
        if self.mails is None:
            self.mails = yield from self.pages("datahub_list_messages", about=self.item_id, limit=50)
        return self.mails

    def _read_split(self) -> Play[None]:
        """Read the percentages on which the heads have agreed last."""
        heads = [one.record["fields"]["head"] for one in self.departments]
        mails = yield from self._mails()
        agreed = yield from self.statement(
            [one for one in mails if one["sender"] in heads],
            *words.AGREEING,
            words.AGREED,
            is_meant=lambda split: {split["one"], split["other"]} == {*self.names},
        )
        if agreed is None:
            raise LookupError("the heads have agreed on nothing")
        split = agreed.fields
        percents = {split["one"]: split["first"], split["other"]: split["second"]}
        for one in self.departments:
            one.weight = float(percents[one.record["name"]])

    def _read_needs(self) -> Play[None]:
        """Read the latest needs that both departments state."""
        needs: dict[str, tuple[int, str]] = {}
        mails = yield from self._mails()
        for one in mails:
            if one["subject"].startswith("What we need") and len(needs) < len(self.names):
                body = yield from self.text_of(one["id"])
                fields = read_any((*words.NEED, *words.CORRECTED), body)
                if fields and fields["department"] in self.names:
                    needs.setdefault(fields["department"], (fields["least"], fields["by"]))
        if len(needs) < len(self.names):
            raise LookupError("a department has not said what it needs")
        least, days = sum(least for least, _ in needs.values()), (by for _, by in needs.values())
        self.demand = replace(self.demand, least=least, latest=min(self.until, *days))

    def _settle(self) -> Play[Ending]:
        """Return the ending that the rules prescribe now, looking up only what is necessary."""
        ending = self._ending()
        for count, way in enumerate(self.rules.ways, start=1):
            if not ending.quantity:
                yield from self._look_up(way, ending.short)
                ending = self._ending(*self.rules.ways[:count])
        return ending

    def _ending(self, *ways: str) -> Ending:
        """Return the ending that the rules prescribe with these remedies, by what is known."""
        purses, first_day = (
            [one.purse for one in self.departments],
            self.departments[0].following["starts_at"],
        )
        return settle(replace(self.rules, ways=ways), self.demand, purses, first_day[:10])

    def _look_up(self, way: str, short: Sequence[str]) -> Play[None]:
        """Look up what one remedy for short budgets requires, unless it is known."""
        if way != RESERVE and not self.demand.latest:
            yield from self._read_needs()
        for one in self.departments:
            if way == NEXT_QUARTER and one.later is None:
                one.later = yield from self._account(one.following["id"])
            centre, is_short = one.record["fields"]["reserve"], one.current["id"] in short
            if way == RESERVE and is_short and centre != "none" and one.reserve is None:
                kept = current_budget((yield from self._list_budgets(centre)), self.now)
                one.reserve = yield from self._account(kept["id"])

    def _account(self, budget_id: str) -> Play[Account]:
        shown = yield from self.ask("datahub_get_budget", budget_id=budget_id)
        return Account(budget_id, shown["remaining"])

    def _request(self, ending: Ending) -> Play[Shown]:
        """Request the purchase, wait until everybody has signed or somebody rejects it, and return it."""
        shares, also = [], []
        for budget_id, amount in ending.shares.items():
            signer = yield from self._owner_or_delegate(self.owners[budget_id], amount)
            shares.append({"budget_id": budget_id, "amount": amount, "approver": signer})
        for role in self.rules.co_signers(ending.price):
            if role not in self.present:
                self.present[role] = yield from self.signer(role)
            also.append(self.present[role])
        made = yield from self.ask(
            "approvalflow_request_purchase",
            item=self.item,
            quantity=ending.quantity,
            quote=self.quote,
            shares=shares,
            also=also,
        )
        yield from self.wait_until(self.now + (4 if also else 3) * HOUR + 2 * MINUTE)
        return (yield from self._signed(made))

    def _owner_or_delegate(self, owner: str, amount: float) -> Play[str]:
        """Return the person who signs for a budget, waiting until somebody can."""
        if owner not in self.present:
            person = yield from self.ask("datahub_get_person", person_id=owner)
            covers = person["delegate"] and "purchase" in person["delegate_types"]
            limit = person["delegate_limit"]
            if person["is_away"] and covers and (limit is None or amount <= limit):
                return str(person["delegate"])
            if person["is_away"]:
                yield from self.wait_until(from_iso(person["away_until"]))
            self.present[owner] = owner
        return owner

    def _signed(self, made: Shown) -> Play[Shown]:
        """Poll a purchase until it is no longer open, and record the orders on this quarter's budgets.

        If two lists show different versions, they were not read at one time, so they are read again.
        """
        tool = "approvalflow_list_purchases"
        while True:
            shown: list[Shown] = []
            for one in self.departments:
                purchases = yield from self.pages(tool, budget_id=one.current["id"], limit=100)
                shown += [purchase for purchase in purchases if purchase["id"] == made["id"]]
                one.ordered = _ordered_on(one.current["id"], purchases)
            if not shown:
                purchases = yield from self.pages(tool, budget_id=made["shares"][0]["budget_id"], limit=100)
                shown = [purchase for purchase in purchases if purchase["id"] == made["id"]]
            made = shown[-1]
            if made["status"] != "open" and len({one["version"] for one in shown}) == 1:
                return made
            due = [from_iso(one["due_at"]) for one in made["sign_offs"] if one["due_at"]]
            yield from self.wait_until(min(due, default=self.now))


def read_rules(body: str) -> Rules:
    """Return what an edition of the chapter says."""
    fields = words.POLICY.read(body)
    return Rules(
        bases={category: fields[category] for category in words.CATEGORIES},
        signing=(fields["first"], fields["second"]),
        ways=tuple(one["way"] for one in fields["ways"]),
        reserve_most=next(one["reserve"] for one in fields["ways"] if "reserve" in one),
    )


def _ordered_on(budget_id: str, purchases: Sequence[Shown]) -> float:
    shares = [share for one in purchases if one["status"] == "ordered" for share in one["shares"]]
    return round(fsum(share["amount"] for share in shares if share["budget_id"] == budget_id), 2)
