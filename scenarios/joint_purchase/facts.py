"""The facts of an instance: the budgets, what is left of them, and the right order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.purchasing import Stage, order_in_the_past, set_stages
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from . import papers, words
from .case import AT_REFRESH, FIRST, NEITHER, SECOND, Deal, draw_case
from .draft import Draft
from .pack import LEAD, METRICS, Department, Money, add_department, add_item, quarter_of
from .terms import AGREED, CO_SIGNERS, HEAD_COUNT, PLAIN, RESERVE, Ending, co_signers

STAGES: Final = (
    Stage("owners", 2 * HOUR),
    Stage("named", HOUR),
    Stage("role", HOUR, LEAD),
)


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        departments: The two departments, in the order of the brief.
        agreement: The last mail of the heads about the split.
        needs: The last mail about the need of each department.
        ending: What has to be ordered, or that nothing has to be.
        first_ending: What is right to request before a colleague has ordered.
        signers: The person who signs for each budget that pays in either.
        officers: The finance director and the CFO, each with whoever decides in their place while they are away.
        ready_at: When everybody who signs for a budget is present and colleagues have placed their orders.
    """

    me: Person
    reporter: Person
    case: Deal
    departments: Sequence[Department]
    item: Row
    offer: Row
    handbook: Row
    agreement: Row
    needs: Sequence[Row]
    ending: Ending
    first_ending: Ending
    signers: Mapping[str, str]
    officers: Sequence[Sequence[str]]
    ready_at: int

    @property
    def endings(self) -> list[Ending]:
        """The purchases that are right to request, the last one to order."""
        found = [self.first_ending, self.ending]
        is_same = (self.first_ending.lot, self.first_ending.shares) == (self.ending.lot, self.ending.shares)
        return [one for one in found[is_same:] if one.lot is not None]

    @property
    def also(self) -> Sequence[Sequence[str]]:
        """The officers who have to sign what is ordered."""
        return self.officers_for(self.ending)

    @property
    def papers(self) -> list[Row]:
        """The offer, and the mails that decide the split and the remedy."""
        agreed = [self.agreement] if self.case.basis == AGREED else []
        needs = [] if self.ending.kind in (PLAIN, RESERVE) else self.needs
        return [self.offer, *agreed, *needs]

    def officers_for(self, ending: Ending) -> Sequence[Sequence[str]]:
        """Return the officers who have to sign a purchase."""
        return self.officers[: co_signers(self.case.rules, ending.lot.price)] if ending.lot else ()

    @property
    def budgets(self) -> dict[str, Row]:
        """The budgets of both departments, by id."""
        return {row["id"]: row for one in self.departments for row in one.budgets}

    @property
    def ledgers(self) -> list[Row]:
        """The ledgers of this quarter."""
        return [one.ledger for one in self.departments]

    @property
    def bases(self) -> list[Row]:
        """The metrics by which the price is split, if it is split by metrics."""
        return [] if self.case.basis == AGREED else [one.metrics[self.case.basis] for one in self.departments]


def write(company: Company, cast: Cast, seed: int) -> Facts:
    """Write the departments, documents and plans of a seed."""
    goal = company.draws.under("goal.")
    deal = draw_case(goal, seed, company.start, quarter_of(company)[1])
    keeper = company.hire(new_name(company, "keeper"), "division_head", "Operations")
    ordered = _plan_amount(goal, deal)
    draft = Draft(company, cast, goal, deal, *_bought_for(goal, company, deal, keeper, ordered))
    spends_at = draft.plan_order(*ordered)
    set_stages(company, STAGES)
    ids = draft.budget_ids
    ending, first_ending = deal.ending(ids), deal.ending(ids, ordered)
    signing, back_at = draft.choose_signers()
    signing[keeper.id] = keeper.id
    owners = {row["id"]: row["owner"] for one in draft.departments for row in one.budgets}
    offer, handbook = papers.write_offers(draft), papers.write_handbook(draft)
    agreement, needs = papers.write_mails(draft)
    return Facts(
        me=cast.persona,
        reporter=cast.reporter,
        case=deal,
        departments=draft.departments,
        item=draft.item,
        offer=offer,
        handbook=handbook,
        agreement=agreement,
        needs=needs,
        ending=ending,
        first_ending=first_ending,
        signers={one: signing[owners[one]] for one in (*first_ending.shares, *ending.shares)},
        officers=[(cast.offices[role].id,) for role in CO_SIGNERS],
        ready_at=max(spends_at, back_at),
    )


def _bought_for(
    draws: Draws, company: Company, deal: Deal, keeper: Person, ordered: tuple[int, float]
) -> tuple[list[Department], Row]:
    """Write the two departments, the item to buy, and their earlier orders."""
    sites, kinds = draws.sample("site", words.SITES, 2), draws.sample("department", words.DEPARTMENTS, 2)
    spent = [10.0 * draws.integer("past.amount", 40, 160, number) for number in (0, 1)]
    departments = [
        add_department(
            company,
            company.numbers.reserve,
            f"{kinds[number]} {sites[number]}",
            _draw_money(draws, deal, number, spent[number], ordered),
            _draw_counts(draws, deal, number),
            keeper,
        )
        for number in (0, 1)
    ]
    item = add_item(company, company.numbers.reserve, deal.category, "goal")
    for number, department in enumerate(departments):
        past = draws.choice("past.order", words.SMALL_ORDERS, number)
        age = draws.integer("past.age", 5, 25, number) * DAY
        order_in_the_past(company, department.current, department.head, past, 1, spent[number], age_s=age)
    return departments, item


def _plan_amount(draws: Draws, deal: Deal) -> tuple[int, float]:
    """Return the department on whose budget a colleague orders something during the day, and the amount."""
    if deal.shows == AT_REFRESH or deal.cause == NEITHER:
        number = draws.integer("planned.on", 0, 1)
        return number, round(deal.shares[number] * draws.integer("planned.part", 3, 9) / 100, 2)
    number = (FIRST, SECOND).index(deal.cause)
    side = deal.sides[number]
    return number, round(side.ample - side.short, 2)


def _draw_money(draws: Draws, deal: Deal, number: int, spent: float, ordered: tuple[int, float]) -> Money:
    """Return a department's budgets, sized so that the right amounts are left after the colleague's order."""
    side = deal.sides[number]
    limit = round((side.ample + spent) * draws.integer("limit", 19, 31, number) / 1000) * 100.0
    left = side.ample
    if deal.shows == AT_REFRESH:
        left = deal.remaining(number) + (ordered[1] if ordered[0] == number else 0.0)
    believed = side.ample * draws.integer("believed", 104, 140, number) / 100
    shown, refreshed = (round(limit - spent - one, 2) for one in (believed, left))
    return Money(limit, shown, refreshed, side.following, side.reserve)


def _draw_counts(draws: Draws, deal: Deal, number: int) -> dict[str, tuple[float, float]]:
    """Return both metrics of a department, one of which may be the basis of the split."""
    counts: dict[str, tuple[float, float]] = {}
    for basis in METRICS:
        most = 60 if basis == HEAD_COUNT else 480
        fresh = deal.sides[number].weight
        if deal.basis != basis:
            fresh = float(draws.integer("count", most // 4, most, basis, number))
        shift = draws.choice("count.shift", (-0.22, -0.15, 0.16, 0.25), basis, number)
        counts[basis] = (float(round(fresh * (1 + shift))), fresh)
    return counts
