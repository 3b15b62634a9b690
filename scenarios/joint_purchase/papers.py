"""The documents of a case: editions of the handbook, offers, and the mails of the two departments."""

from collections.abc import Sequence

from companyos.sdk.company import Cast, Company, Edition, Person, Row, new_name
from companyos.sdk.documents import Template
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso

from . import words
from .case import Deal
from .pack import LEAD, Department, add_offer
from .terms import Rules


def write_handbook(draws: Draws, company: Company, cast: Cast, case: Deal) -> Row:
    """Write the chapter in force, its previous edition, a draft, and another department's rules."""
    age, author = draws.integer("handbook.age", 30, 150) * DAY, cast.offices[LEAD]

    before, draft = (_other(draws, case.rules, which) for which in ("before", "draft"))
    chapter_in_force = company.add_editions(
        "handbook",
        words.POLICY_TITLE,
        words.DEPARTMENT,
        author,
        Edition("superseded", chapter(before), age + 320 * DAY),
        Edition("in_force", chapter(case.rules), age),
        Edition("draft", chapter(draft), 5 * DAY),
    )
    company.add_document(
        "handbook",
        "Joint use of rooms",
        "Facilities",
        cast.offices["operations_lead"],
        words.ROOMS,
        age_s=80 * DAY,
    )
    return chapter_in_force


def chapter(rules: Rules) -> str:
    """Return the text of an edition of the chapter."""
    ways = [{"way": way, "reserve": rules.reserve_most} for way in rules.ways]
    return words.POLICY.write(first=rules.signing[0], second=rules.signing[1], ways=ways, **rules.bases)


def write_offers(draws: Draws, company: Company, cast: Cast, case: Deal, item: Row) -> Row:
    """Write the offer in force, its cheaper predecessor, and another supplier's withdrawn offer."""
    author = cast.offices[LEAD]
    supplier, other = draws.sample("offer.supplier", words.SUPPLIERS, 2)
    age = draws.integer("offer.age", 2, 9) * DAY
    day = company.start // DAY * DAY
    before = add_offer(
        company,
        item,
        supplier,
        _priced(case, 0.93),
        case.delivery,
        to_iso(day - DAY)[:10],
        author,
        age_s=age + 40 * DAY,
        status="superseded",
    )
    add_offer(
        company,
        item,
        other,
        _priced(case, 0.88),
        case.delivery,
        to_iso(day + 50 * DAY)[:10],
        author,
        age_s=age + DAY,
        status="withdrawn",
    )
    return add_offer(
        company,
        item,
        supplier,
        case.units,
        case.delivery,
        case.offer.valid_until,
        author,
        age_s=age,
        supersedes=before["id"],
    )


def write_mails(
    draws: Draws, company: Company, cast: Cast, case: Deal, item: Row, departments: Sequence[Department]
) -> tuple[Row, list[Row]]:
    """Write the heads' agreement on the split, the departments' needs, and the remarks of others.

    Returns the last mail of the heads, and the last mail about the need of each department.
    """
    needs = [
        _needs(draws, company, cast, case, item, department, number)
        for number, department in enumerate(departments)
    ]
    agreement = _agreement(draws, company, case, item, departments)
    names = {"one": departments[0].name, "other": departments[1].name}
    outsider = company.hire(new_name(company, "outsider"), "account_manager", "Sales")
    _send(company, outsider, cast.persona, item, "Split of", words.HEARSAY, 5 * HOUR, **names)
    pressure = draws.choice("pressure", words.PRESSURE)
    amount = case.rules.signing[0]
    _send(
        company,
        cast.offices["chief_of_staff"],
        cast.persona,
        item,
        "Faster:",
        pressure,
        2 * HOUR,
        amount=amount,
        **names,
    )
    return agreement, needs


def _needs(
    draws: Draws, company: Company, cast: Cast, case: Deal, item: Row, department: Department, number: int
) -> Row:
    """Write a coordinator's mail about the department's need, in most cases corrected later; return the last."""
    coordinator = company.hire(new_name(company, f"coordinator.{number}"), "coordinator", department.name)
    side, hours = case.sides[number], draws.integer("need.age", 4, 20, number) * HOUR
    facts = {"department": department.name}
    text = draws.choice("need", words.NEED, number)
    subject = "What we need:"
    if draws.chance("need.corrected", 0.7, number):
        wrong = {"least": _off(draws, side.least, number), "by": _moved(draws, side.by, number)}
        _send(company, coordinator, cast.persona, item, subject, text, hours + DAY, **facts, **wrong)
        text = draws.choice("need.correction", words.CORRECTED, number)
    return _send(
        company, coordinator, cast.persona, item, subject, text, hours, **facts, least=side.least, by=side.by
    )


def _agreement(
    draws: Draws, company: Company, case: Deal, item: Row, departments: Sequence[Department]
) -> Row:
    """Write the heads' negotiation of the split, copied to Purchasing; return their last mail, the agreement."""
    first = int(case.sides[0].weight) if case.basis == "agreed" else draws.integer("agree.last", 36, 64)
    proposals = draws.sample("agree.before", [one for one in range(30, 71) if one != first], 2)
    mails = [(words.AGREEING[0], proposals[0]), (words.AGREEING[1], proposals[1])]
    mails += [(words.AGREEING[2], first), (words.AGREED, first)]
    began = draws.integer("agree.age", 26, 50) * HOUR
    names = {"one": departments[0].name, "other": departments[1].name}
    sent = []
    for number, (text, percent) in enumerate(mails):
        sender, age_s = departments[number % 2].head, began - 3 * HOUR * number
        split = {"first": percent, "second": 100 - percent}
        sent.append(_send(company, sender, "Purchasing", item, "Split of", text, age_s, **names, **split))
    return sent[-1]


def _send(
    company: Company,
    sender: Person,
    to: Person | str,
    item: Row,
    subject: str,
    text: Template,
    age_s: int,
    **facts: object,
) -> Row:
    body = text.write(item=item["name"], **facts)
    return company.add_message(sender, to, f"{subject} {item['name']}", body, age_s=age_s, about=item["id"])


def _other(draws: Draws, rules: Rules, which: str) -> Rules:
    """Return rules with other bases, other limits and another order of remedies."""
    ways = (*rules.ways[1:], rules.ways[0])
    shift = draws.choice("edition.shift", (-1000.0, 1250.0, 2000.0), which)
    bases = list(rules.bases.values())
    return Rules(
        dict(zip(rules.bases, (*bases[1:], bases[0]), strict=True)),
        (max(500.0, rules.signing[0] + shift), rules.signing[1] + 2 * abs(shift)),
        ways,
        rules.reserve_most + (300.0 if which == "before" else -300.0),
    )


def _priced(case: Deal, factor: float) -> list[tuple[int, float]]:
    return [(quantity, round(unit * factor, 2)) for quantity, unit in case.units]


def _off(draws: Draws, least: int, number: int) -> int:
    return max(2, least + draws.choice("need.off", (-5, -4, 4, 6), number))


def _moved(draws: Draws, by: str, number: int) -> str:
    return to_iso(from_iso(f"{by}T00:00:00Z") + draws.choice("need.moved", (-21, 18, 25), number) * DAY)[:10]
