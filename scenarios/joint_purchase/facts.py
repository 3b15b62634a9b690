"""The facts of an instance: the budgets, what is left of them, and the right order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.purchasing import PURCHASE, Stage, order_in_the_past, plan_order, set_stages
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import papers, words
from .case import AT_REFRESH, FIRST, NEITHER, SECOND, Deal, draw_case
from .pack import LEAD, METRICS, Department, Money, add_department, add_item, quarter_of
from .terms import AGREED, CO_SIGNERS, HEAD_COUNT, PLAIN, RESERVE, Ending, co_signers, split

#: Whether the owner of one of the budgets is away, and whether the delegate's limit covers the share.
PRESENT, COVERED, RETURNS = "present", "covered", "returns"
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
    case = draw_case(goal, seed, company.start, quarter_of(company)[1])
    keeper = company.hire(new_name(company, "keeper"), "division_head", "Operations")
    ordered = _planned(goal, case)
    departments, item = _bought_for(goal, company, case, keeper, ordered)
    spends_at = _plan_order(goal, company, departments, ordered)
    set_stages(company, STAGES)
    ids = _ids(departments)
    ending, first_ending = case.ending(ids), case.ending(ids, ordered)
    paying = dict.fromkeys([*first_ending.shares, *ending.shares])
    signers, back_at = _signers(goal, company, case, departments, keeper, list(paying))
    offer = papers.write_offers(goal, company, cast, case, item)
    handbook = papers.write_handbook(goal, company, cast, case)
    agreement, needs = papers.write_mails(goal, company, cast, case, item, departments)
    return Facts(
        me=cast.persona,
        reporter=cast.reporter,
        case=case,
        departments=departments,
        item=item,
        offer=offer,
        handbook=handbook,
        agreement=agreement,
        needs=needs,
        ending=ending,
        first_ending=first_ending,
        signers=signers,
        officers=[(cast.offices[role].id,) for role in CO_SIGNERS],
        ready_at=max(spends_at, back_at),
    )


def _bought_for(
    draws: Draws, company: Company, case: Deal, keeper: Person, ordered: tuple[int, float]
) -> tuple[list[Department], Row]:
    """Write the two departments, the item to buy, and their earlier orders."""
    spent = [10.0 * draws.integer("past.amount", 40, 160, number) for number in (0, 1)]
    names, quarter = _names(draws), quarter_of(company)
    departments = [
        add_department(
            company,
            company.numbers.reserve,
            names[number],
            _money(draws, case, number, spent[number], ordered),
            _counts(draws, case, number),
            keeper,
            quarter,
        )
        for number in (0, 1)
    ]
    item = add_item(company, company.numbers.reserve, case.category, "goal")
    for number, department in enumerate(departments):
        past = draws.choice("past.order", words.SMALL_ORDERS, number)
        age = draws.integer("past.age", 5, 25, number) * DAY
        order_in_the_past(company, department.current, department.head, past, 1, spent[number], age_s=age)
    return departments, item


def _names(draws: Draws) -> list[str]:
    sites = draws.sample("site", words.SITES, 2)
    kinds = draws.sample("department", words.DEPARTMENTS, 2)
    return [f"{kind} {site}" for kind, site in zip(kinds, sites, strict=True)]


def _planned(draws: Draws, case: Deal) -> tuple[int, float]:
    """Return the department on whose budget a colleague orders something during the day, and the amount."""
    if case.shows == AT_REFRESH or case.cause == NEITHER:
        number = draws.integer("planned.on", 0, 1)
        share = split(case.lot.price, [side.weight for side in case.sides])[number]
        return number, round(share * draws.integer("planned.part", 3, 9) / 100, 2)
    number = (FIRST, SECOND).index(case.cause)
    side = case.sides[number]
    return number, round(side.ample - side.short, 2)


def _money(draws: Draws, case: Deal, number: int, spent: float, ordered: tuple[int, float]) -> Money:
    """Return a department's budgets, sized so that the right amounts are left after the colleague's order."""
    side = case.sides[number]
    limit = round((side.ample + spent) * draws.integer("limit", 19, 31, number) / 1000) * 100.0
    if case.shows == AT_REFRESH:
        left = case.remaining(number) + (ordered[1] if ordered[0] == number else 0.0)
    else:
        left = side.ample
    believed = side.ample * draws.integer("believed", 104, 140, number) / 100
    return Money(
        limit,
        round(limit - spent - believed, 2),
        round(limit - spent - left, 2),
        side.following,
        side.reserve,
    )


def _counts(draws: Draws, case: Deal, number: int) -> dict[str, tuple[float, float]]:
    """Return both metrics of a department, one of which may be the basis of the split."""
    counts: dict[str, tuple[float, float]] = {}
    for basis in METRICS:
        most = 60 if basis == HEAD_COUNT else 480
        fresh = case.sides[number].weight
        if case.basis != basis:
            fresh = float(draws.integer("count", most // 4, most, basis, number))
        shift = draws.choice("count.shift", (-0.22, -0.15, 0.16, 0.25), basis, number)
        counts[basis] = (float(round(fresh * (1 + shift))), fresh)
    return counts


def _plan_order(
    draws: Draws, company: Company, departments: Sequence[Department], ordered: tuple[int, float]
) -> int:
    """Plan a colleague's order during the episode, and return its time."""
    buyers = [
        company.hire(new_name(company, f"buyer.{number}"), "technician", department.name)
        for number, department in enumerate(departments)
    ]
    number, amount = ordered
    purpose = draws.choice("planned", words.SMALL_ORDERS)
    in_s = draws.integer("planned.in", 45, 80) * MINUTE
    plan_order(company, departments[number].current, buyers[number], purpose, 1, amount, in_s=in_s)
    return company.start + in_s


