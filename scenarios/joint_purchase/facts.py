"""The facts of an instance: the budgets, what is left of them, and the right order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.purchasing import Stage, order_in_the_past, set_stages
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .case import AT_REFRESH, Deal, draw_case
from .pack import CURRENT, LEAD, METRICS, Department, add_department, add_item, quarter_of
from .terms import AGREED, CO_SIGNERS, PLAIN, RESERVE, Ending
from .writer import Writer

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
        endings: The purchases that are right to request, before and after a colleague has ordered.
        signers: The person who signs for each budget that pays in these.
        officers: The officers of `CO_SIGNERS`, each with whoever decides in their place while they are away.
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
    endings: Sequence[Ending]
    signers: Mapping[str, str]
    officers: Sequence[Sequence[str]]

    @property
    def papers(self) -> list[str]:
        """The ids of the offer, and of the mails that decide the split and the remedy."""
        agreed = [self.agreement] if self.case.basis == AGREED else []
        needs = [] if self.ending.kind in (PLAIN, RESERVE) else self.needs
        return [row["id"] for row in (self.offer, *agreed, *needs)]

    def officers_for(self, ending: Ending) -> Sequence[Sequence[str]]:
        """Return the officers who have to sign a purchase."""
        return self.officers[: len(self.case.rules.co_signers(ending.price))]

    @property
    def budgets(self) -> dict[str, Row]:
        """The budgets of both departments, by id."""
        return {row["id"]: row for one in self.departments for row in one.budgets.values()}

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
    sites, kinds = goal.sample("site", words.SITES, 2), goal.sample("department", words.DEPARTMENTS, 2)
    names = [f"{kind} {site}" for kind, site in zip(kinds, sites, strict=True)]
    departments = [_add_department(company, goal, deal, *named, keeper) for named in enumerate(names)]
    item = add_item(company, company.numbers.reserve, deal.category, "goal")
    writer = Writer(company, cast, goal, deal, departments, item)
    writer.plan_order()
    set_stages(company, STAGES)
    stand_ins = writer.choose_stand_ins()
    offer, handbook = writer.write_offers(), writer.write_handbook()
    agreement, needs = writer.write_mails()
    first, last = (_with_ids(deal.ending(is_early=early), departments) for early in (True, False))
    is_same = (first.quantity, first.shares) == (last.quantity, last.shares)
    endings = [one for one in (first, last)[is_same:] if one.quantity]
    owners = {row["id"]: row["owner"] for one in departments for row in one.budgets.values()}
    paying = {one: owners[one] for ending in endings for one in ending.shares}
    return Facts(
        me=cast.persona,
        reporter=cast.reporter,
        case=deal,
        departments=departments,
        item=item,
        offer=offer,
        handbook=handbook,
        agreement=agreement,
        needs=needs,
        ending=last,
        endings=endings,
        signers={budget_id: stand_ins.get(owner, owner) for budget_id, owner in paying.items()},
        officers=[(cast.offices[role].id,) for role in CO_SIGNERS],
    )


def _with_ids(ending: Ending, departments: Sequence[Department]) -> Ending:
    """Return an ending of named budgets with their ids."""
    ids = {
        f"{name}{number}": row["id"]
        for number, department in enumerate(departments)
        for name, row in department.budgets.items()
    }
    shares = {ids[name]: amount for name, amount in ending.shares.items()}
    return replace(ending, shares=shares, short=tuple(ids[name] for name in ending.short))


def _add_department(
    company: Company, draws: Draws, deal: Deal, number: int, name: str, keeper: Person
) -> Department:
    """Write one of the departments, so that the right amounts are left after the colleague's order, and a past one."""
    side, spent = deal.sides[number], 10.0 * draws.integer("past.amount", 40, 160, number)
    limit = round((side.ample + spent) * draws.integer("limit", 19, 31, number) / 1000) * 100.0
    left = deal.remaining(number, is_early=True) if deal.shows == AT_REFRESH else side.ample
    believed = side.ample * draws.integer("believed", 104, 140, number) / 100
    department = add_department(
        company,
        company.numbers.reserve,
        name,
        keeper,
        _draw_counts(draws, deal, number),
        limit=limit,
        ledger=(round(limit - spent - believed, 2), round(limit - spent - left, 2)),
        following=side.following,
        reserve=side.reserve,
    )
    past = draws.choice("past.order", words.SMALL_ORDERS, number)
    age_s, budget = draws.integer("past.age", 5, 25, number) * DAY, department.budgets[CURRENT]
    order_in_the_past(company, budget, department.head, past, 1, spent, age_s=age_s)
    return department


def _draw_counts(draws: Draws, deal: Deal, number: int) -> dict[str, tuple[float, float]]:
    """Return both metrics of a department, one of which may be the basis of the split."""
    counts: dict[str, tuple[float, float]] = {}
    for basis, metric in METRICS.items():
        fresh = deal.sides[number].weight
        if deal.basis != basis:
            fresh = float(draws.integer("count", metric.most // 4, metric.most, basis, number))
        shift = draws.choice("count.shift", (-0.22, -0.15, 0.16, 0.25), basis, number)
        counts[basis] = (float(round(fresh * (1 + shift))), fresh)
    return counts
