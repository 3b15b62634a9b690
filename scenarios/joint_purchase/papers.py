"""The documents of a purchase: editions of the handbook, offers, and the mails of the two departments."""

from companyos.sdk.company import Edition, Person, Row
from companyos.sdk.documents import Template
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_date

from . import words
from .draft import Draft
from .pack import LEAD, Department, add_offer
from .terms import Rules


def write_handbook(draft: Draft) -> Row:
    """Write the chapter in force, its previous edition, a draft, and another department's rules."""
    company, cast = draft.company, draft.cast
    age, rules = draft.draws.integer("handbook.age", 30, 150) * DAY, draft.deal.rules
    chapter_in_force = company.add_editions(
        "handbook",
        words.POLICY_TITLE,
        words.DEPARTMENT,
        cast.offices[LEAD],
        Edition("superseded", chapter(_other_rules(draft, "before")), age + 320 * DAY),
        Edition("in_force", chapter(rules), age),
        Edition("draft", chapter(_other_rules(draft, "draft")), 5 * DAY),
    )
    author = cast.offices["operations_lead"]
    company.add_document("handbook", "Joint use of rooms", "Facilities", author, words.ROOMS, age_s=80 * DAY)
    return chapter_in_force


def chapter(rules: Rules) -> str:
    """Return the text of an edition of the chapter."""
    ways = [{"way": way, "reserve": rules.reserve_most} for way in rules.ways]
    return words.POLICY.write(first=rules.signing[0], second=rules.signing[1], ways=ways, **rules.bases)


def write_offers(draft: Draft) -> Row:
    """Write the offer in force, its cheaper predecessor, and another supplier's withdrawn offer."""
    company, deal, draws = draft.company, draft.deal, draft.draws
    supplier, other = draws.sample("offer.supplier", words.SUPPLIERS, 2)
    age, today = draws.integer("offer.age", 2, 9) * DAY, company.start // DAY * DAY

    def write_offer(offerer: str, factor: float, until: str, age_s: int, **columns: str) -> Row:
        lots = [(quantity, round(unit * factor, 2)) for quantity, unit in deal.units]
        author = draft.cast.offices[LEAD]
        return add_offer(
            company, draft.item, offerer, lots, deal.delivery, until, author, age_s=age_s, **columns
        )

    yesterday, in_time = (to_date(today + days * DAY) for days in (-1, 50))
    before = write_offer(supplier, 0.93, yesterday, age + 40 * DAY, status="superseded")
    write_offer(other, 0.88, in_time, age + DAY, status="withdrawn")
    return write_offer(supplier, 1.0, deal.offer.valid_until, age, supersedes=before["id"])


def write_mails(draft: Draft) -> tuple[Row, list[Row]]:
    """Write the heads' agreement on the split, the departments' needs, and the remarks of others.

    Returns the last mail of the heads, and the last mail about the need of each department.
    """
    needs = [_write_needs(draft, one, number) for number, one in enumerate(draft.departments)]
    agreement = _write_agreement(draft)
    me, outsider = draft.cast.persona, draft.hire("outsider", "account_manager", "Sales")
    _send(draft, outsider, me, "Split of", words.HEARSAY, 5 * HOUR, **draft.names)
    pressure, amount = draft.draws.choice("pressure", words.PRESSURE), draft.deal.rules.signing[0]
    chief = draft.cast.offices["chief_of_staff"]
    _send(draft, chief, me, "Faster:", pressure, 2 * HOUR, amount=amount, **draft.names)
    return agreement, needs


def _write_needs(draft: Draft, department: Department, number: int) -> Row:
    """Write a coordinator's mail about the department's need, in most cases corrected later; return the last."""
    draws, side, me = draft.draws.about(number), draft.deal.sides[number], draft.cast.persona
    coordinator = draft.hire(f"coordinator.{number}", "coordinator", department.name)
    age_s, subject = draws.integer("need.age", 4, 20) * HOUR, "What we need:"
    text = draws.choice("need", words.NEED)
    if draws.chance("need.corrected", 0.7):
        least = max(2, side.least + draws.choice("need.off", (-5, -4, 4, 6)))
        day = from_iso(f"{side.by}T00:00:00Z") + draws.choice("need.moved", (-21, 18, 25)) * DAY
        wrong = {"department": department.name, "least": least, "by": to_date(day)}
        _send(draft, coordinator, me, subject, text, age_s + DAY, **wrong)
        text = draws.choice("need.correction", words.CORRECTED)
    right = {"department": department.name, "least": side.least, "by": side.by}
    return _send(draft, coordinator, me, subject, text, age_s, **right)


def _write_agreement(draft: Draft) -> Row:
    """Write the heads' negotiation of the split, copied to Purchasing; return their last mail, the agreement."""
    draws, deal = draft.draws, draft.deal
    first = int(deal.sides[0].weight) if deal.basis == "agreed" else draws.integer("agree.last", 36, 64)
    proposals = draws.sample("agree.before", [one for one in range(30, 71) if one != first], 2)
    began, sent = draws.integer("agree.age", 26, 50) * HOUR, list[Row]()
    mails = zip((*words.AGREEING, words.AGREED), (*proposals, first, first), strict=True)
    for number, (text, percent) in enumerate(mails):
        split = {**draft.names, "first": percent, "second": 100 - percent}
        sender, age_s = draft.departments[number % 2].head, began - 3 * HOUR * number
        sent.append(_send(draft, sender, "Purchasing", "Split of", text, age_s, **split))
    return sent[-1]


def _send(
    draft: Draft, sender: Person, to: Person | str, subject: str, text: Template, age_s: int, **facts: object
) -> Row:
    name, about = draft.item["name"], draft.item["id"]
    body = text.write(item=name, **facts)
    return draft.company.add_message(sender, to, f"{subject} {name}", body, age_s=age_s, about=about)


def _other_rules(draft: Draft, edition: str) -> Rules:
    """Return rules with other bases, other limits and another order of remedies."""
    rules, bases = draft.deal.rules, list(draft.deal.rules.bases.values())
    shift = draft.draws.choice("edition.shift", (-1000.0, 1250.0, 2000.0), edition)
    return Rules(
        dict(zip(rules.bases, (*bases[1:], bases[0]), strict=True)),
        (max(500.0, rules.signing[0] + shift), rules.signing[1] + 2 * abs(shift)),
        (*rules.ways[1:], rules.ways[0]),
        rules.reserve_most + (300.0 if edition == "before" else -300.0),
    )
