"""Background of analytics: other areas of reporting, without complaints."""

from companyos.sdk.company import Cast, Company, NewId, somebody

from . import names
from .estate import FEED, Area, Feed
from .notices import add_calendar, add_count_notice, add_ledger_notice, draw_days


def new_area(company: Company, owner_key: str, new_id: NewId, number: int = 0) -> Area | None:
    """Start an area that the company does not have yet, or return None if it has all areas."""
    taken = {row["fields"]["area"] for row in company.rows["datahub"]["records"] if row["kind"] == FEED}
    free = [name for name in names.AREAS if name not in taken]
    if not free:
        return None
    name = company.draws.choice("area", free, owner_key, number)
    return Area(company, name, somebody(company, f"owner.{owner_key}", number), new_id)


def other_area(company: Company, cast: Cast, number: int) -> None:
    """Write an area with three sound feeds, one of which repeats its value, and their dashboards."""
    area = new_area(company, "story", company.numbers.next, number)
    if area is None:
        return
    draws = company.draws
    off = [draws.integer("story.off", -12, 12, number, place) / 1000 for place in range(4)]
    first = area.with_control(area.feed(repeats=True), shown_off=off[0], truly_off=off[1])
    second = area.with_control(area.feed(), shown_off=off[2], truly_off=off[3])
    third = area.with_dataset(area.feed(check="dataset"), off=0.001)
    _announce(company, cast, area, first, third, number)
    mart = area.mart(first.metric, second.metric)
    boards = [area.board(mart), area.board(third.metric, second.metric), area.board(third.metric)]
    if draws.chance("story.retired", 0.4, number):
        area.board(mart, status="inactive")
    board = draws.choice("story.board", boards, number)
    area.spending(board, cast.offices["commercial_director"], cast.checker)


def _announce(company: Company, cast: Cast, area: Area, controlled: Feed, counted: Feed, number: int) -> None:
    """Write the notice of a ledger item, at times of rows that count, and the calendar of the ledger."""
    draws, author = company.draws.under(f"story.notice.{number}."), cast.offices["chief_data_officer"]
    applies, to_close = draws.chance("applies", 0.5), draws.chance("to_close", 0.5)
    days = draw_days(draws, "item", applies=applies, to_close=to_close)
    amount = round(controlled.metric["value"] * draws.integer("amount", -90, 90) / 1000, 2)
    cause = draws.choice("cause", names.LEDGER_ITEMS)
    add_ledger_notice(company, author, controlled, days, amount, cause)
    close = days.last if to_close else draws.integer("close", -9, 25)
    add_calendar(company, author, area.name, close, close + draws.integer("close.moved", -12, -5))
    if draws.chance("count", 0.5):
        days = draw_days(draws, "count", applies=draws.chance("count.applies", 0.5))
        add_count_notice(company, author, counted, days, draws.choice("state", names.STATES[1:]))


def audit_of_the_past(company: Company, cast: Cast, number: int) -> None:
    """Write a past audit."""
    draws = company.draws
    area = draws.choice("past.area", names.AREAS, number)
    company.add_ticket(
        company.numbers.next("TD"),
        "data_audit",
        f"Doubts about the dashboards of {area}",
        draws.choice("past.words", names.DOUBTS, number).format(area=area),
        somebody(company, "past.reporter", number),
        acts=("assigned", "closed"),
        status="closed",
        priority="medium",
        assignee=cast.offices["head_of_reporting"].id,
        resolution=draws.choice("past.end", names.ENDS, number),
    )