def _ids(departments: Sequence[Department]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for number, one in enumerate(departments):
        ids |= {f"current{number}": one.current["id"], f"following{number}": one.following["id"]}
        if one.reserve is not None:
            ids[f"reserve{number}"] = one.reserve["id"]
    return ids


def _signers(
    draws: Draws,
    company: Company,
    case: Deal,
    departments: Sequence[Department],
    keeper: Person,
    paying: Sequence[str],
) -> tuple[dict[str, str], int]:
    """Make an owner absent in most cases; return the signers by budget, and when all are available."""
    number = draws.integer("away.who", 0, 1)
    mode = draws.choice("away", (PRESENT, COVERED, COVERED, RETURNS))
    owner, share = (
        departments[number].head,
        split(case.lot.price, [side.weight for side in case.sides])[number],
    )
    deputies = [
        company.hire(new_name(company, f"deputy.{one}"), "deputy_head", department.name)
        for one, department in enumerate(departments)
    ]
    # The smallest lot is about half of the largest, so a quarter of a share covers no lot.
    limits = [_limit(draws, case, one, covers=one != number or mode != RETURNS) for one in (0, 1)]
    for department, deputy, limit in zip(departments, deputies, limits, strict=True):
        company.delegate(department.head, deputy, (PURCHASE,), limit)
    back_at = company.start
    if mode == COVERED:
        company.send_away(owner, company.start - 30 * HOUR, company.start + 4 * DAY, "leave")
    elif mode == RETURNS:
        back_at = company.start + draws.integer("away.back", 3, 5) * HOUR
        company.send_away(owner, company.start - 4 * HOUR, back_at, "site visit")
    signing = {department.head.id: department.head.id for department in departments} | {keeper.id: keeper.id}
    if mode == COVERED:
        signing[owner.id] = deputies[number].id
    assert mode != COVERED or limits[number] >= share
    owners = {row["id"]: row["owner"] for department in departments for row in department.budgets}
    return {budget: signing[owners[budget]] for budget in paying}, back_at


def _limit(draws: Draws, case: Deal, number: int, *, covers: bool) -> float:
    share = split(case.lot.price, [side.weight for side in case.sides])[number]
    percent = (
        draws.integer("away.limit", 110, 150, number) if covers else draws.integer("away.low", 15, 24, number)
    )
    return round(share * percent / 5000) * 50.0 + (50.0 if covers else 0.0)
