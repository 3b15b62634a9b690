"""The writer of a purchase: what people do during the day, the handbook, the offers, and the mails."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Edition, Person, Row, new_name
from companyos.sdk.company.areas.purchasing import PURCHASE, plan_order
from companyos.sdk.documents import Template
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_date

from . import words
from .case import Deal
from .pack import CURRENT, LEAD, TEAM, Department, add_offer
from .terms import AGREED, Rules

#: Whether the owner of one of the budgets is away, and whether the delegate's limit covers the share.
PRESENT, COVERED, RETURNS = "present", "covered", "returns"


@dataclass(frozen=True)
class Writer:
    """Writes about a purchase; everything is drawn under the draws of the task."""

    company: Company
    cast: Cast
    draws: Draws
    deal: Deal
    departments: Sequence[Department]
    item: Row

    def plan_order(self) -> None:
        """Plan a colleague's order on a department's budget during the episode."""
        number, amount = self.deal.planned
        buyers, budget = self._hire_for_each("buyer", "technician"), self.departments[number].budgets[CURRENT]
        in_s = self.draws.integer("planned.in", 45, 80) * MINUTE
        item = self.draws.choice("planned", words.SMALL_ORDERS)
        plan_order(self.company, budget, buyers[number], item, 1, amount, in_s=in_s)

    def choose_stand_ins(self) -> dict[str, str]:
        """Give each head a deputy, make one absent in most cases, and return who signs instead of whom."""
        start, draws = self.company.start, self.draws
        number = draws.integer("away.who", 0, 1)
        mode = draws.choice("away", (PRESENT, COVERED, COVERED, RETURNS))
        heads, deputies = [one.head for one in self.departments], self._hire_for_each("deputy", "deputy_head")
        for one, (head, deputy) in enumerate(zip(heads, deputies, strict=True)):
            limit = self._limit(one, covers=one != number or mode != RETURNS)
            self.company.delegate(head, deputy, (PURCHASE,), limit)
        if mode == RETURNS:
            back_at = start + draws.integer("away.back", 3, 5) * HOUR
            self.company.send_away(heads[number], start - 4 * HOUR, back_at, "site visit")
        if mode != COVERED:
            return {}
        self.company.send_away(heads[number], start - 30 * HOUR, start + 4 * DAY, "leave")
        return {heads[number].id: deputies[number].id}

    def write_handbook(self) -> Row:
        """Write the chapter in force, its previous edition, a draft, and another department's rules."""
        age = self.draws.integer("handbook.age", 30, 150) * DAY
        chapter_in_force = self.company.add_editions(
            "handbook",
            words.POLICY_TITLE,
            words.DEPARTMENT,
            self.cast.offices[LEAD],
            Edition("superseded", _chapter(self._other_rules("before", 300.0)), age + 320 * DAY),
            Edition("in_force", _chapter(self.deal.rules), age),
            Edition("draft", _chapter(self._other_rules("draft", -300.0)), 5 * DAY),
        )
        title, author = "Joint use of rooms", self.cast.offices["operations_lead"]
        self.company.add_document("handbook", title, "Facilities", author, words.ROOMS, age_s=80 * DAY)
        return chapter_in_force

    def write_offers(self) -> Row:
        """Write the offer in force, its cheaper predecessor, and another supplier's withdrawn offer."""
        supplier, other = self.draws.sample("offer.supplier", words.SUPPLIERS, 2)
        age_s, offer = self.draws.integer("offer.age", 2, 9) * DAY, self.deal.offer

        def write_offer(offerer: str, factor: float, until: str, age_s: int, **columns: str) -> Row:
            lots = [{**one, "unit": round(one["unit"] * factor, 2)} for one in offer["lots"]]
            stated, author = {**offer, "lots": lots, "until": until}, self.cast.offices[LEAD]
            return add_offer(self.company, self.item, offerer, stated, author, age_s=age_s, **columns)

        yesterday, in_time = (to_date(self.company.start + days * DAY) for days in (-1, 50))
        before = write_offer(supplier, 0.93, yesterday, age_s + 40 * DAY, status="superseded")
        write_offer(other, 0.88, in_time, age_s + DAY, status="withdrawn")
        return write_offer(supplier, 1.0, offer["until"], age_s, supersedes=before["id"])

    def write_mails(self) -> tuple[Row, list[Row]]:
        """Write the heads' agreement on the split, the departments' needs, and the remarks of others.

        Returns the last mail of the heads, and the last mail about the need of each department.
        """
        needs = [self._write_needs(one, number) for number, one in enumerate(self.departments)]
        agreement, me = self._write_agreement(), self.cast.persona
        outsider = self._hire("outsider", "account_manager", "Sales")
        self._send(outsider, me, "Split of", words.HEARSAY, 5 * HOUR, **self.names)
        pressure, amount = self.draws.choice("pressure", words.PRESSURE), self.deal.rules.signing[0]
        chief = self.cast.offices["chief_of_staff"]
        self._send(chief, me, "Faster:", pressure, 2 * HOUR, amount=amount, **self.names)
        return agreement, needs

    @property
    def names(self) -> dict[str, str]:
        """The names of the departments, as mails state them."""
        return dict(zip(("one", "other"), (one.name for one in self.departments), strict=True))

    def _hire(self, post: str, role: str, team: str) -> Person:
        return self.company.hire(new_name(self.company, post), role, team)

    def _hire_for_each(self, post: str, role: str) -> list[Person]:
        return [self._hire(f"{post}.{number}", role, one.name) for number, one in enumerate(self.departments)]

    def _limit(self, number: int, *, covers: bool) -> float:
        """Return the limit of a delegation, within which a share is or no lot's is."""
        # The smallest lot is about half of the largest, so a quarter of a share covers no lot.
        name, low, high = ("away.limit", 110, 150) if covers else ("away.low", 15, 24)
        percent = self.draws.integer(name, low, high, number)
        return round(self.deal.shares[number] * percent / 5000) * 50.0 + (50.0 if covers else 0.0)

    def _other_rules(self, edition: str, more: float) -> Rules:
        """Return rules with other bases, other limits, and another order of remedies."""
        rules, (first, *others) = self.deal.rules, self.deal.rules.bases.values()
        shift = self.draws.choice("edition.shift", (-1000.0, 1250.0, 2000.0), edition)
        return Rules(
            dict(zip(rules.bases, (*others, first), strict=True)),
            (max(500.0, rules.signing[0] + shift), rules.signing[1] + 2 * abs(shift)),
            (*rules.ways[1:], rules.ways[0]),
            rules.reserve_most + more,
        )

    def _write_needs(self, department: Department, number: int) -> Row:
        """Write a coordinator's mail about a department's need, in most cases corrected later; return the last."""
        draws, side, me = self.draws.about(number), self.deal.sides[number], self.cast.persona
        coordinator = self._hire(f"coordinator.{number}", "coordinator", department.name)
        age_s, text = draws.integer("need.age", 4, 20) * HOUR, draws.choice("need", words.NEED)

        def send(text: Template, age_s: int, least: int, by: str) -> Row:
            need = {"department": department.name, "least": least, "by": by}
            return self._send(coordinator, me, "What we need:", text, age_s, **need)

        if draws.chance("need.corrected", 0.7):
            least = max(2, side.least + draws.choice("need.off", (-5, -4, 4, 6)))
            by = to_date(from_iso(side.by) + draws.choice("need.moved", (-21, 18, 25)) * DAY)
            send(text, age_s + DAY, least, by)
            text = draws.choice("need.correction", words.CORRECTED)
        return send(text, age_s, side.least, side.by)

    def _write_agreement(self) -> Row:
        """Write the heads' negotiation of the split, copied to Purchasing; return their last mail, the agreement."""
        draws, deal = self.draws, self.deal
        first = int(deal.sides[0].weight) if deal.basis == AGREED else draws.integer("agree.last", 36, 64)
        proposals = draws.sample("agree.before", [one for one in range(30, 71) if one != first], 2)
        age_s = draws.integer("agree.age", 26, 50) * HOUR
        mails = zip((*words.AGREEING, words.AGREED), (*proposals, first, first), strict=True)
        for number, (text, percent) in enumerate(mails):
            sender, split = self.departments[number % 2].head, {"first": percent, "second": 100 - percent}
            last = self._send(
                sender, TEAM, "Split of", text, age_s - 3 * HOUR * number, **split, **self.names
            )
        return last

    def _send(
        self, sender: Person, to: Person | str, subject: str, text: Template, age_s: int, **facts: object
    ) -> Row:
        name, about = self.item["name"], self.item["id"]
        body = text.write(item=name, **facts)
        return self.company.add_message(sender, to, f"{subject} {name}", body, age_s=age_s, about=about)


def _chapter(rules: Rules) -> str:
    """Return the text of an edition of the chapter."""
    ways = [{"way": way, "reserve": rules.reserve_most} for way in rules.ways]
    return words.POLICY.write(first=rules.signing[0], second=rules.signing[1], ways=ways, **rules.bases)
