"""The suspects: two feeds with a control total and one with a dataset, and the notices about them."""

from collections.abc import Mapping
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Person, Row
from companyos.sdk.draws import Draws
from scenarios.packs.analytics import (
    Area,
    Days,
    Feed,
    add_calendar,
    add_count_notice,
    add_ledger_notice,
    draw_days,
    names,
)

from .checks import Check, Count, draw_checks, draw_closing, draw_count
from .estate import FIRST, SECOND, THIRD, Differences, Plan, Tolerance


@dataclass(frozen=True)
class Findings:
    """What the checks of the suspects show.

    Attributes:
        checks: Those of the suspects with a control total, by suspect.
        count: That of the suspect with a dataset.
        state: The state of the rows that its notice names.
    """

    checks: Mapping[str, Check]
    count: Count
    state: str


def draw_findings(
    draws: Draws, differences: Differences, tolerance: Tolerance, plan: Plan, cause: str, *, third: bool
) -> Findings:
    """Draw what the checks show if the feeds of this cause have failed, and perhaps the third."""
    counted = draw_count(draws, differences, tolerance, failed=third)
    checks = draw_checks(draws, differences, tolerance, plan, counted, third=third)
    return Findings(checks[cause], counted, draws.choice("count.state", names.STATES[1:]))


def add_suspects(draws: Draws, area: Area, differences: Differences, findings: Findings) -> dict[str, Feed]:
    """Add the suspects in a drawn order; the first two look the same whether they have failed or not."""
    suspects: dict[str, Feed] = {}
    for name in draws.shuffled("suspects", (FIRST, SECOND, THIRD)):
        if name == THIRD:
            suspects[name] = _with_dataset(area, findings)
        else:
            feed, check = area.feed(repeats=True), findings.checks[name]
            suspects[name] = area.with_control(
                feed,
                shown_off=differences.misleading(name),
                truly_off=check.truly_off,
                item=_amount(feed, check) if check.item.applies else 0.0,
            )
    return suspects


def write_notices(
    draws: Draws, company: Company, cast: Cast, area: Area, suspects: Mapping[str, Feed], findings: Findings
) -> list[Row]:
    """Write a notice about each suspect, and the calendar that dates the end of one; return those in force."""
    author, closing = cast.offices["chief_data_officer"], draw_closing(draws)
    papers: list[Row] = []
    for name, check in findings.checks.items():
        days = draw_days(draws, name, applies=check.item.applies, to_close=name == closing)
        amount = _amount(suspects[name], check)
        papers.append(_write_ledger_notice(draws, company, author, suspects[name], days, amount))
        if days.to_close:
            moved = draws.integer("close.moved", 4, 12)
            before = -moved if check.item.applies else moved
            papers.append(add_calendar(company, author, area.name, days.last, before))
    days = draw_days(draws, THIRD, applies=findings.count.applies)
    return [*papers, add_count_notice(company, author, suspects[THIRD], days, findings.state)]


def _write_ledger_notice(
    draws: Draws, company: Company, author: Person, feed: Feed, days: Days, amount: float
) -> Row:
    """Write a notice, and at times the edition before it, with another amount."""
    key, before = feed.record["id"], None
    cause = draws.choice("items.cause", names.LEDGER_ITEMS, key)
    if draws.chance("items.corrected", 0.5, key):
        wrong = round(amount * draws.integer("items.wrong", 30, 70, key) / 100, 2)
        earlier = Days(days.first - 3, days.last, days.to_close)
        before = add_ledger_notice(company, author, feed, earlier, wrong, cause, status="superseded")["id"]
    return add_ledger_notice(company, author, feed, days, amount, cause, supersedes=before)


def _with_dataset(area: Area, findings: Findings) -> Feed:
    feed, found = area.feed(repeats=True, check="dataset"), findings.count
    if not found.applies:
        return area.with_dataset(feed, off=found.booked_off)
    return area.with_dataset(feed, off=found.booked_off, counted=findings.state, counted_off=found.truly_off)


def _amount(feed: Feed, check: Check) -> float:
    """Return the ledger item in euros."""
    return round(float(feed.metric["value"]) * check.item.share, 2)
